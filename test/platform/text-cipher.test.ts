import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createTextCipher, noCipher } from "../../src/platform/text-cipher.js";
import fc from "../support/fast-check.js";

const OLD = randomBytes(32);
const NEW = randomBytes(32);
const cipher = createTextCipher([NEW]);
const text = fc.string({ unit: "binary" });

describe("a sealed text", () => {
  test("is read again as it was, for the same row", () => {
    fc.assert(
      fc.property(text, text, (given, row) => {
        expect(cipher.open(cipher.seal(given, row), row)).toBe(given);
      }),
    );
  });

  test("shows nothing of the text and never repeats itself", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 12 }), (given) => {
        const sealed = cipher.seal(given, "row");
        expect(sealed).not.toContain(given);
        expect(cipher.seal(given, "row")).not.toBe(sealed);
      }),
    );
  });

  test("is refused for another row", () => {
    fc.assert(
      fc.property(text, text, text, (given, row, other) => {
        fc.pre(row !== other);
        expect(() => cipher.open(cipher.seal(given, row), other)).toThrow(/cannot be decrypted/);
      }),
    );
  });

  test("is refused when any of its bytes was changed or cut", () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, place, change) => {
        const [head, encoded = ""] = splitAtData(cipher.seal(given, "row"));
        const bytes = Buffer.from(encoded, "base64url");
        bytes[place % bytes.length] = (bytes[place % bytes.length] ?? 0) ^ change;
        const changed = `${head}${bytes.toString("base64url")}`;
        expect(() => cipher.open(changed, "row")).toThrow(/cannot be decrypted/);
        const cut = `${head}${bytes.subarray(0, place % bytes.length).toString("base64url")}`;
        if (cut !== head) expect(() => cipher.open(cut, "row")).toThrow(/cannot be decrypted/);
      }),
    );
  });
});

describe("while a key is being replaced", () => {
  const both = createTextCipher([NEW, OLD]);

  test("texts under either key are read, and the old ones are to be written anew", () => {
    fc.assert(
      fc.property(text, (given) => {
        const old = createTextCipher([OLD]).seal(given, "row");
        expect(both.open(old, "row")).toBe(given);
        expect(both.isCurrent(old)).toBe(false);
        const anew = both.seal(both.open(old, "row"), "row");
        expect(both.isCurrent(anew)).toBe(true);
        expect(createTextCipher([NEW]).open(anew, "row")).toBe(given);
      }),
    );
  });

  test("a text under a key that was removed is refused, and the error names the key only by its id", () => {
    const old = createTextCipher([OLD]).seal("secret", "row");
    expect(() => cipher.open(old, "row")).toThrow(/cannot be decrypted \(key [0-9a-f]{8}\)/);
    expect(() => noCipher.open(old, "row")).toThrow(/cannot be decrypted/);
  });
});

test("a text that was stored in the clear is read, and is to be written anew where there is a key", () => {
  expect(cipher.open('{"a":1}', "row")).toBe('{"a":1}');
  expect(cipher.isCurrent('{"a":1}')).toBe(false);
  expect(noCipher.isCurrent('{"a":1}')).toBe(true);
  expect(noCipher.open(noCipher.seal("{}", "row"), "row")).toBe("{}");
});

function splitAtData(sealed: string): [string, string] {
  const start = sealed.lastIndexOf(":") + 1;
  return [sealed.slice(0, start), sealed.slice(start)];
}
