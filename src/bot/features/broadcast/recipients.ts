import type { Database } from "../../../database/database.js";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Clock } from "../../../platform/clock.js";
import { DAY_MS } from "../../../platform/units.js";
import type { AccountAdmin } from "../../../ports/admin.js";
import { type BroadcastAudience, hasBalance } from "./audience.js";

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

interface RecipientsParts {
  database: Database;
  admin: Pick<AccountAdmin, "balanceOf">;
  clock: Clock;
}

export interface Range {
  /** Only people with a greater id. */
  afterId: number;
  /** Milliseconds since the epoch. */
  startedAt: number;
}

/** Finds the people of an audience, by their ids. */
export class Recipients {
  readonly #parts: RecipientsParts;

  constructor(parts: RecipientsParts) {
    this.#parts = parts;
  }

  async next(audience: BroadcastAudience, range: Range): Promise<number | undefined> {
    for await (const userId of this.#all(audience, range, NEXT_ROWS)) return userId;
    return undefined;
  }

  /** Counts page by page, so that the event loop goes on meanwhile. */
  async count(audience: BroadcastAudience): Promise<number> {
    let count = 0;
    const range = { afterId: 0, startedAt: this.#parts.clock.now() };
    for await (const _userId of this.#all(audience, range, PAGE_ROWS)) count += 1;
    return count;
  }

  async *#all(
    audience: BroadcastAudience,
    { afterId, startedAt }: Range,
    limit: number,
  ): AsyncGenerator<number> {
    const { database, admin } = this.#parts;
    const { days, locale, kind, balance } = audience;
    const seenSince = days === null ? 0 : startedAt - days * DAY_MS;
    const terms = { metUntil: startedAt, seenSince, locale: locale ?? "", limit };
    for (let last = afterId; ; ) {
      const wanted = { ...terms, afterId: last, wantsNews: kind === "news" ? 1 : 0 };
      const rows = database.all(selectPage, wanted);
      for (const { telegram_id: id, isWanted } of rows)
        if (isWanted && (balance === "any" || hasBalance(audience, (await admin.balanceOf(id)) ?? 0)))
          yield id;
      if (rows.length < limit) return;
      last = rows.at(-1)?.telegram_id ?? last;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
