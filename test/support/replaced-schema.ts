import type Sqlite from "better-sqlite3";
import { MIGRATIONS } from "../../src/database/schema.js";

/** Makes a database say that the steps made it which the schema took the place of. @returns the number of the last one */
export function markReplaced(db: Sqlite.Database): number | undefined {
  const { number, checksum } = MIGRATIONS[0]?.replaces ?? {};
  db.exec(`
    CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL) STRICT;
    DELETE FROM migration;
  `);
  db.prepare("INSERT INTO migration VALUES (?, 'last', ?)").run(number, checksum);
  db.pragma(`user_version = ${number}`);
  return number;
}
