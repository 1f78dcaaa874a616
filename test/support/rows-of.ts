import type { Database } from "../../src/database/database.js";
import type { Prepared } from "../../src/database/prepared.js";

function asked<R>(sql: string): Prepared<object, R> {
  const compiled = { sql, bind: () => [] };
  return { compiled: () => compiled };
}

const tables = asked<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");

/** Reads every row of a database, by table. */
export function rowsOf(database: Database): Record<string, unknown[]> {
  const names = database.all(tables, {}).map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, database.all(asked(`SELECT * FROM "${name}"`), {})]));
}
