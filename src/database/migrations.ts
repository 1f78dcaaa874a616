import type Sqlite from "better-sqlite3";

/** One step of the schema. Steps are numbered by their place in the list and never edited once released. */
export interface Migration {
  name: string;
  /** SQL statements. */
  sql: string;
}

/** The database was written by a newer program than this one. */
export class DatabaseTooNew extends Error {
  override readonly name = "DatabaseTooNew";
  constructor(found: number, known: number) {
    super(`the database has schema ${found}, this program knows ${known}: start the newer program`);
  }
}

/** The database waits for the service to bring its schema up to date. */
export class DatabaseOutdated extends Error {
  override readonly name = "DatabaseOutdated";
  constructor(found: number, known: number) {
    super(`the database has schema ${found}, this program needs ${known}: start the service once`);
  }
}

/**
 * Brings the schema up to date, all steps in one transaction, and writes their number to `user_version`.
 * @param mayChange false refuses to touch a database that is behind
 */
export function migrate(db: Sqlite.Database, migrations: readonly Migration[], mayChange: boolean): void {
  const known = migrations.length;
  const apply = db.transaction(() => {
    const found = Number(db.pragma("user_version", { simple: true }));
    if (found > known) throw new DatabaseTooNew(found, known);
    if (found === known) return;
    if (!mayChange) throw new DatabaseOutdated(found, known);
    for (const { sql } of migrations.slice(found)) db.exec(sql);
    db.pragma(`user_version = ${known}`);
  });
  apply.immediate();
}

/**
 * The steps of all owners of tables in one order.
 * @param names every step once; a step that is missing here, or has no owner, is a mistake of the program
 */
export function inOrder(names: readonly string[], steps: readonly Migration[]): readonly Migration[] {
  const byName = new Map(steps.map((step) => [step.name, step]));
  if (byName.size !== steps.length || names.length !== steps.length)
    throw new Error("the list of migrations does not name every step once");
  return names.map((name) => {
    const step = byName.get(name);
    if (!step) throw new Error(`no migration is called "${name}"`);
    return step;
  });
}
