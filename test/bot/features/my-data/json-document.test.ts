import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonDocument } from "../../../../src/bot/features/my-data/json-document.js";

const textOf = (sections: Parameters<typeof jsonDocument>[0], bytesMax = 1e9) =>
  Buffer.concat([...jsonDocument(sections, bytesMax)]).toString();

test("a document parses to what its sections have, whatever their words are", () => {
  const rows = fc.array(fc.record({ text: fc.string({ unit: "grapheme" }), sum: fc.integer() }));
  fc.assert(
    fc.property(rows, rows, (first, second) => {
      const text = textOf([
        { name: "first", rows: first },
        { name: "second", rows: second },
      ]);
      expect(JSON.parse(text)).toEqual({ first, second });
    }),
  );
});

test("a document without sections is an empty object", () => {
  expect(JSON.parse(textOf([]))).toEqual({});
});

test("a document stays below its limit, is whole JSON, and says that it was cut", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme" }), { maxLength: 50 }),
      fc.nat(2000),
      (words, limit) => {
        const sections = [
          { name: "a", rows: words.map((word) => ({ word })) },
          { name: "b", rows: [{ word: "last" }] },
        ];
        const bytesMax = 200 + limit;
        const text = textOf(sections, bytesMax);
        const parsed = JSON.parse(text) as Record<string, unknown>;
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytesMax);
        expect(parsed.cut === true || JSON.stringify(parsed.b) === '[{"word":"last"}]').toBe(true);
      },
    ),
  );
});

test("a large document comes in pieces, and reads rows only as it is taken", () => {
  let read = 0;
  function* rows() {
    for (; read < 10_000; read += 1) yield { text: "x".repeat(100) };
  }
  const pieces = jsonDocument([{ name: "rows", rows: rows() }], 1e9);
  pieces.next();
  expect(read).toBeLessThan(1000);
});
