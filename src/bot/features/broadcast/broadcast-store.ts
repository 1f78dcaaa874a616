import { type Generated, type Selectable, sql } from "kysely";
import { z } from "zod";
import type { Accounts } from "../../../accounts/accounts.js";
import type { Database, Transaction } from "../../../database/database.js";
import { prepare, qb } from "../../../database/prepared.js";
import { table } from "../../../database/table.js";
import type { Clock } from "../../../platform/clock.js";
import { type Integer, integer } from "../../../platform/integer.js";
import { DAY_MS } from "../../../platform/units.js";

const DAYS = [null, 7, 30, 90] as const;
const BALANCES = ["any", "positive", "empty"] as const;
const KINDS = ["news", "important"] as const;

/** Whom a message is for. `important` reaches people who want no news too. */
export const audienceSchema = z.object({
  kind: z.enum(KINDS),
  /** People who wrote in the last days; null for everybody. */
  days: z.union([z.null(), z.literal(7), z.literal(30), z.literal(90)]),
  /** A language code; null for all. */
  locale: z.string().nullable(),
  balance: z.enum(BALANCES),
});
export type BroadcastAudience = Readonly<z.infer<typeof audienceSchema>>;

export const EVERYBODY: BroadcastAudience = { kind: "news", days: null, locale: null, balance: "any" };

export const AUDIENCE_FIELDS = ["kind", "days", "locale", "balance"] as const;
export type AudienceField = (typeof AUDIENCE_FIELDS)[number];

/** Returns the audience with the next value of a field: the values of a field follow each other in a ring. */
export function withNext(
  audience: BroadcastAudience,
  field: AudienceField,
  locales: readonly string[],
): BroadcastAudience {
  switch (field) {
    case "kind":
      return { ...audience, kind: nextOf(KINDS, audience.kind) };
    case "days":
      return { ...audience, days: nextOf(DAYS, audience.days) };
    case "locale":
      return { ...audience, locale: nextOf([null, ...locales], audience.locale) };
    case "balance":
      return { ...audience, balance: nextOf(BALANCES, audience.balance) };
  }
}

/** Tells whether a person with this balance, in kopecks, is among the audience. */
export function hasBalance({ balance }: BroadcastAudience, kopecks: number): boolean {
  return balance === "any" || (balance === "positive") === kopecks > 0;
}

function nextOf<T>(values: readonly [T, ...T[]], value: T): T {
  return values[(values.indexOf(value) + 1) % values.length] ?? values[0];
}

/** `composing`: not confirmed yet; `stopped`: by an admin, and may go on. */
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

const broadcasts = table("broadcast");
const recipients = table("broadcast_recipient");

type NewBroadcast = Pick<BroadcastRow, "admin_id" | "message_id" | "audience" | "created_at">;
const insertBroadcast = prepare<NewBroadcast, BroadcastRow>((p) =>
  qb
    .insertInto("broadcast")
    .values({
      admin_id: p.admin_id,
      message_id: p.message_id,
      screen_id: sql.lit(null),
      audience: p.audience,
      state: sql.lit("composing" as const),
      revision: sql<number>`1`,
      total: sql<number>`0`,
      sent: sql<number>`0`,
      blocked: sql<number>`0`,
      failed: sql<number>`0`,
      last_user_id: sql<number>`0`,
      waits_until: sql<Integer>`0`,
      created_at: p.created_at,
      started_at: sql.lit(null),
      ended_at: sql.lit(null),
    })
    .onConflict((conflict) => conflict.columns(["admin_id", "message_id"]).doNothing())
    .returningAll(),
);
/** Finds the oldest running one: they are sent one after another. The state is a literal for the partial index. */
const runningBroadcast = prepare<object, BroadcastRow>(() =>
  qb
    .selectFrom("broadcast")
    .selectAll()
    .where("state", "=", sql.lit("running" as const))
    .orderBy("id")
    .limit(sql.lit(1)),
);
const setAudience = prepare<Pick<BroadcastRow, "id" | "revision" | "audience">>((p) =>
  qb
    .updateTable("broadcast")
    .set((eb) => ({ audience: p.audience, revision: eb("revision", "+", 1) }))
    .where("id", "=", p.id)
    .where("revision", "=", p.revision)
    .where("state", "=", sql.lit("composing" as const)),
);
const countOutcome = {
  sent: countOne("sent"),
  blocked: countOne("blocked"),
  failed: countOne("failed"),
};

function countOne(column: "sent" | "blocked" | "failed") {
  return prepare<{ id: number }>((p) =>
    qb
      .updateTable("broadcast")
      .set((eb) => ({ [column]: eb(column, "+", 1) }))
      .where("id", "=", p.id),
  );
}

/** People who are read at once: the event loop waits for them. */
const PAGE_ROWS = 200;
/** The same where the first of them is wanted. */
const NEXT_ROWS = 20;

interface Wanted {
  afterId: number;
  /** People who came later are left out, and those who were last seen before `seenSince`. */
  metUntil: number;
  seenSince: number;
  locale: string;
  wantsNews: number;
  limit: number;
}

/** Reads as many people, wanted or not: an audience that few belong to takes no longer at once. */
const selectPage = prepare<Wanted, { telegram_id: number; isWanted: number }>((p) =>
  qb
    .selectFrom("person")
    .select((eb) => [
      "telegram_id",
      eb
        .and([
          eb("first_seen_at", "<=", p.metUntil as never),
          eb("last_seen_at", ">=", p.seenSince as never),
          eb.or([eb(eb.val(""), "=", p.locale), eb("locale", "=", p.locale)]),
          eb.or([
            eb(eb.val(0), "=", p.wantsNews),
            eb("telegram_id", "not in", eb.selectFrom("news_opt_out").select("user_id")),
          ]),
        ])
        .$castTo<number>()
        .as("isWanted"),
    ])
    .where("telegram_id", ">", p.afterId)
    .orderBy("telegram_id")
    .limit(p.limit),
);

