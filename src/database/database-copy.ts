import { closeSync, openSync } from "node:fs";
import type Sqlite from "better-sqlite3";
import { syncPath } from "../platform/private-files.js";
import { openHandle } from "./handle.js";

/**
 * Copies a database that others write, as of one moment, to a file that is on the disk when this returns. Its rows are
 * written anew: nothing of what was deleted is in the copy.
 * @returns the number of migrations that it ran
 * @throws where a page of it is damaged
 */
export function copyDatabase(from: string, to: string): number {
  closeSync(openSync(to, "wx", 0o600));
  {
    using source = openHandle(from, { readonly: true, fileMustExist: true, timeout: 5000 });
    assertWhole(source);
    source.prepare("VACUUM INTO ?").run(to);
  }
  {
    using copy = openHandle(to);
    // One file, without a log beside it.
    copy.pragma("journal_mode = DELETE");
  }
  const schema = checkDatabase(to);
  syncPath(to);
  return schema;
}

/** Checks every page and index of a database that nobody else has open. Throws where one is damaged. @returns its schema */
export function checkDatabase(file: string): number {
  using db = openHandle(file, { readonly: true, fileMustExist: true });
  assertWhole(db);
  return Number(db.pragma("user_version", { simple: true }));
}

function assertWhole(db: Sqlite.Database): void {
  const found = String(db.pragma("integrity_check(1)", { simple: true }));
  if (found !== "ok") throw new Error(found.split("\n").at(-1));
}
