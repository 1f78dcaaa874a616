import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Database } from "../../src/database/database.js";
import { lockDataDir } from "../../src/database/service-lock.js";
import { newFolder } from "../support/new-folder.js";

const NOBODY = 65_534;

/** A folder that everybody may write, with one file in it that only its owner could write, and may not. */
function folderWith(name: string, make: (file: string) => void): string {
  const directory = newFolder();
  chmodSync(directory, 0o777);
  const file = join(directory, name);
  make(file);
  chmodSync(file, 0o444);
  return directory;
}

/** Root may write everything, so it works as somebody else. */
function asNobody(work: () => void): void {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

test("a service does not start on a read-only database", async () => {
  const databases: Database[] = [];
  const directory = folderWith("a.db", (file) => databases.push(Database.open({ file, role: "tool" })));
  await databases[0]?.close();
  const open = () => Database.open({ file: join(directory, "a.db"), role: "service" });
  asNobody(() => expect(open).toThrow("readonly database"));
});

test("a directory with a read-only lock file does not count as locked", () => {
  const directory = folderWith("service.lock", (file) => writeFileSync(file, ""));
  asNobody(() => expect(() => lockDataDir(directory)).toThrow("readonly database"));
});
