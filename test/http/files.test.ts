import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { matchesEtag, readByteRange } from "../../src/http/files.js";
import fc from "../support/fast-check.js";
import { createManualClock } from "../support/manual-clock.js";
import { open, refusal, startServer } from "./harness.js";

test("a signed link returns the bytes with type, length and name, cached privately", async () => {
  const asked: unknown[] = [];
  const clock = createManualClock();
  // A browser keeps it for what is left of the link's hour.
  const expires = String(clock.now() / 1000 + 600);
  const { url } = await startServer({
    clock,
    files: async (link) => {
      asked.push(link);
      return open("a fox");
    },
  });
  const answer = await fetch(`${url}/files/cd.webp?expires=${expires}&serial=2&signature=x%2Fy`);
  expect(asked).toEqual([{ name: "cd.webp", expires, serial: "2", signature: "x/y" }]);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "image/webp",
    "content-length": "5",
    "content-disposition": 'inline; filename="fox.webp"',
    "cache-control": "private, max-age=600, immutable",
    "x-content-type-options": "nosniff",
  });
  expect(await answer.text()).toBe("a fox");
});

test.each([
  ["forged", 403, "bad_signature"],
  ["expired", 403, "link_expired"],
  ["gone", 404, "not_found"],
] as const)("a link that is %s is rejected with %d", async (outcome, status, error) => {
  const { url } = await startServer({ files: async () => ({ outcome }) });
  const answer = await fetch(`${url}/files/a?signature=x`);
  expect([answer.status, await answer.json()]).toEqual([status, refusal(error)]);
  expect(answer.headers.get("access-control-allow-origin")).toBe("*");
});

test.each(["", "?expires=1&expires=2&serial=1&serial=2&signature=a&signature=b", "?signature[a]=1"])(
  "a query like %j is not a valid link",
  async (query) => {
    const asked: unknown[] = [];
    const { url } = await startServer({
      files: async (link) => {
        asked.push(link);
        return { outcome: "forged" };
      },
    });
    expect((await fetch(`${url}/files/a${query}`)).status).toBe(403);
    expect(asked).toEqual([{ name: "a", expires: "", serial: "", signature: "" }]);
  },
);

test("a type that a browser would execute is sent as a download", async () => {
  const file = open("<svg/>", { mime: "image/svg+xml", fileName: "лиса 1.svg" });
  const { url } = await startServer({ files: async () => file });
  const answer = await fetch(`${url}/files/a?signature=x`);
  expect(answer.headers.get("content-disposition")).toBe(
    "attachment; filename=\"____ 1.svg\"; filename*=UTF-8''%D0%BB%D0%B8%D1%81%D0%B0%201.svg",
  );
});

test("a file that fails in the middle aborts the response, and the log says so", async () => {
  const breaking = async function* () {
    yield Buffer.from("half");
    throw new Error("bad sector");
  };
  const { url, lines } = await startServer({
    files: async () => open("", { stream: Readable.from(breaking()), size: 100 }),
  });
  const answer = await fetch(`${url}/files/a?signature=x`);
  await expect(answer.text()).rejects.toThrow();
  expect(JSON.stringify(lines)).toContain("bad sector");
});

test("no signature reaches the log", async () => {
  const { url, lines } = await startServer({ files: async () => ({ outcome: "forged" }) });
  await fetch(`${url}/files/a?expires=1&signature=SECRETSIGNATURE`);
  expect(lines).toContainEqual(expect.objectContaining({ path: "/files/a", status: 403 }));
  expect(JSON.stringify(lines)).not.toContain("SECRETSIGNATURE");
});

test.each([
  ["bytes=0-0", 0, 0],
  ["bytes=3-5", 3, 5],
  ["bytes=3-", 3, 9],
  ["bytes=9-", 9, 9],
  ["bytes=-1", 9, 9],
  ["bytes=-11", 0, 9],
  ["bytes=3-99999999999999999999999", 3, 9],
  ["bytes=-99999999999999999999999", 0, 9],
  ["Bytes=3-5", 3, 5],
  ["bytes= 3-5 ", 3, 5],
])("of ten bytes, %j selects %d to %d", (header, start, end) => {
  expect(readByteRange(header, 10)).toEqual({ start, end });
});

test.each(["bytes=10-", "bytes=-0", "bytes=99999999999999999999999-"])(
  "of ten bytes, %j is not satisfiable",
  (header) => {
    expect(readByteRange(header, 10)).toBe("unsatisfiable");
  },
);

test.each([
  undefined,
  "",
  "bytes=",
  "bytes=-",
  "bytes=5-3",
  "bytes=a-b",
  "bytes=1-2,4-5",
  "bytes=1 - 2",
  "bytes=--1",
  "items=0-5",
])("%j selects the whole file", (header) => {
  expect(readByteRange(header, 10)).toBeUndefined();
});

test("a range always lies inside the file", () => {
  const place = fc.option(fc.nat(30), { nil: "" as const });
  fc.assert(
    fc.property(place, place, fc.integer({ min: 1, max: 20 }), (first, last, size) => {
      const range = readByteRange(`bytes=${first}-${last}`, size);
      if (typeof range !== "object") return true;
      return 0 <= range.start && range.start <= range.end && range.end < size;
    }),
  );
});

test.each([
  ['W/"a"', true],
  ['"b", "a"', true],
  ["*", true],
  ["a", false],
])("an If-None-Match of %j matches the tag: %s", (header, isNamed) => {
  expect(matchesEtag(header, '"a"')).toBe(isNamed);
});
