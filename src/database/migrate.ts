import { createHash } from "node:crypto";
import type Sqlite from "better-sqlite3";
import { StartError } from "../platform/start-error.js";

/** A schema step. Its number is its place in the list. Released steps are never edited. */
export interface Migration {
  name: string;
  sql: string;
}

export class DatabaseTooNewError extends StartError {
  override readonly name = "DatabaseTooNewError";
  constructor(found: number, known: number) {
    super(`the database has schema ${found}, this program knows ${known}: start the newer program`);
  }
}

/** The service must migrate the database first. */
export class DatabaseOutdatedError extends StartError {
  override readonly name = "DatabaseOutdatedError";
  constructor(found: number, known: number) {
    super(`the database has schema ${found}, this program needs ${known}: start the service once`);
  }
}

/** The database ran a step that this program has in another form. */
export class DatabaseDiffersError extends StartError {
  override readonly name = "DatabaseDiffersError";
  constructor(number: number, found: string, known: string) {
    const step = found === known ? `another "${known}"` : `"${found}", not "${known}"`;
    super(`step ${number} of the database's schema was ${step}: start the program that wrote it`);
  }
}

interface AppliedStep {
  number: number;
  name: string;
  checksum: string;
}

/**
 * Applies the missing steps in one transaction, and sets `user_version` to their number.
 * Foreign keys are enforced afterwards.
 * @param mayChange false throws DatabaseOutdatedError instead of migrating
 */
export function migrate(db: Sqlite.Database, migrations: readonly Migration[], mayChange: boolean): void {
  // A step may rebuild a table that others refer to. SQLite ignores the pragma inside a transaction.
  db.pragma("foreign_keys = OFF");
  try {
    db.transaction(() => applyMissing(db, migrations, mayChange)).immediate();
  } finally {
    db.pragma("foreign_keys = ON");
  }
}

function applyMissing(db: Sqlite.Database, migrations: readonly Migration[], mayChange: boolean): void {
  const known = migrations.length;
  const found = Number(db.pragma("user_version", { simple: true }));
  if (found > known) throw new DatabaseTooNewError(found, known);
  refuseOtherSteps(db, migrations);
  if (found === known) return;
  if (!mayChange) throw new DatabaseOutdatedError(found, known);
  for (const { sql } of migrations.slice(found)) db.exec(sql);
  assertReferences(db);
  recordSteps(db, migrations);
  db.pragma(`user_version = ${known}`);
}

/** Databases from before steps were recorded have no record of them. */
function refuseOtherSteps(db: Sqlite.Database, migrations: readonly Migration[]): void {
  const isRecorded = db
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'")
    .get();
  if (!isRecorded) return;
  for (const { number, name, checksum } of db.prepare<[], AppliedStep>("SELECT * FROM migration").all()) {
    const step = migrations[number - 1];
    if (step && checksumOf(step) !== checksum) throw new DatabaseDiffersError(number, name, step.name);
  }
}

function recordSteps(db: Sqlite.Database, migrations: readonly Migration[]): void {
  db.exec(
    `CREATE TABLE IF NOT EXISTS migration
      (number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL) STRICT`,
  );
  const insert = db.prepare("INSERT INTO migration VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  for (const [place, step] of migrations.entries()) insert.run(place + 1, step.name, checksumOf(step));
}

function assertReferences(db: Sqlite.Database): void {
  const [broken] = db.pragma("foreign_key_check") as { table: string }[];
  if (broken) throw new Error(`the migration would break a reference of the table ${broken.table}`);
}

function checksumOf({ sql }: Migration): string {
  return createHash("sha256").update(sql).digest("hex");
}
