import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makePrivate } from "../../src/platform/private-files.js";
import { newFolder } from "../support/new-folder.js";

const NOBODY = 65_534;

const isRoot = process.geteuid?.() === 0;
afterEach(() => {
  if (isRoot) process.seteuid?.(0);
});

function fileOfMode(mode: number): string {
  const directory = newFolder();
  chmodSync(directory, 0o755);
  const file = join(directory, "file");
  writeFileSync(file, "");
  chmodSync(file, mode);
  return file;
}

test.runIf(isRoot)("a file of another user is reported, unless others cannot read it", () => {
  const [open, closed] = [fileOfMode(0o644), fileOfMode(0o600)];
  process.seteuid?.(NOBODY);
  expect(makePrivate([open, closed])).toEqual([open]);
});
