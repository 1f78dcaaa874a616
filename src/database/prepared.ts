import {
  type Compilable,
  DummyDriver,
  Kysely,
  type SelectType,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";

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

export interface CompiledStatement {
  sql: string;
  bind(params: object): unknown[];
}

/** Names the columns of a time (in ms since the epoch) or of a sum. */
export type WholeColumn =
  | "at"
  | "since"
  | "kopecks"
  | "amount"
  | "cost"
  | `${string}_${"at" | "since" | "until" | "kopecks" | "after"}`;

/** Brands the times and sums of a table: a plain number, which may be a fraction, does not compile there. */
export type WholeTable<Table> = {
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
  const readers = parameters.map((value) => {
    if (!(value instanceof Placeholder)) return () => value;
    const { name } = value;
    return (params: object) => Reflect.get(params, name) as unknown;
  });
  return { sql, bind: (params) => readers.map((read) => read(params)) };
}
