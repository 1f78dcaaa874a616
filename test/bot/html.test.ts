import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanText, codePoints, cutText, escapeHtml } from "../../src/bot/html.js";

describe("text for Telegram", () => {
  test("escaped text holds no markup", () => {
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

  test("a cut text fits, ends in an ellipsis and tears no emoji apart", () => {
    expect(cutText("short", 10)).toBe("short");
    expect(cutText("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 15)).toBe("👨‍👩‍👧‍👦…");
    expect(cutText("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 10)).toBe("…");
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 60 }),
        fc.integer({ min: 1, max: 40 }),
        (text, max) => {
          const cut = cutText(text, max);
          expect(cut.length).toBeLessThanOrEqual(Math.max(max, 1));
          if (cut !== text) expect(text.startsWith(cut.slice(0, -1))).toBe(true);
        },
      ),
    );
  });

  test("lengths count code points", () => {
    expect(codePoints("a👍б")).toBe(3);
  });
});
