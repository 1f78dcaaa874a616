import Sqlite from "better-sqlite3";

/** Distance from numbers that were given after a backup, where nobody knows how many. */
const UNKNOWN_GAP = 100_000;

interface Sequence {
  name: string;
  seq: number;
}

/** Reads the last numbers that SQLite gave to rows, by table; undefined where the file cannot be read. */
export function readSequences(file: string): ReadonlyMap<string, number> | undefined {
  try {
    const db = new Sqlite(file, { readonly: true, fileMustExist: true });
    try {
      return new Map(sequencesOf(db).map(({ name, seq }) => [name, seq]));
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}

/**
 * Makes a restored database go on after the numbers that were given since: buttons, links and clients know those, and
 * would find other rows under them. SQLite's own counters are described nowhere, so that this is typed as text.
 */
export function continueSequences(file: string, given: ReadonlyMap<string, number> | undefined): void {
  const db = new Sqlite(file);
  try {
    const raise = db.prepare<[number, string]>("UPDATE sqlite_sequence SET seq = ? WHERE name = ?");
    db.transaction(() => {
      for (const { name, seq } of sequencesOf(db))
        raise.run(given ? Math.max(seq, given.get(name) ?? 0) : seq + UNKNOWN_GAP, name);
    })();
  } finally {
    db.close();
  }
}

function sequencesOf(db: Sqlite.Database): Sequence[] {
  return db.prepare<[], Sequence>("SELECT name, seq FROM sqlite_sequence").all();
}
