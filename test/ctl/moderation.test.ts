import { expect, test } from "vitest";
import { operator } from "./harness.js";

const FILES = ["data/moderation/sexual.txt"];

test("moderation test tells which rule refuses a text", async () => {
  const { ctl } = operator({ moderationFiles: FILES });
  const { code, out } = await ctl("moderation test p0rn --json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ refused: true, file: FILES[0], line: 3, rule: "porn*" });
  expect((await ctl("moderation test fox --json")).out).toBe('{"refused":false}\n');
});

test("moderation test says what is missing, in one line", async () => {
  const { ctl } = operator();
  expect((await ctl("moderation test fox")).err).toBe(
    "ctl: MODERATION_FILE is not set: name a file with --file\n",
  );
  const { err } = await ctl("moderation test fox --file /no/such.txt");
  expect(err).toMatch(/^ctl: \/no\/such\.txt: cannot be read \(.*\)\n$/);
});
