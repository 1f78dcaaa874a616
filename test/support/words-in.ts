import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";

/** Lists the columns of the database in a data directory, as `table.column`, that have one of `words` in any row. */
export function wordsIn(directory: string, words: readonly string[]): string[] {
  const sqlite = new Sqlite(join(directory, "atelier.db"), { readonly: true });
  const names = (query: string) =>
    sqlite
      .prepare<[], { name: string }>(query)
      .all()
      .map(({ name }) => name);
  const columns = names("SELECT name FROM sqlite_schema WHERE type = 'table'").flatMap((table) =>
    names(`SELECT name FROM pragma_table_info('${table}')`).map((column) => ({ table, column })),
  );
  const found = columns.filter(({ table, column }) =>
    words.some(
      (word) =>
        sqlite
          .prepare<[string]>(`SELECT 1 FROM "${table}" WHERE instr(CAST("${column}" AS TEXT), ?) LIMIT 1`)
          .get(word) !== undefined,
    ),
  );
  sqlite.close();
  return found.map(({ table, column }) => `${table}.${column}`);
}

/** Lists the words that stand in any file below a folder, with the file's name. */
export function wordsInFiles(folder: string, words: readonly string[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.flatMap(({ parentPath, name }) => {
    const bytes = readFileSync(join(parentPath, name));
    return words.filter((word) => bytes.includes(word)).map((word) => `${name}: ${word}`);
  });
}
