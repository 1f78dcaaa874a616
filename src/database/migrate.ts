import { createHash } from "node:crypto";
import type Sqlite from "better-sqlite3";
import { StartError } from "../platform/errors.js";

/** Numbered by its position in the list. A released migration is never edited. */
export interface Migration {
  name: string;
  sql: string;
  /** Steps that a baseline, the first migration, took the place of, and which made the same schema. */
  replaces?: ReplacedSteps;
}

interface ReplacedSteps {
  /** Number of the last step. */
  number: number;
  /** SHA-256 of the last step's SQL, in hex. */
  checksum: string;
  /** Last commit of the program that had these steps. */
  commit: string;
}

export class DatabaseTooNewError extends StartError {
  override readonly name = "DatabaseTooNewError";
  constructor(found: number, known: number) {
    super(`the database has schema ${found}, this program knows ${known}: start the newer program`);
  }
}

export class DatabaseOutdatedError extends StartError {
  override readonly name = "DatabaseOutdatedError";
  constructor(found: number | string, known: number) {
    super(`the database has schema ${found}, this program needs ${known}: start the service once`);
  }
}

/** Reports a database that stopped before the last of the steps that a baseline took the place of. */
class DatabaseTooOldError extends StartError {
  override readonly name = "DatabaseTooOldError";
  constructor(found: number, commit: string) {
    super(
      `the database has schema ${found} of before the baseline: start commit ${commit} once, which migrates it`,
    );
  }
}

/** Reports a database that ran another version of a migration. */
class DatabaseDiffersError extends StartError {
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

/** Applies the missing steps in one transaction; where `mayChange` is false it throws DatabaseOutdatedError instead. */
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
  adoptReplaced(db, migrations, mayChange);
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

/** Records a database that ran all the steps of before the baseline as one that ran the baseline. */
function adoptReplaced(db: Sqlite.Database, migrations: readonly Migration[], mayChange: boolean): void {
  const [first] = migrations;
  const found = Number(db.pragma("user_version", { simple: true }));
  if (!first?.replaces || found === 0) return;
  const applied = appliedSteps(db);
  if (applied.find(({ number }) => number === 1)?.name === first.name) return;
  const { number, checksum, commit } = first.replaces;
  const last = applied.find((step) => step.number === number);
  if (found !== number || last?.checksum !== checksum) throw new DatabaseTooOldError(found, commit);
  if (!mayChange) throw new DatabaseOutdatedError(`${found} of before the baseline`, migrations.length);
  db.exec("DELETE FROM migration");
  recordSteps(db, [first]);
  db.pragma("user_version = 1");
}

/** Lists the applied steps. Older databases have no record of them. */
function appliedSteps(db: Sqlite.Database): AppliedStep[] {
  const isRecorded = db
    .prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migration'")
    .get();
  return isRecorded ? db.prepare<[], AppliedStep>("SELECT * FROM migration").all() : [];
}

function refuseOtherSteps(db: Sqlite.Database, migrations: readonly Migration[]): void {
  for (const { number, name, checksum } of appliedSteps(db)) {
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
