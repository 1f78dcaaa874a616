import { text } from "node:stream/consumers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonDocument } from "../../../../src/bot/features/my-data.js";

const textOf = (sections: Parameters<typeof jsonDocument>[0], bytesMax = 1e9) =>
  text(jsonDocument(sections, bytesMax));

test("a document parses to what its sections have, whatever their words are", async () => {
  const rows = fc.array(fc.record({ text: fc.string({ unit: "grapheme" }), sum: fc.integer() }));
  await fc.assert(
    fc.asyncProperty(rows, rows, async (first, second) => {
      const written = await textOf([
        { name: "first", rows: first },
        { name: "second", rows: second },
      ]);
      expect(JSON.parse(written)).toEqual({ first, second });
    }),
  );
});

test("a document without sections is an empty object", async () => {
  expect(JSON.parse(await textOf([]))).toEqual({});
});

test("a document stays below its limit, is whole JSON, and says that it was cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "grapheme" }), { maxLength: 50 }),
      fc.nat(2000),
      async (words, limit) => {
        const sections = [
          { name: "a", rows: words.map((word) => ({ word })) },
          { name: "b", rows: [{ word: "last" }] },
        ];
        const bytesMax = 200 + limit;
        const written = await textOf(sections, bytesMax);
        const parsed = JSON.parse(written) as Record<string, unknown>;
        expect(Buffer.byteLength(written)).toBeLessThanOrEqual(bytesMax);
        expect(parsed.cut === true || JSON.stringify(parsed.b) === '[{"word":"last"}]').toBe(true);
      },
    ),
  );
});

test("a large document comes in pieces, and reads rows only as it is taken", async () => {
  let read = 0;
  function* rows() {
    for (; read < 10_000; read += 1) yield { text: "x".repeat(100) };
  }
  const pieces = jsonDocument([{ name: "rows", rows: rows() }], 1e9);
  await pieces.next();
  expect(read).toBeLessThan(1000);
});
