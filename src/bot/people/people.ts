import type { User } from "grammy/types";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import { HOUR_MS } from "../../platform/units.js";
import type { DataSection } from "../../ports/personal-data.js";
import type { OwnData } from "../own-data.js";
import { cleanText } from "../texts/html.js";
import type { PersonRow } from "./person-table.js";

export interface Person {
  id: number;
  name: string;
  username: string | null;
  /** The language that the person chose, or that Telegram reported at first contact. */
  locale: string;
}

export interface Meeting {
  person: Person;
  isFirst: boolean;
}

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
      last_seen_at: p.last_seen_at,
    })
    .onConflict((conflict) =>
      conflict.column("telegram_id").doUpdateSet((eb) => ({
        name: eb.ref("excluded.name"),
        username: eb.ref("excluded.username"),
        locale: eb.ref("excluded.locale"),
        last_seen_at: eb.ref("excluded.last_seen_at"),
      })),
    ),
);
const remove = prepare<{ id: number }>((p) => qb.deleteFrom("person").where("telegram_id", "=", p.id));
const setSeen = prepare<Pick<PersonRow, "telegram_id" | "last_seen_at">>((p) =>
  qb.updateTable("person").set({ last_seen_at: p.last_seen_at }).where("telegram_id", "=", p.telegram_id),
);
/** Removes a username from others: it belongs to one person at a time. */
const forgetUsername = prepare<{ username: string; id: number }>((p) =>
  qb
    .updateTable("person")
    .set({ username: null })
    .where("username", "=", p.username)
    .where("telegram_id", "!=", p.id),
);

/** How exact `last_seen_at` is, so that few updates write it. */
const SEEN_EVERY_MS = HOUR_MS;

/** Called in the transaction that stores somebody new. */
export type OnNewPerson = (tx: Transaction, person: Person, at: Integer) => void;

export class People implements OwnData {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #onNew: OnNewPerson | undefined;

  constructor(database: Database, clock: Clock, onNew?: OnNewPerson) {
    this.#database = database;
    this.#clock = clock;
    this.#onNew = onNew;
  }

  /** Returns the sender of an update, and whether it is the first. Writes then, and when a name has changed. */
  async meet(user: User, localeOf: (code: string | undefined) => string): Promise<Meeting> {
    const row = this.#database.first(byId, { id: user.id });
    const known = row && personOf(row);
    const username = user.username ?? null;
    // Stored names are clean, so an equal name needs no cleaning.
    if (
      known &&
      known.username === username &&
      (known.name === fullName(user) || known.name === nameOf(user))
    ) {
      this.#noteSeen(row);
      return { person: known, isFirst: false };
    }
    const person = await this.#write({
      id: user.id,
      name: nameOf(user),
      username,
      locale: known?.locale ?? localeOf(user.language_code),
    });
    return { person, isFirst: known === undefined };
  }

  setLocale(person: Person, locale: string): Promise<Person> {
    return this.#write({ ...person, locale });
  }

  find(id: number): Person | undefined {
    const row = this.#database.first(byId, { id });
    return row && personOf(row);
  }

  /** Tells when a person wrote first, and last to within an hour, in ms since the epoch. */
  seen(id: number): { firstAt: number; lastAt: number } | undefined {
    const row = this.#database.first(byId, { id });
    return row && { firstAt: row.first_seen_at, lastAt: row.last_seen_at };
  }

  /** Finds a person by a username with or without @, in any case. */
  findByUsername(username: string): Person | undefined {
    const row = this.#database.first(byUsername, { username: username.replace(/^@/, "") });
    return row && personOf(row);
  }

  eraseIn(tx: Transaction, id: number): void {
    tx.run(remove, { id });
  }

  /** Tells what is stored about a person, with times as ISO. */
  sections(id: number): DataSection[] {
    const row = this.#database.first(byId, { id });
    return row ? [{ name: "person", rows: [lineOf(row)] }] : [];
  }

  #noteSeen({ telegram_id, last_seen_at }: PersonRow): void {
    const now = this.#clock.now();
    if (Math.abs(now - last_seen_at) < SEEN_EVERY_MS) return;
    const seen = { telegram_id, last_seen_at: now };
    // A time that cannot be written must not keep anybody from an answer.
    this.#database.writeLazily("person-seen", (tx) => tx.run(setSeen, seen)).catch(() => {});
  }

  async #write(person: Person): Promise<Person> {
    await this.#database.write("person", (tx) => {
      const { id, name, username, locale } = person;
      const now = this.#clock.now();
      if (this.#onNew && !tx.first(byId, { id })) this.#onNew(tx, person, now);
      if (username !== null) tx.run(forgetUsername, { username, id });
      tx.run(save, { telegram_id: id, name, username, locale, first_seen_at: now, last_seen_at: now });
    });
    return person;
  }
}

function fullName({ first_name, last_name }: User): string {
  return last_name ? `${first_name} ${last_name}` : first_name;
}

/** Returns the name as a single line that cannot affect the surrounding text; never empty. */
function nameOf(user: User): string {
  const name = cleanText(fullName(user)).replace(/\s+/g, " ");
  return name || user.username || String(user.id);
}

function personOf(row: PersonRow): Person {
  return { id: row.telegram_id, name: row.name, username: row.username, locale: row.locale };
}

function lineOf({ telegram_id, name, username, locale, first_seen_at, last_seen_at }: PersonRow) {
  const [first, last] = [first_seen_at, last_seen_at].map((at) => new Date(at).toISOString());
  return { telegram_id, name, username, locale, first_seen_at: first, last_seen_at: last };
}
