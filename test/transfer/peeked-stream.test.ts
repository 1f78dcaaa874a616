import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { PeekedStream } from "../../src/transfer/file-facts.js";
import { eventually } from "../support/eventually.js";

test("what was peeked at comes again, before the rest", async () => {
  const peeked = new PeekedStream(Readable.from([Buffer.from("a"), Buffer.from("b"), Buffer.from("c")]));
  for (const letter of ["a", "b"]) expect(String((await peeked.next()).value)).toBe(letter);
  expect(await text(peeked.whole())).toBe("abc");
});

test("bytes that come after their peek was given up are not lost", async () => {
  const source = new PassThrough();
  const peeked = new PeekedStream(source);
  const late = peeked.next();
  const whole = text(peeked.whole());
  source.write("a");
  source.end("b");
  expect(await whole).toBe("ab");
  expect(String((await late).value)).toBe("a");
});

test("a stream that failed while it was peeked at never passes for a shorter one", async () => {
  const peeked = new PeekedStream(
    Readable.from(
      (function* () {
        yield Buffer.from("a");
        throw new Error("reset");
      })(),
    ),
  );
  await peeked.next();
  await expect(peeked.next()).rejects.toThrow("reset");
  await expect(peeked.next()).rejects.toThrow("reset");
  await expect(text(peeked.whole())).rejects.toThrow("reset");
});

test("the source is closed with the whole, also where nothing of that was read", async () => {
  const source = new PassThrough();
  new PeekedStream(source).whole().destroy();
  await eventually("the source is closed", () => source.destroyed);
});
