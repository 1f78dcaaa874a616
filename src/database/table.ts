import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from "kysely";
import type { Reads, Transaction } from "./database.js";
import { type Prepared, prepare, qb, type Schema } from "./prepared.js";

type Row<Name extends keyof Schema> = Selectable<Schema[Name]>;
/** A condition on a column's values, in place of one value. */
class Bound {
  constructor(
    readonly sign: "<" | "<=" | ">" | ">=" | "<>" | "is not",
    readonly value: number | string | null,
  ) {}
}

export function lessThan(value: number | string): Bound {
  return new Bound("<", value);
}

export function atMost(value: number | string): Bound {
  return new Bound("<=", value);
}

export function moreThan(value: number | string): Bound {
  return new Bound(">", value);
}

export function atLeast(value: number | string): Bound {
  return new Bound(">=", value);
}

/** Any other value. Of null: any value at all. */
export function not(value: number | string | null): Bound {
  return new Bound(value === null ? "is not" : "<>", value);
}

/** Columns that must equal these values, or meet a condition; null stands for IS NULL. None at all means every row. */
type Where<Name extends keyof Schema> = Readonly<{ [C in keyof Row<Name>]?: Row<Name>[C] | Bound }>;
type Column<Name extends keyof Schema> = keyof Row<Name> & string;

interface Listing<Name extends keyof Schema> {
  orderBy?: readonly (Column<Name> | `${Column<Name>} desc`)[];
  limit?: number;
}

type Values = Record<string, unknown>;
type Statement = Prepared<Values, unknown>;
type Condition = [column: string, sign: "is" | "=" | Bound["sign"], value: unknown];

/** Column names are checked by the types of `Table` alone. */
const anyTable = qb as unknown as Kysely<Record<string, Values>>;

/**
 * The statements of one table that compare its own columns with values. Each is compiled once for the columns that it names, and for
 * each value of those that are written as literals: SQLite uses a partial index only where a query states its condition.
 */
class Table<Name extends keyof Schema> {
  readonly #name: string;
  readonly #statements = new Map<string, Statement>();

  constructor(
    name: Name,
    private readonly literals: readonly string[],
  ) {
    this.#name = name;
  }

