import { describe, expect, test } from "vitest";
import type { Json } from "../../../src/catalogue/json.js";
import fc from "../../../test/support/fast-check.js";
import { createScrubber } from "../src/scrub.js";

/** Any key that a header can carry. */
const keys = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 8,
  maxLength: 60,
});
const around = fc.string({ maxLength: 12 });

const ENCODINGS: Readonly<Record<string, (key: string) => string>> = {
  "as it is": (key) => key,
  "in JSON": (key) => JSON.stringify({ key }),
  "in JSON inside of JSON": (key) => JSON.stringify({ param: JSON.stringify({ key }) }),
  "in a query": (key) => `https://files.test/a?${new URLSearchParams({ key })}`,
  "encoded in a path": (key) => `https://files.test/${encodeURIComponent(key)}/a.png`,
  "in base64": (key) => Buffer.from(key).toString("base64"),
  "in base64url": (key) => Buffer.from(key).toString("base64url"),
  "as the password of Basic": (key) => `Basic ${Buffer.from(`user:${key}`).toString("base64")}`,
  "as the name of Basic": (key) => `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
  "in hex": (key) => Buffer.from(key).toString("hex"),
  "in upper-case hex": (key) => Buffer.from(key).toString("hex").toUpperCase(),
};

/** The longest piece of the key's base64 that does not depend on its neighbours. */
function traces(key: string): string[] {
  const inner = Buffer.from(key).toString("base64url").slice(0, -2);
  return [key, encodeURIComponent(key), Buffer.from(key).toString("hex"), inner];
}

describe.each(Object.entries(ENCODINGS))("a key %s", (_name, encode) => {
  test("never stays in a text or a value", () => {
    fc.assert(
      fc.property(keys, around, around, (key, before, after) => {
        const { text, json, isLeaking } = createScrubber([key]);
        const given = `${before} ${encode(key)} ${after}`;
        const value: Json = { [encode(key)]: [given, { error: encode(key) }] };
        for (const clean of [text(given), text(encode(key)), JSON.stringify(json(value))]) {
          expect(isLeaking(clean)).toBe(false);
          for (const trace of traces(key)) expect(clean.includes(trace)).toBe(false);
        }
      }),
      { numRuns: 60 },
    );
  });
});

test("a key of digits never stays as a number", () => {
  const { json, isLeaking } = createScrubber(["12345678"]);
  expect(isLeaking(JSON.stringify(json({ n: 12345678, text: "[12345678]" })))).toBe(false);
});

test("signatures, people and accounts are taken out, dates and results stay", () => {
  const { json } = createScrubber(["secret-key"]);
  const answer: Json = {
    request_id: "0193",
    created_at: "2026-11-23T10:00:00Z",
    user_id: 77,
    owner: { name: "ann", email: "ann@example.com" },
    message: "write to ann@example.com, key sk-ab***yz",
    resultJson: '{"resultUrls":["https://files.test/a.png?X-Sig=abc&exp=5"],"accountId":"a-1"}',
    url: "https://name:word@files.test/a.png?token=abc#part",
    b64: "A".repeat(5000),
  };
  expect(json(answer)).toEqual({
    request_id: "0193",
    created_at: "2026-11-23T10:00:00Z",
    user_id: "removed",
    owner: { name: "removed", email: "removed" },
    message: "write to removed, key removed",
    resultJson: '{"resultUrls":["https://files.test/a.png?X-Sig=removed&exp=removed"],"accountId":"removed"}',
    url: "https://files.test/a.png?token=removed",
    b64: "removed",
  });
});

test("what was scrubbed once stays as it is", () => {
  fc.assert(
    fc.property(keys, fc.json(), (key, given) => {
      const { text } = createScrubber([key]);
      expect(text(text(given))).toBe(text(given));
    }),
  );
});
