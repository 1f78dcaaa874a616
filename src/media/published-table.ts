import type { Database } from "../database/database.js";
import { prepare } from "../database/prepared.js";
import { qb } from "../database/schema.js";
import type { Integer } from "../platform/integer.js";

interface PublishedRow {
  name: string;
  mime: string;
  size: number;
  /** Milliseconds since the epoch. */
  created_at: Integer;
}

declare module "../database/schema.js" {
  interface Schema {
    published_reference: PublishedRow;
  }
}

const insert = prepare<PublishedRow>((p) =>
  qb
    .insertInto("published_reference")
    .values({ name: p.name, mime: p.mime, size: p.size, created_at: p.created_at }),
);
const selectOne = prepare<{ name: string }, PublishedRow>((p) =>
  qb.selectFrom("published_reference").selectAll().where("name", "=", p.name),
);
const selectOlder = prepare<{ before: Integer }, { name: string }>((p) =>
  qb.selectFrom("published_reference").select("name").where("created_at", "<", p.before),
);
const sumSizes = prepare<object, { bytes: number | null }>(() =>
  qb.selectFrom("published_reference").select((eb) => eb.fn.sum<number | null>("size").as("bytes")),
);
const deleteOne = prepare<{ name: string }>((p) =>
  qb.deleteFrom("published_reference").where("name", "=", p.name),
);

export class PublishedTable {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  insert(row: PublishedRow): Promise<void> {
    return this.#database.write("references:add", (tx) => void tx.run(insert, row));
  }

  find(name: string): PublishedRow | undefined {
    return this.#database.first(selectOne, { name });
  }

  olderThan(before: Integer): readonly string[] {
    return this.#database.all(selectOlder, { before }).map(({ name }) => name);
  }

  bytes(): number {
    return this.#database.first(sumSizes, {})?.bytes ?? 0;
  }

  remove(name: string): Promise<void> {
    return this.#database.write("references:remove", (tx) => void tx.run(deleteOne, { name }));
  }
}