interface Range {
  /** Only people with a greater id. */
  afterId: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/** Forgets to whom messages were sent. */
export function eraseRecipient(tx: Transaction, userId: number): void {
  recipients.delete(tx, { user_id: userId });
}

export interface Broadcast extends Omit<BroadcastRow, "audience"> {
  audience: BroadcastAudience;
}

export type SendOutcomeKind = Exclude<RecipientState, "claimed">;

/** Writes what belongs to a move, in its transaction. */
type WithMove = (tx: Transaction, at: Integer) => void;

/** Stores broadcasts, and finds whom they are for. A person is claimed before anything is sent, and once. */
export class Broadcasts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly admin: Pick<Accounts, "balanceOf">,
  ) {}

  /** Begins to compose. A message that is handled again after a crash has one broadcast. */
  async compose(adminId: number, messageId: number): Promise<Broadcast> {
    const message = { admin_id: adminId, message_id: messageId };
    const row = await this.database.write("broadcast", (tx) => {
      const audience = JSON.stringify(EVERYBODY);
      const made = tx.first(insertBroadcast, { ...message, audience, created_at: this.clock.now() });
      return made ?? broadcasts.get(tx, message);
    });
    if (!row) throw new Error("the insert of a broadcast returned no row");
    return broadcastOf(row);
  }

  find(id: number): Broadcast | undefined {
    const row = broadcasts.get(this.database, { id });
    return row && broadcastOf(row);
  }

  /** Calls `wake` after each change of a broadcast. Returns what ends that. */
  onChange(wake: () => void): () => void {
    return this.database.watch(["broadcast"], wake);
  }

  running(): Broadcast | undefined {
    const row = this.database.first(runningBroadcast, {});
    return row && broadcastOf(row);
  }

  async setScreen(id: number, screenId: number): Promise<void> {
    await this.database.write("broadcast", (tx) => broadcasts.update(tx, { id }, { screen_id: screenId }));
  }

  /** Compares and sets: false when the revision is no longer the given one, or it was confirmed. */
  setAudience({ id, revision }: Broadcast, audience: BroadcastAudience): Promise<boolean> {
    const change = { id, revision, audience: JSON.stringify(audience) };
    return this.database.write("broadcast", (tx) => tx.run(setAudience, change) === 1);
  }

  /** Compares and sets, so that a double tap starts one. */
  start({ id, revision }: Broadcast, total: number, onStart: WithMove): Promise<boolean> {
    const at = this.clock.now();
    return this.database.write("broadcast", (tx) => {
      const change = { state: "running", total, started_at: at } as const;
      const isStarted = broadcasts.update(tx, { id, revision, state: "composing" }, change) === 1;
      if (isStarted) onStart(tx, at);
      return isStarted;
    });
  }

  /** Compares and sets. */
  move(id: number, from: BroadcastState, to: BroadcastState, onMove: WithMove = () => {}): Promise<boolean> {
    const at = this.clock.now();
    return this.database.write("broadcast", (tx) => {
      const isMoved = broadcasts.update(tx, { id, state: from }, { state: to }) === 1;
      if (isMoved) onMove(tx, at);
      return isMoved;
    });
  }

  async end(id: number): Promise<void> {
    await this.database.write("broadcast", (tx) =>
      broadcasts.update(tx, { id, state: "running" }, { state: "done", ended_at: this.clock.now() }),
    );
  }

  /** Commits that a person gets the message, before it is sent. False when the person was claimed before. */
  claim(id: number, userId: number): Promise<boolean> {
    return this.database.write("broadcast-claim", (tx) => {
      broadcasts.update(tx, { id }, { last_user_id: userId });
      return recipients.insertOnce(tx, { broadcast_id: id, user_id: userId, state: "claimed" });
    });
  }

  async settle(id: number, userId: number, outcome: SendOutcomeKind): Promise<void> {
    await this.database.write("broadcast-sent", (tx) => {
      const claim = { broadcast_id: id, user_id: userId, state: "claimed" } as const;
      if (recipients.update(tx, claim, { state: outcome }) === 1) tx.run(countOutcome[outcome], { id });
    });
  }

  /** Gives a person back whom Telegram surely sent nothing, and stores the pause that it asks for. */
  async putOff(id: number, userId: number, pauseMs: number): Promise<void> {
    await this.database.write("broadcast-wait", (tx) => {
      recipients.delete(tx, { broadcast_id: id, user_id: userId, state: "claimed" });
      const waits_until = integer(this.clock.now() + pauseMs);
      broadcasts.update(tx, { id }, { last_user_id: userId - 1, waits_until });
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

  async *#recipients(
    audience: BroadcastAudience,
    { afterId, startedAt }: Range,
    limit: number,
  ): AsyncGenerator<number> {
    const { days, locale, kind, balance } = audience;
    const seenSince = days === null ? 0 : startedAt - days * DAY_MS;
    const terms = { metUntil: startedAt, seenSince, locale: locale ?? "", limit };
    for (let last = afterId; ; ) {
      const wanted = { ...terms, afterId: last, wantsNews: kind === "news" ? 1 : 0 };
      const rows = this.database.all(selectPage, wanted);
      for (const { telegram_id: id, isWanted } of rows)
        if (isWanted && (balance === "any" || hasBalance(audience, (await this.admin.balanceOf(id)) ?? 0)))
          yield id;
      if (rows.length < limit) return;
      last = rows.at(-1)?.telegram_id ?? last;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function broadcastOf(row: BroadcastRow): Broadcast {
  return { ...row, audience: audienceSchema.parse(JSON.parse(row.audience)) };
}
