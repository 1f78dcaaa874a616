import type { Generated, Selectable } from "kysely";
import type { Accounts } from "../../../accounts/accounts.js";
import type { Database, Transaction } from "../../../database/database.js";
import { moreThan, table } from "../../../database/table.js";
import type { Clock } from "../../../platform/clock.js";
import { type Integer, integer } from "../../../platform/integer.js";
import { DAY_MS } from "../../../platform/units.js";
import type { Access } from "../../middleware.js";
import { pagesOfPeople, wantsNoNews } from "../../people/people.js";

/** What each field of an audience may be. Languages are those of the bot, or null for all. */
const VALUES = {
  /** `important` reaches people who want no news too. */
  kind: ["news", "important"],
  /** People who wrote in the last days; null for everybody. */
  days: [null, 7, 30, 90],
  balance: ["any", "positive", "empty"],
} as const;

/** Whom a message is for. */
export type BroadcastAudience = {
  readonly [Field in keyof typeof VALUES]: (typeof VALUES)[Field][number];
} & {
  readonly locale: string | null;
};

export const EVERYBODY: BroadcastAudience = { kind: "news", days: null, locale: null, balance: "any" };

export const AUDIENCE_FIELDS = ["kind", "days", "locale", "balance"] as const;
export type AudienceField = (typeof AUDIENCE_FIELDS)[number];

/** Returns the audience with the next value of a field: the values of a field follow each other in a ring. */
export function withNext(
  audience: BroadcastAudience,
  field: AudienceField,
  locales: readonly string[],
): BroadcastAudience {
  const values: readonly unknown[] = field === "locale" ? [null, ...locales] : VALUES[field];
  const place = values.indexOf(audience[field]) + 1;
  return { ...audience, [field]: values[place % values.length] };
}

/** `composing`: not confirmed yet; `stopped`: by an admin, or as its message is gone; may go on. */
type BroadcastState = "composing" | "running" | "stopped" | "done" | "cancelled";
/** `claimed`: it may have been sent, and is never sent again. */
type RecipientState = "claimed" | "sent" | "blocked" | "failed";

interface BroadcastTable {
  id: Generated<number>;
  admin_id: number;
  /** The message that is copied, in the chat with the admin. */
  message_id: number;
  /** The message that shows its progress. */
  screen_id: number | null;
  /** JSON of `BroadcastAudience`. */
  audience: string;
  state: BroadcastState;
  /** Changes with each change of the audience, so that an old button does nothing. */
  revision: number;
  /** How many people it was for when it began. */
  total: number;
  sent: number;
  blocked: number;
  failed: number;
  /** The last person who was claimed. */
  last_user_id: number;
  /** Milliseconds since the epoch before which nothing is sent: Telegram asked for a pause. */
  waits_until: Integer;
  created_at: Integer;
  /** People who came later are not among its recipients. */
  started_at: Integer | null;
  ended_at: Integer | null;
}
type BroadcastRow = Selectable<BroadcastTable>;

interface RecipientRow {
  broadcast_id: number;
  user_id: number;
  state: RecipientState;
}

declare module "../../../database/prepared.js" {
  interface Schema {
    broadcast: BroadcastTable;
    broadcast_recipient: RecipientRow;
  }
}

const broadcasts = table("broadcast", ["state"]);
export const recipients = table("broadcast_recipient");

/** A broadcast as it begins. */
const NEW = {
  audience: JSON.stringify(EVERYBODY),
  state: "composing",
  revision: 1,
  total: 0,
  sent: 0,
  blocked: 0,
  failed: 0,
  last_user_id: 0,
  waits_until: integer(0),
} as const;
/** People who are read at once: the event loop waits for them. */
const PAGE_ROWS = 200;
/** The same where the first of them is wanted. */
const NEXT_ROWS = 20;

interface Range {
  /** Only people with a greater id. */
  afterId: number;
  /** Milliseconds since the epoch. People who came later are left out. */
  startedAt: number;
}

export interface Broadcast extends Omit<BroadcastRow, "audience"> {
  audience: BroadcastAudience;
}

/** Writes what belongs to a move, in its transaction. */
type WithMove = (tx: Transaction, at: Integer) => void;

