import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { migrate } from "../../src/database/migrate.js";
import { MIGRATIONS } from "../../src/database/schema.js";
import { makeDirectory } from "../../src/platform/private-files.js";
import { newFolder } from "./new-folder.js";

let bytes: Buffer | undefined;

/**
 * Makes the file of a database that has all tables, unless there is a file. Making the tables takes longer than most
 * tests, so that it is done once a process.
 * @returns the path of the file
 */
export function withTables(file: string): string {
  if (existsSync(file)) return file;
  bytes ??= emptyDatabase();
  makeDirectory(dirname(file));
  writeFileSync(file, bytes);
  return file;
}

/** The file of a database that has all tables, and what `beside` makes. */
export function emptyDatabase(beside = ""): Buffer {
  const directory = newFolder();
  const file = join(directory, "empty.db");
  const database = new Sqlite(file);
  database.pragma("journal_mode = WAL");
  migrate(database, MIGRATIONS, true);
  database.exec(beside);
  database.close();
  const content = readFileSync(file);
  rmSync(directory, { recursive: true });
  return content;
}
