import type Sqlite from "better-sqlite3";

/** A statement that inserts one row, its columns named by the object. */
export function inserter<R extends object>(db: Sqlite.Database, table: string): (row: R) => void {
  let statement: Sqlite.Statement<[R]> | undefined;
  return (row) => {
    const columns = Object.keys(row);
    const values = columns.map((column) => `@${column}`);
    statement ??= db.prepare<[R]>(
      `INSERT INTO "${table}" (${columns.join(", ")}) VALUES (${values.join(", ")})`,
    );
    statement.run(row);
  };
}
