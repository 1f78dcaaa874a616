import { describe, expect, test } from "vitest";
import { cleanText, cutMiddle, cutText, escapeHtml } from "../../../src/bot/texts/html.js";
import fc from "../../support/fast-check.js";

describe("text for Telegram", () => {
  test("escaped text contains no markup", () => {
    expect(escapeHtml(`<b>"a" & 'b'</b>`)).toBe("&lt;b&gt;&quot;a&quot; &amp; 'b'&lt;/b&gt;");
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => !/[<>"]/.test(escapeHtml(text))));
  });

  test.each([
    ["  a  ", "a"],
    ["a\u0000b\u001bc", "abc"],
    ["line\r\nnext\rlast\tend", "line\nnext\nlast\tend"],
    ["\u202eevil\u202c", "evil"],
    ["half \ud83d of an emoji", "half \ufffd of an emoji"],
    ["👩‍🚀 family", "👩‍🚀 family"],
  ])("%j is kept as %j", (given, kept) => {
    expect(cleanText(given)).toBe(kept);
  });

  test("a truncated text fits, ends with an ellipsis and splits no emoji", () => {
    expect(cutText("short", 10)).toBe("short");
    expect(cutText("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 15)).toBe("👨‍👩‍👧‍👦…");
    expect(cutText("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 10)).toBe("…");
  });

  test("a well-formed text fits after truncation, and contains no lone surrogate", () => {
    // grapheme: what people write; binary: any sequence of code points.
    for (const unit of ["grapheme", "binary"] as const) {
      fc.assert(
        fc.property(fc.string({ unit, maxLength: 60 }), fc.integer({ min: 3, max: 40 }), (text, max) => {
          for (const cut of [cutText(text, max), cutMiddle(text, max, Math.floor(max / 3))]) {
            expect(cut).toBe(Buffer.from(cut, "utf8").toString("utf8"));
            expect(cut.length).toBeLessThanOrEqual(max);
          }
          const cut = cutText(text, max);
          expect(cut === text || text.startsWith(cut.slice(0, -1))).toBe(true);
        }),
      );
    }
    expect(cutMiddle("https://a.example/😀😀😀😀/end", 24, 5)).toBe("https://a.example/…/end");
  });
});
