import { describe, expect, test } from "vitest";
import fc from "../../../test/support/fast-check.js";
import { BotApiError } from "../src/errors.js";
import { normalizeText, parseFormattedText, readTypedText } from "../src/formatted-text.js";

function parse(source: string) {
  return normalizeText(parseFormattedText(source, "HTML", undefined));
}

function failureOf(source: string): string {
  try {
    parse(source);
  } catch (error) {
    if (error instanceof BotApiError)
      return error.description.replace("Bad Request: can't parse entities: ", "");
    throw error;
  }
  return "none";
}

describe("formatting of HTML", () => {
  test.each([
    ["<b>a</b>", "a", [["bold", 0, 1]]],
    [
      "<i>a<b>b</b></i>",
      "ab",
      [
        ["italic", 0, 2],
        ["bold", 1, 1],
      ],
    ],
    ["<u>a</u>", "a", [["underline", 0, 1]]],
    ["<s>a</s>", "a", [["strikethrough", 0, 1]]],
    ["<tg-spoiler>a</tg-spoiler>", "a", [["spoiler", 0, 1]]],
    ["<code>a &lt;b&gt;</code>", "a <b>", [["code", 0, 5]]],
    ["<pre>a</pre>", "a", [["pre", 0, 1]]],
    ["<blockquote>a</blockquote>", "a", [["blockquote", 0, 1]]],
    ["<blockquote expandable>a</blockquote>", "a", [["expandable_blockquote", 0, 1]]],
    ["😀<b>я</b>", "😀я", [["bold", 2, 1]]],
    ["&amp;&quot;&#65;&#x1F600;&nbsp;", '&"A😀&nbsp;', []],
    ["a &lt b", "a < b", []],
    ["<b></b>x", "x", []],
    ["<B>a</B>", "a", [["bold", 0, 1]]],
    ["  <b> a </b> ", " a", [["bold", 0, 2]]],
    ["<code>/start @bot http://a.com</code>", "/start @bot http://a.com", [["code", 0, 24]]],
    ["<a href='nonsense'>a</a>", "a", []],
    [
      "<b>a<code>b</code>c</b>",
      "abc",
      [
        ["bold", 0, 1],
        ["code", 1, 1],
        ["bold", 2, 1],
      ],
    ],
  ] as const)("%s", (source, text, entities) => {
    const parsed = parse(source);
    expect(parsed.text).toBe(text);
    expect(parsed.entities.map(({ type, offset, length }) => [type, offset, length])).toEqual(entities);
  });

  test("keeps the argument of links and mentions", () => {
    expect(parse('<a href="https://a.com/?x=1&amp;y=2">a</a>').entities).toEqual([
      { type: "text_link", offset: 0, length: 1, url: "https://a.com/?x=1&y=2" },
    ]);
    expect(parse('<a href="tg://user?id=5">a</a>').entities[0]).toMatchObject({
      type: "text_mention",
      user: { id: 5 },
    });
  });

  test.each([
    ["<x>a</x>", 'Unsupported start tag "x" at byte offset 0'],
    ["яя<br>", 'Unsupported start tag "br" at byte offset 4'],
    ["a < b", 'Unsupported start tag "" at byte offset 2'],
    ["a <b", "Unclosed start tag at byte offset 2"],
    ["<b>a", 'Can\'t find end tag corresponding to start tag "b"'],
    ["a</b>", "Unexpected end tag at byte offset 1"],
    ["<b><i>a</b></i>", 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'],
    ["<b>a</b x>", "Unclosed end tag at byte offset 4"],
  ])("rejects %s", (source, failure) => {
    expect(failureOf(source)).toBe(failure);
  });

  test("parses any text to entities inside it, or rejects it in the server's words", () => {
    const piece = fc.oneof(
      fc.constantFrom(..."<b> </b> <i> </i> <pre> </pre> <code> </code> </a>".split(" "), "<a href='t.me'>"),
      fc.constantFrom(...'< > & &lt; &#x1F600; /start @anna http://a.com 😀 ="'.split(" "), " ", "\n"),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const source = pieces.join("");
        if (failureOf(source) !== "none") return;
        const { text, entities } = parse(source);
        for (const { offset, length } of entities) {
          expect(length).toBeGreaterThan(0);
          expect(offset + length).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});

test("commands, mentions, links, addresses and hashtags become entities", () => {
  const { text, entities } = readTypedText(
    "/start@atelier_bot a@b.com @anna #tag https://x.com/y. see x.ru/z",
  );
  expect(entities.map(({ type, offset, length }) => [type, text.slice(offset, offset + length)])).toEqual([
    ["bot_command", "/start@atelier_bot"],
    ["email", "a@b.com"],
    ["mention", "@anna"],
    ["hashtag", "#tag"],
    ["url", "https://x.com/y"],
    ["url", "x.ru/z"],
  ]);
});

test("a time is kept with its format, and one that is none is refused", () => {
  const { text, entities } = parse('at <tg-time unix="1764000000" format="Dt">24 Nov</tg-time>');
  expect(text).toBe("at 24 Nov");
  const time = { unix_time: 1764000000, date_time_format: "Dt" };
  expect(entities).toEqual([{ type: "date_time", offset: 3, length: 6, ...time }]);
  for (const attributes of ['unix="now"', 'unix="1764000000" format="x"', ""])
    expect(failureOf(`<tg-time ${attributes}>x</tg-time>`)).toContain("Invalid date and time");
});
