import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { fingerprintOf } from "../../src/http/read-json.js";
import fc from "../support/fast-check.js";

const json = fc.jsonValue({ maxDepth: 4 });

/** The same JSON with the names of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  const copy = JSON.parse("{}") as object;
  for (const name of Object.keys(value).reverse()) {
    const field = reversed(Reflect.get(value, name));
    Object.defineProperty(copy, name, { value: field, enumerable: true, writable: true, configurable: true });
  }
  return copy;
}

test("equal JSON has an equal fingerprint, whatever its key order and whitespace", () => {
  fc.assert(
    fc.property(json, (value) => {
      const same: unknown = JSON.parse(JSON.stringify(reversed(value), null, 3));
      expect(fingerprintOf(same)).toBe(fingerprintOf(JSON.parse(JSON.stringify(value))));
    }),
  );
});

test("different JSON has a different fingerprint", () => {
  fc.assert(
    fc.property(json, json, (one, other) => {
      const [first, second]: unknown[] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))];
      expect(fingerprintOf(first) === fingerprintOf(second)).toBe(isDeepStrictEqual(first, second));
    }),
  );
});

test.each([
  [{ a: [1, 2] }, { a: [2, 1] }],
  [{ a: [1], b: 2 }, { a: [1, { b: 2 }] }],
  [["a,b"], ["a", "b"]],
  [{}, []],
  [{ a: null }, {}],
  [{ a: 1 }, { a: "1" }],
  [JSON.parse('{"a":1e400}'), { a: null }],
  [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":2}')],
  [{ "a:1": 2 }, { a: { "1": 2 } }],
])("%j does not equal %j", (one, other) => {
  expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
});

test("a body may be as deep and as wide as the HTTP limits allow", () => {
  const deep = (innermost: string): unknown =>
    JSON.parse(`${"[".repeat(190_000)}${innermost}${"]".repeat(190_000)}`);
  expect(fingerprintOf(deep("1"))).toBe(fingerprintOf(deep("1")));
  expect(fingerprintOf(deep("1"))).not.toBe(fingerprintOf(deep("2")));
  const wide = Array.from({ length: 190_000 }, (_, n) => n);
  expect(fingerprintOf(wide)).not.toBe(fingerprintOf(wide.with(-1, 0)));
});
