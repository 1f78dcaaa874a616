import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { Database } from "../../src/database/database.js";
import { WATCH } from "./watch.js";

/** In memory where the system has such a folder: nothing here outlives a power cut. */
const FOLDER = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

let bytes: Promise<Buffer> | undefined;

/** A new folder with a database that has all tables and is watched: making them takes longer than most worlds. */
export async function newDirectory(): Promise<string> {
  bytes ??= emptyDatabase();
  const content = await bytes;
  const directory = mkdtempSync(join(FOLDER, "atelier-simulation-"));
  writeFileSync(join(directory, "atelier.db"), content);
  return directory;
}

async function emptyDatabase(): Promise<Buffer> {
  const directory = mkdtempSync(join(FOLDER, "atelier-simulation-"));
  const file = join(directory, "empty.db");
  await Database.open({ file, role: "service" }).close();
  const beside = new BetterSqlite3(file);
  beside.exec(WATCH);
  beside.pragma("wal_checkpoint(TRUNCATE)");
  beside.close();
  const content = readFileSync(file);
  rmSync(directory, { recursive: true });
  return content;
}
