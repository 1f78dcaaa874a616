import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Database } from "../../src/database/database.js";
import { withTables } from "./empty-database.js";

/** A database with all tables, closed with the test. */
export function openDatabase(): Database {
  const file = withTables(join(mkdtempSync(join(tmpdir(), "atelier-database-")), "a.db"));
  const database = Database.open({ file, role: "service" });
  onTestFinished(() => database.close());
  return database;
}
