import { setImmediate } from "node:timers/promises";
import type { Api, InlineKeyboard } from "grammy";
import type { User } from "grammy/types";
import type { Database, Transaction } from "../../database/database.js";
import { moreThan, not, table } from "../../database/table.js";
import type { DataSection } from "../../gather/personal-data-service.js";
import type { Clock, Period } from "../../platform/clock.js";
import type { Integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { HOUR_MS } from "../../platform/units.js";
import { isoTime } from "../../platform/zoned-time.js";
import { cleanText } from "../texts/html.js";

/** `returning`: who was known before a period, and was seen since it began. */
export interface PeopleCount {
  fresh: number;
  returning: number;
}

/** What a part of the bot stores about a person. */
export interface OwnData {
  /** Tells it. Absent for what is no news to the person, such as who was sent a message. */
  sections?(userId: number): Iterable<DataSection>;
  /** Erases it, in a transaction with the other parts. */
  eraseIn(tx: Transaction, userId: number): void;
}

/** A person who wants no news. */
interface NewsOptOutRow {
  user_id: number;
}

const optOuts = table("news_opt_out");

/** Tells whether a person wants no news. It outlives an erasure: somebody who comes back is not written to unasked. */
export function wantsNoNews(database: Database, user_id: number): boolean {
  return optOuts.get(database, { user_id }) !== undefined;
}

export async function setNoNews(database: Database, user_id: number, isOut: boolean): Promise<void> {
  await database.write("news", (tx) => {
    if (isOut) optOuts.insertOnce(tx, { user_id });
    else optOuts.delete(tx, { user_id });
  });
}

/** A person who has written to the bot. */
interface PersonRow {
  telegram_id: number;
  name: string;
  username: string | null;
  locale: string;
  first_seen_at: Integer;
  /** Exact to an hour. */
  last_seen_at: Integer;
}

declare module "../../database/prepared.js" {
  interface Schema {
    news_opt_out: NewsOptOutRow;
    person: PersonRow;
  }
}

export interface Person {
  id: number;
  name: string;
  username: string | null;
  /** The language that the person chose, or that Telegram reported at first contact. */
  locale: string;
}

const persons = table("person");

/** How exact `last_seen_at` is, so that few updates write it. */
const SEEN_EVERY_MS = HOUR_MS;

/** Called in the transaction that stores somebody new. */
export type OnNewPerson = (tx: Transaction, person: Person, at: Integer) => void;

export class People implements OwnData {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly onNew?: OnNewPerson,
  ) {}

  /** Returns the sender of an update, and whether it is the first. Writes then, and when a name has changed. */
  async meet(
    user: User,
    localeOf: (code: string | undefined) => string,
  ): Promise<{ person: Person; isFirst: boolean }> {
    const row = persons.get(this.database, { telegram_id: user.id });
    const known = row && personOf(row);
    const username = user.username ?? null;
    // Stored names are clean, so an equal name needs no cleaning.
    const isNamed = known && (known.name === fullName(user) || known.name === nameOf(user));
    if (isNamed && known.username === username) {
      this.#noteSeen(row);
      return { person: known, isFirst: false };
    }
    const locale = known?.locale ?? localeOf(user.language_code);
    const person = await this.#write({ id: user.id, name: nameOf(user), username, locale });
    return { person, isFirst: known === undefined };
  }

  setLocale(person: Person, locale: string): Promise<Person> {
    return this.#write({ ...person, locale });
  }

  find(id: number): Person | undefined {
    const row = persons.get(this.database, { telegram_id: id });
    return row && personOf(row);
  }

  /** Tells when a person wrote first, and last to within an hour, in ms since the epoch. */
  seen(id: number): { firstAt: number; lastAt: number } | undefined {
    const row = persons.get(this.database, { telegram_id: id });
    return row && { firstAt: row.first_seen_at, lastAt: row.last_seen_at };
  }

  /** Finds a person by a username with or without @, in any case. */
  findByUsername(username: string): Person | undefined {
    const name = { username: username.replace(/^@/, "") };
    const [row] = persons.all(this.database, name, { orderBy: ["first_seen_at desc"], limit: 1 });
    return row && personOf(row);
  }

  eraseIn(tx: Transaction, id: number): void {
    persons.delete(tx, { telegram_id: id });
  }

  /** Tells what is stored about a person, with times as ISO. */
  sections(id: number): DataSection[] {
    const row = persons.get(this.database, { telegram_id: id });
    if (!row) return [];
    const { telegram_id, name, username, locale } = row;
    const seen = { first_seen_at: isoTime(row.first_seen_at), last_seen_at: isoTime(row.last_seen_at) };
    return [{ name: "person", rows: [{ telegram_id, name, username, locale, ...seen }] }];
  }

  #noteSeen({ telegram_id, last_seen_at }: PersonRow): void {
    const now = this.clock.now();
    if (Math.abs(now - last_seen_at) < SEEN_EVERY_MS) return;
    const write = (tx: Transaction) => persons.update(tx, { telegram_id }, { last_seen_at: now });
    // A time that cannot be written must not keep anybody from an answer.
    this.database.writeLazily("person-seen", write).catch(() => {});
  }

  async #write(person: Person): Promise<Person> {
    await this.database.write("person", (tx) => {
      const { id, name, username, locale } = person;
      const now = this.clock.now();
      const isNew = persons.get(tx, { telegram_id: id }) === undefined;
      if (isNew) this.onNew?.(tx, person, now);
      // A username belongs to one person at a time.
      if (username !== null) persons.update(tx, { username, telegram_id: not(id) }, { username: null });
      const seen = { name, username, locale, last_seen_at: now };
      if (isNew) persons.insert(tx, { telegram_id: id, ...seen, first_seen_at: now });
      else persons.update(tx, { telegram_id: id }, seen);
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

/** Reads people by their ids, page by page, so that the event loop goes on meanwhile. */
export async function* pagesOfPeople(
  database: Database,
  limit: number,
  afterId = Number.MIN_SAFE_INTEGER,
): AsyncGenerator<readonly PersonRow[]> {
  for (let after = afterId; ; await setImmediate()) {
    const page = persons.all(database, { telegram_id: moreThan(after) }, { orderBy: ["telegram_id"], limit });
    yield page;
    const last = page.at(-1);
    if (!last || page.length < limit) return;
    after = last.telegram_id;
  }
}

/** People read per turn of the event loop (about 1 ms). */
const CHUNK_PEOPLE = 1000;

/** Counts who wrote for the first time in a period, and who came back in it or after it. */
export async function countPeople(database: Database, { from, until }: Period): Promise<PeopleCount> {
  const count = { fresh: 0, returning: 0 };
  for await (const page of pagesOfPeople(database, CHUNK_PEOPLE))
    for (const { first_seen_at: first, last_seen_at: last } of page) {
      if (first >= from && first < until) count.fresh += 1;
      if (first < from && last >= from) count.returning += 1;
    }
  return count;
}

/** How notices are sent: `api` is undefined where there is no bot. */
export interface NoticeLine {
  api: Api | undefined;
  logger: Logger;
}

/** Sends HTML to a person. Resolves to false, and logs, where Telegram does not take it. */
export async function sendNotice(
  person: Pick<Person, "id">,
  html: string,
  { api, logger }: NoticeLine,
  keyboard?: InlineKeyboard,
): Promise<boolean> {
  if (!api) return false;
  try {
    await api.sendMessage(person.id, html, {
      parse_mode: "HTML",
      ...(keyboard && { reply_markup: keyboard }),
    });
    return true;
  } catch (error) {
    logger.info({ user_id: person.id, err: error }, "notice to the person not sent");
    return false;
  }
}
