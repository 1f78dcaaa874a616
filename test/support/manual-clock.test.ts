import { mkdtempSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { turnOfEvents } from "./manual-clock.js";

test("a turn of events lasts until a file is written and read whole", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "atelier-turn-")), "big");
  let length = 0;
  void writeFile(file, Buffer.alloc(32 * 1024 * 1024))
    .then(() => readFile(file))
    .then((bytes) => {
      length = bytes.length;
    });
  await turnOfEvents();
  expect(length).toBe(32 * 1024 * 1024);
});
