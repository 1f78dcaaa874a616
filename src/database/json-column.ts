import { type Kysely, sql } from "kysely";
import type { z } from "zod";
import type { Database } from "./database.js";
import { prepare, qb, type Schema } from "./prepared.js";

const anyTable = qb as unknown as Kysely<Record<string, Record<string, unknown>>>;

/** A JSON column. What the service wrote itself is trusted; what comes with a backup is checked once. */
export class JsonColumn<T> {
  constructor(
    private readonly table: keyof Schema,
    private readonly column: string,
    private readonly schema: z.ZodType<T>,
  ) {}

  read(text: string): T {
    return JSON.parse(text) as T;
  }

  /** Reads the texts of all rows. Throws for the first that is none of this column. */
  check(database: Database): void {
    const texts = prepare<object, { text: string | null }>(() =>
      anyTable.selectFrom(this.table).select(sql<string | null>`${sql.ref(this.column)}`.as("text")),
    );
    for (const { text } of database.each(texts, {}))
      if (text !== null && !this.#isValid(text))
        throw new Error(`a row of ${this.table} has an unreadable ${this.column}`);
  }

  #isValid(text: string): boolean {
    try {
      return this.schema.safeParse(JSON.parse(text)).success;
    } catch {
      return false;
    }
  }
}
