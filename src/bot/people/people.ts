import type { User } from "grammy/types";
import type { Database } from "../../database/database.js";
import type { Migration } from "../../database/migrations.js";
import { prepare, queryBuilder } from "../../database/prepared.js";
import type { Clock } from "../../platform/clock.js";
import { Recent } from "../../platform/recent.js";
import { cleanText } from "../html.js";

/**
 * How many people are kept in memory, as of the last commit that was reported to have succeeded: nothing but
 * `People` writes their rows while the bot runs. After a commit that was reported as failed and reached the disk
 * all the same, the person is known as they were before, until they are written again or the bot is restarted.
 */
const REMEMBERED = 20_000;

/** A person whom the bot has met. */
export interface Person {
  id: number;
  name: string;
  username: string | null;
  /** The language that the person chose or that Telegram told at first. */
  locale: string;
}

interface PersonRow {
  telegram_id: number;
  name: string;
  username: string | null;
  locale: string;
  first_seen_at: number;
}

export const PEOPLE_MIGRATION: Migration = {
  name: "people",
  sql: `
    CREATE TABLE person (
      telegram_id INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      username TEXT COLLATE NOCASE,
      locale TEXT NOT NULL,
      first_seen_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX person_by_username ON person (username) WHERE username IS NOT NULL;
  `,
};

const qb = queryBuilder<{ person: PersonRow }>();
const byId = prepare<{ id: number }, PersonRow>((p) =>
  qb.selectFrom("person").selectAll().where("telegram_id", "=", p.id),
);
const byUsername = prepare<{ username: string }, PersonRow>((p) =>
  qb.selectFrom("person").selectAll().where("username", "=", p.username).orderBy("first_seen_at", "desc"),
);
const save = prepare<PersonRow>((p) =>
  qb
    .insertInto("person")
    .values({
      telegram_id: p.telegram_id,
      name: p.name,
      username: p.username,
      locale: p.locale,
      first_seen_at: p.first_seen_at,
    })
    .onConflict((conflict) =>
      conflict.column("telegram_id").doUpdateSet((eb) => ({
        name: eb.ref("excluded.name"),
        username: eb.ref("excluded.username"),
        locale: eb.ref("excluded.locale"),
      })),
    ),
);
/** Telegram gives a name to one person at a time: whoever had it before has lost it. */
const forgetUsername = prepare<{ username: string; id: number }>((p) =>
  qb
    .updateTable("person")
    .set({ username: null })
    .where("username", "=", p.username)
    .where("telegram_id", "!=", p.id),
);

/** Everybody who ever wrote to the bot. */
export class People {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #known = new Recent<number, Person>(REMEMBERED);

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
    database.onFailedCommit(() => this.#known.clear());
  }

  /**
   * The person behind an update, remembered on first contact and whenever the name has changed; at once for
   * somebody who was met before.
   */
  meet(user: User, localeOf: (code: string | undefined) => string): Person | Promise<Person> {
    const known = this.find(user.id);
    const username = user.username ?? null;
    // A name that is kept is clean: only another one has to be cleaned to be compared.
    if (
      known &&
      known.username === username &&
      (known.name === fullName(user) || known.name === nameOf(user))
    )
      return known;
    return this.#write({
      id: user.id,
      name: nameOf(user),
      username,
      locale: known?.locale ?? localeOf(user.language_code),
    });
  }

  setLocale(person: Person, locale: string): Promise<Person> {
    return this.#write({ ...person, locale });
  }

  find(id: number): Person | undefined {
    const known = this.#known.get(id);
    if (known) return known;
    const row = this.#database.first(byId, { id });
    if (!row) return undefined;
    const person = personOf(row);
    this.#known.set(id, person);
    return person;
  }

  /** @param username with or without @, in any case */
  findByUsername(username: string): Person | undefined {
    const row = this.#database.first(byUsername, { username: username.replace(/^@/, "") });
    return row && personOf(row);
  }

  async #write(person: Person): Promise<Person> {
    await this.#database.write("person", (tx) => {
      const { id, name, username, locale } = person;
      if (username !== null) tx.run(forgetUsername, { username, id });
      tx.run(save, { telegram_id: id, name, username, locale, first_seen_at: this.#clock.now() });
    });
    if (person.username !== null) this.#forgetNameOfOthers(person);
    this.#known.set(person.id, person);
    return person;
  }

  #forgetNameOfOthers({ id, username }: Person): void {
    for (const other of this.#known.values()) {
      if (other.id !== id && other.username?.toLowerCase() === username?.toLowerCase())
        this.#known.delete(other.id);
    }
  }
}

/** The name as Telegram tells it. */
function fullName({ first_name, last_name }: User): string {
  return last_name ? `${first_name} ${last_name}` : first_name;
}

/** A name on one line that leaves the words around it as they are; never empty. */
function nameOf(user: User): string {
  const name = cleanText(fullName(user)).replace(/\s+/g, " ");
  return name || user.username || String(user.id);
}

function personOf(row: PersonRow): Person {
  return { id: row.telegram_id, name: row.name, username: row.username, locale: row.locale };
}
