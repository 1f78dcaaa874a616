import Sqlite from "better-sqlite3";

/** The bytes of a database that hold something: pages that are free for reuse are not counted. */
export function databaseBytes(file: string): number {
  const database = new Sqlite(file, { readonly: true });
  try {
    const number = (name: string) => Number(database.pragma(name, { simple: true }));
    return (number("page_count") - number("freelist_count")) * number("page_size");
  } finally {
    database.close();
  }
}
