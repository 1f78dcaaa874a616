import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Database } from "../../src/database/database.js";
import { withTables } from "./empty-database.js";
import { newFolder } from "./new-folder.js";

/** A database with all tables, closed with the test. */
export function openDatabase(): Database {
  const file = withTables(join(newFolder(), "a.db"));
  const database = Database.open({ file, role: "service" });
  onTestFinished(() => database.close());
  return database;
}
