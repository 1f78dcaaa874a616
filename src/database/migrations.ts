import type Sqlite from "better-sqlite3";
import { StartError } from "../platform/start-error.js";

/** A schema step. Its number is its place in the list. Released steps are never edited. */
export interface Migration {
  name: string;
  sql: string;
}

export class DatabaseTooNew extends StartError {
  override readonly name = "DatabaseTooNew";
  constructor(found: number, known: number) {
    super(`the database has schema ${found}, this program knows ${known}: start the newer program`);
  }
}

/** The service must migrate the database first. */
export class DatabaseOutdated extends StartError {
  override readonly name = "DatabaseOutdated";
  constructor(found: number, known: number) {
    super(`the database has schema ${found}, this program needs ${known}: start the service once`);
  }
}

/**
 * Applies the missing steps in one transaction, and sets `user_version` to their number.
 * @param mayChange false throws DatabaseOutdated instead of migrating
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

/** Sorts `steps` by `names`, which must list every step once. */
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
