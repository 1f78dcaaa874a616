import type Sqlite from "better-sqlite3";
import {
  type Compilable,
  DummyDriver,
  Kysely,
  type SelectType,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Integer } from "../platform/integer.js";
import { openHandle } from "./handle.js";

/** Distance from numbers that were given after a backup, where nobody knows how many. */
const UNKNOWN_GAP = 100_000;

interface Sequence {
  name: string;
  seq: number;
}

/** Reads the last numbers that SQLite gave to rows, by table; undefined where the file cannot be read. */
export function readSequences(file: string): ReadonlyMap<string, number> | undefined {
  try {
    using db = openHandle(file, { readonly: true, fileMustExist: true });
    return new Map(sequencesOf(db).map(({ name, seq }) => [name, seq]));
  } catch {
    return undefined;
  }
}

/**
 * Makes a restored database go on after the numbers that were given since: buttons, links and clients know those, and
 * would find other rows under them. SQLite's own counters are described nowhere, so that this is typed as text.
 */
export function continueSequences(file: string, given: ReadonlyMap<string, number> | undefined): void {
  using db = openHandle(file);
  const forget = db.prepare<[string]>("DELETE FROM sqlite_sequence WHERE name = ?");
  const set = db.prepare<[string, number]>("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)");
  db.transaction(() => {
    for (const { name, seq } of sequencesOf(db)) {
      forget.run(name);
      set.run(name, Math.max(seq, given?.get(name) ?? seq + UNKNOWN_GAP));
    }
  })();
}

/** Lists every table that never gives a number again. SQLite has no counter for one that no row was ever written to. */
function sequencesOf(db: Sqlite.Database): Sequence[] {
  return db
    .prepare<[], Sequence>(
      `SELECT name, coalesce(seq, 0) AS seq FROM sqlite_schema LEFT JOIN sqlite_sequence USING (name)
       WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'`,
    )
    .all();
}

/**
 * Writes parameters as `+?`, which has the same value: SQLite compiles a statement anew for each value of a plain `?`
 * that its plan may depend on, such as the one of `WHERE a = ? ORDER BY b`.
 */
class StatementCompiler extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return "+?";
  }
}

class Placeholder {
  constructor(readonly name: string) {}
}

export interface Prepared<P extends object, R> {
  compiled(): CompiledStatement;
  /** Types alone: the field is never set. */
  readonly types?: { params: P; row: R };
}

/** The row of a prepared query: `RowOf<typeof query>`. */
export type RowOf<Query extends { types?: { row: unknown } }> = NonNullable<Query["types"]>["row"];

export interface CompiledStatement {
  sql: string;
  bind(params: object): unknown[];
}

/** Names the columns of a time (in ms since the epoch) or of a sum. */
type WholeColumn =
  | "at"
  | "since"
  | "kopecks"
  | "amount"
  | "cost"
  | `${string}_${"at" | "since" | "until" | "kopecks" | "after"}`;

/** Brands the times and sums of a table: a plain number, which may be a fraction, does not compile there. */
type WholeTable<Table> = {
  [Column in keyof Table]: Column extends WholeColumn
    ? number extends SelectType<Table[Column]>
      ? never
      : Table[Column]
    : Table[Column];
};

/** Builds queries for `prepare` only: it has no connection. */
export function queryBuilder<DB extends { [Name in keyof DB]: WholeTable<DB[Name]> }>(): Kysely<DB> {
  return new Kysely<DB>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new StatementCompiler(),
    },
  });
}

/**
 * Declares a statement, compiled on first use. The fields of `params` stand for the bound parameters:
 * `prepare<{ id: number }, Row>((p) => qb.selectFrom("t").selectAll().where("id", "=", p.id))`.
 */
export function prepare<P extends object, R = unknown>(build: (params: P) => Compilable<R>): Prepared<P, R> {
  let statement: CompiledStatement | undefined;
  return {
    compiled: () => {
      statement ??= compile(build);
      return statement;
    },
  };
}

function compile<P extends object, R>(build: (params: P) => Compilable<R>): CompiledStatement {
  const names = new Proxy({} as P, { get: (_target, name) => new Placeholder(String(name)) });
  const { sql, parameters } = build(names).compile();
  const bind = (params: object): unknown[] => {
    const bound: unknown[] = [];
    for (const value of parameters)
      bound.push(value instanceof Placeholder ? Reflect.get(params, value.name) : value);
    return bound;
  };
  return { sql, bind };
}

/**
 * Every table of the database. The module that owns a table describes its columns once, in the file that owns it, and adds
 * it here with `declare module`; only its folder writes the table. `test/database/schema.test.ts` compares the
 * descriptions with the schema. Those below are the database's own.
 */
export interface Schema {
  trusted_clock: TrustedClockRow;
  write_probe: WriteProbeRow;
}

/** Record of a clock that removes by age. Times in ms since the epoch. */
export interface TrustedClockRow {
  name: string;
  trusted_at: Integer;
  seen_at: Integer;
  doubted_since: Integer | null;
}

/** The one row that is written to see whether the disk takes it. */
interface WriteProbeRow {
  id: number;
  at: Integer;
}

/** Builds every statement of the service. A table whose time or sum is a plain number does not compile here. */
export const qb = queryBuilder<Schema>();
