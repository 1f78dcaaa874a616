import { chmodSync, statSync, writeFileSync } from "node:fs";
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

const modeOf = (file: string) => statSync(file).mode & 0o777;

test.each([
  [0o644, 0o600],
  [0o755, 0o700],
  [0o660, 0o600],
  [0o400, 0o400],
])("a file of mode %i keeps its owner's permissions only", (before, after) => {
  const file = fileOfMode(before);
  expect(makePrivate([file])).toEqual([]);
  expect(modeOf(file)).toBe(after);
});

test("a missing file counts as private", () => {
  expect(makePrivate(["/no/such/file"])).toEqual([]);
});

test.runIf(isRoot)("a file of another user is reported, unless others cannot read it", () => {
  const [open, closed] = [fileOfMode(0o644), fileOfMode(0o600)];
  process.seteuid?.(NOBODY);
  expect(makePrivate([open, closed])).toEqual([open]);
});
