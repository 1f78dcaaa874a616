import Sqlite from "better-sqlite3";

/** Opens a database that is closed with its scope: `using db = openHandle(file)`. */
export function openHandle(file: string, options: Sqlite.Options = {}): Sqlite.Database & Disposable {
  const db = new Sqlite(file, options);
  return Object.assign(db, { [Symbol.dispose]: () => void db.close() });
}