/** Stores broadcasts, and finds whom they are for. A person is claimed before anything is sent, and once. */
export class Broadcasts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly admin: Pick<Accounts, "balanceOf">,
    private readonly access: Pick<Access, "isFor">,
  ) {}

  /** Begins to compose. A message that is handled again after a crash has one broadcast. */
  async compose(adminId: number, messageId: number): Promise<Broadcast> {
    const message = { admin_id: adminId, message_id: messageId };
    const row = await this.database.write("broadcast", (tx) => {
      broadcasts.insertOnce(tx, { ...NEW, ...message, created_at: this.clock.now() });
      return broadcasts.get(tx, message);
    });
    if (!row) throw new Error("a broadcast was not written");
    return broadcastOf(row);
  }

  find(id: number): Broadcast | undefined {
    const row = broadcasts.get(this.database, { id });
    return row && broadcastOf(row);
  }

  /** Finds what an admin composed last within a day and has not sent. */
  composing(admin_id: number): Broadcast | undefined {
    const since = this.clock.now() - DAY_MS;
    const mine = { admin_id, state: "composing", created_at: moreThan(since) } as const;
    const [row] = broadcasts.all(this.database, mine, { orderBy: ["id desc"], limit: 1 });
    return row && broadcastOf(row);
  }

  /** Finds the oldest running one: they are sent one after another. */
  running(): Broadcast | undefined {
    const [row] = broadcasts.all(this.database, { state: "running" }, { orderBy: ["id"], limit: 1 });
    return row && broadcastOf(row);
  }

  async setScreen(id: number, screenId: number): Promise<void> {
    await this.database.write("broadcast", (tx) => broadcasts.update(tx, { id }, { screen_id: screenId }));
  }

  /** False when the revision is no longer the given one, or it was confirmed. */
  setAudience({ id, revision }: Broadcast, audience: BroadcastAudience): Promise<boolean> {
    const change = { audience: JSON.stringify(audience), revision: revision + 1 };
    return this.#compareAndSet({ id, revision, state: "composing" }, change);
  }

  /** False where a double tap has started it before. */
  start({ id, revision }: Broadcast, total: number, onStart: WithMove): Promise<boolean> {
    const begun = { state: "running", total, started_at: this.clock.now() } as const;
    return this.#compareAndSet({ id, revision, state: "composing" }, begun, onStart);
  }

  move(id: number, from: BroadcastState, to: BroadcastState, onMove?: WithMove): Promise<boolean> {
    const change = to === "done" ? { state: to, ended_at: this.clock.now() } : { state: to };
    return this.#compareAndSet({ id, state: from }, change, onMove);
  }

  #compareAndSet(
    from: Partial<BroadcastRow>,
    change: Partial<BroadcastRow>,
    onMove?: WithMove,
  ): Promise<boolean> {
    return this.database.write("broadcast", (tx) => {
      const isMoved = broadcasts.update(tx, from, change) === 1;
      if (isMoved) onMove?.(tx, this.clock.now());
      return isMoved;
    });
  }

  /** Commits that a person gets the message, before it is sent. False when the person was claimed before. */
  claim(id: number, userId: number): Promise<boolean> {
    return this.database.write("broadcast-claim", (tx) => {
      broadcasts.update(tx, { id }, { last_user_id: userId });
      return recipients.insertOnce(tx, { broadcast_id: id, user_id: userId, state: "claimed" });
    });
  }

  async settle(id: number, userId: number, outcome: Exclude<RecipientState, "claimed">): Promise<void> {
    await this.database.write("broadcast-sent", (tx) => {
      const claim = { broadcast_id: id, user_id: userId, state: "claimed" } as const;
      const counted = broadcasts.get(tx, { id });
      if (recipients.update(tx, claim, { state: outcome }) === 1 && counted)
        broadcasts.update(tx, { id }, { [outcome]: counted[outcome] + 1 });
    });
  }

  /** Gives a person back whom Telegram surely sent nothing: the broadcast has stopped, or waits as Telegram asks. */
  async giveBack(
    id: number,
    userId: number,
    change: Partial<Pick<BroadcastRow, "state" | "waits_until">>,
  ): Promise<void> {
    await this.database.write("broadcast-wait", (tx) => {
      recipients.delete(tx, { broadcast_id: id, user_id: userId, state: "claimed" });
      broadcasts.update(tx, { id }, { last_user_id: userId - 1, ...change });
    });
  }

  /** Returns the next person of an audience, by their ids. */
  async nextOf(audience: BroadcastAudience, range: Range): Promise<number | undefined> {
    for await (const userId of this.#recipients(audience, range, NEXT_ROWS)) return userId;
    return undefined;
  }

  /** Counts an audience page by page, so that the event loop goes on meanwhile. */
  async count(audience: BroadcastAudience): Promise<number> {
    let count = 0;
    const range = { afterId: 0, startedAt: this.clock.now() };
    for await (const _userId of this.#recipients(audience, range, PAGE_ROWS)) count += 1;
    return count;
  }

  async *#recipients(audience: BroadcastAudience, range: Range, limit: number): AsyncGenerator<number> {
    const { days, locale, kind, balance } = audience;
    const { afterId, startedAt } = range;
    const seenSince = days === null ? 0 : startedAt - days * DAY_MS;
    for await (const page of pagesOfPeople(this.database, limit, afterId))
      for (const person of page) {
        const id = person.telegram_id;
        const isMet = person.first_seen_at <= startedAt && person.last_seen_at >= seenSince;
        if (!this.access.isFor(id)) continue;
        if (!isMet || (locale !== null && person.locale !== locale)) continue;
        if (kind === "news" && wantsNoNews(this.database, id)) continue;
        if (balance !== "any") {
          const kopecks = (await this.admin.balanceOf(id)) ?? 0;
          if (kopecks > 0 !== (balance === "positive")) continue;
        }
        yield id;
      }
  }
}

function broadcastOf(row: BroadcastRow): Broadcast {
  return { ...row, audience: JSON.parse(row.audience) as BroadcastAudience };
}