  /** Returns the rowid. */
  insert(tx: Transaction, row: Readonly<Insertable<Schema[Name]>>): number {
    return tx.insert(this.#inserting(row), { ...row });
  }

  /** Returns false, and changes nothing, where a unique key of the row is taken. */
  insertOnce(tx: Transaction, row: Readonly<Insertable<Schema[Name]>>): boolean {
    return tx.run(this.#inserting(row, []), { ...row }) === 1;
  }

  /** Inserts a row, or writes it over the one that has the same key. */
  save(tx: Transaction, key: readonly Column<Name>[], row: Readonly<Insertable<Schema[Name]>>): void {
    tx.run(this.#inserting(row, key), { ...row });
  }

  get(source: Reads, where: Where<Name>): Row<Name> | undefined {
    return source.first(this.#selecting(where, {}), valuesOf(where)) as Row<Name> | undefined;
  }

  all(source: Reads, where: Where<Name>, listing: Listing<Name> = {}): Row<Name>[] {
    return source.all(this.#selecting(where, listing), valuesOf(where)) as Row<Name>[];
  }

  /** Returns how many rows there are. */
  count(source: Reads, where: Where<Name>): number {
    const statement = this.#statement(`count where ${this.#shapeOf(where)}`, () =>
      prepare<Values>((p) => {
        const all = anyTable.selectFrom(this.#name).select((eb) => eb.fn.countAll().as("rows"));
        return this.#only(all, where, p);
      }),
    );
    return (source.first(statement, valuesOf(where)) as { rows: number }).rows;
  }

  /** Returns the number of rows. */
  update(tx: Transaction, where: Where<Name>, change: Readonly<Updateable<Schema[Name]>>): number {
    const columns = Object.keys(change);
    const statement = this.#statement(`update ${columns} where ${this.#shapeOf(where)}`, () =>
      prepare<Values>((p) => {
        const set = Object.fromEntries(columns.map((column) => [column, p[`to ${column}`]]));
        return this.#only(anyTable.updateTable(this.#name).set(set), where, p);
      }),
    );
    const changes = Object.fromEntries(
      Object.entries(change).map(([column, value]) => [`to ${column}`, value]),
    );
    return tx.run(statement, { ...valuesOf(where), ...changes });
  }

  /** Returns the number of rows. */
  delete(tx: Transaction, where: Where<Name>): number {
    const statement = this.#statement(`delete where ${this.#shapeOf(where)}`, () =>
      prepare<Values>((p) => this.#only(anyTable.deleteFrom(this.#name), where, p)),
    );
    return tx.run(statement, valuesOf(where));
  }

  /** @param key where a row has it already, that one is written over; where it is empty, every row stays as it is */
  #inserting(row: object, key?: readonly string[]): Statement {
    const columns = Object.keys(row);
    return this.#statement(`insert ${columns} by ${key}`, () =>
      prepare<Values>((p) => {
        const query = anyTable
          .insertInto(this.#name)
          .values(Object.fromEntries(columns.map((column) => [column, p[column]])));
        if (!key) return query;
        const changed = columns.filter((column) => !key.includes(column));
        return query.onConflict((conflict) =>
          key.length === 0
            ? conflict.doNothing()
            : conflict
                .columns(key)
                .doUpdateSet((eb) =>
                  Object.fromEntries(changed.map((column) => [column, eb.ref(`excluded.${column}`)])),
                ),
        );
      }),
    );
  }

  #selecting(where: object, { orderBy = [], limit }: Listing<Name>): Statement {
    return this.#statement(`select ${this.#shapeOf(where)} by ${orderBy} limit ${limit}`, () =>
      prepare<Values>((p) => {
        const matching = this.#only(anyTable.selectFrom(this.#name).selectAll(), where, p);
        const ordered = orderBy.reduce((query, order) => {
          const [column = "", direction] = order.split(" ");
          return query.orderBy(column, direction === "desc" ? "desc" : "asc");
        }, matching);
        return limit === undefined ? ordered : ordered.limit(sql.lit(limit));
      }),
    );
  }

  /** Runs for each statement: cheaper than with a string a column. */
  #shapeOf(where: object): string {
    let shape = "";
    for (const [column, value] of Object.entries(where)) {
      shape += `${column} `;
      const { sign, value: compared } = value instanceof Bound ? value : { sign: "=", value };
      if (compared === null) shape += `${sign} null,`;
      else shape += this.literals.includes(column) ? `${sign} ${compared},` : `${sign},`;
    }
    return shape;
  }

  /** Adds the conditions to a query. */
  #only<Query extends { where(...condition: Condition): Query }>(
    all: Query,
    where: object,
    p: Values,
  ): Query {
    return Object.keys(where).reduce((query, column) => query.where(...this.#matches(column, where, p)), all);
  }

  #matches(column: string, where: object, p: Values): Condition {
    const given: unknown = Reflect.get(where, column);
    const { sign, value } = given instanceof Bound ? given : { sign: "=" as const, value: given };
    if (value === null) return [column, sign === "=" ? "is" : sign, null];
    return [column, sign, this.literals.includes(column) ? sql.lit(value) : p[column]];
  }

  #statement(shape: string, make: () => Statement): Statement {
    return this.#statements.getOrInsertComputed(shape, make);
  }
}

function valuesOf(where: object): Values {
  const values: Values = {};
  for (const [column, value] of Object.entries(where))
    values[column] = value instanceof Bound ? value.value : value;
  return values;
}

/**
 * The table of that name, for the module that owns it.
 * @param literals columns of few values, which the conditions of partial indexes name
 */
export function table<Name extends keyof Schema>(
  name: Name,
  literals: readonly Column<Name>[] = [],
): Table<Name> {
  return new Table(name, literals);
}
