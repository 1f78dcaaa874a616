import { createHash } from "node:crypto";
import type { Generated } from "kysely";
import { recordAct } from "../accounts/audit-log.js";
import type { Database } from "../database/database.js";
import { atMost, table } from "../database/table.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import { reasonOf } from "../platform/errors.js";
import type { Integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { Recurring, repeat } from "../platform/retry.js";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../platform/units.js";
import type { NoticeQueue } from "../ports/operator-notices.js";
import { mappingsOf } from "./choose-provider.js";
import { lossAt, lossText } from "./costs.js";
import type { Offers } from "./offers.js";
import { oldRates } from "./warnings.js";

/** What the operator can have read anew: `OFFERS_FILE`, or `MODERATION_FILE`. */
export type Reloadable = "offers" | "moderation";

/** A wish to read files of the operator anew, and its outcome. Times in ms since the epoch. */
interface OffersReloadTable {
  id: Generated<number>;
  what: Generated<Reloadable>;
  asked_at: Integer;
  answered_at: Integer | null;
  /** Why nothing was changed; null for a good file. */
  problem: string | null;
}

declare module "../database/prepared.js" {
  interface Schema {
    offers_reload: OffersReloadTable;
  }
}

const reloads = table("offers_reload");

/** Carries the wish to read files anew from the command line to the service, and the outcome back. */
export class ReloadRequests {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly what: Reloadable = "offers",
  ) {}

  /** Asks the service. @returns the number of the request */
  ask(): Promise<number> {
    return this.database.write("reload:ask", (tx) => {
      const asked_at = this.clock.now();
      const id = reloads.insert(tx, { what: this.what, asked_at, answered_at: null, problem: null });
      reloads.delete(tx, { id: atMost(id - KEPT) });
      return id;
    });
  }

  /** Returns the outcome; undefined before the service has answered. */
  outcomeOf(id: number): { problem: string | null } | undefined {
    const row = reloads.get(this.database, { id });
    return row && row.answered_at !== null ? { problem: row.problem } : undefined;
  }

  get isAsked(): boolean {
    return reloads.get(this.database, { what: this.what, answered_at: null }) !== undefined;
  }

  /** Answers all open requests. A good reload is recorded as an act of the operator. */
  async answer(problem: string | null): Promise<void> {
    await this.database.write("reload:answer", (tx) => {
      const at = this.clock.now();
      const open = { what: this.what, answered_at: null };
      const isAnswered = reloads.update(tx, open, { answered_at: at, problem }) > 0;
      if (isAnswered && problem === null)
        recordAct(tx, { actor: "ctl", act: "reload", accountId: null, subject: this.what, at });
    });
  }
}

/** Number of the latest requests that are kept. */
const KEPT = 10;

/**
 * Answers requests of the command line to read files of the operator anew.
 * @param reload reads the files anew. Returns why nothing was changed; null for good files
 */
export function reloadWatch(
  what: Reloadable,
  reload: () => string | null,
  database: Database,
  clock: Clock,
  logger: Logger,
): Recurring {
  const requests = new ReloadRequests(database, clock, what);
  return new Recurring({
    clock,
    everyMs: MINUTE_MS,
    wokenBy: (wake) => database.watch(["offers_reload"], wake),
    async work() {
      if (requests.isAsked) await requests.answer(reload());
    },
    onFailure: (error) => logger.warn({ what, err: error }, "request to read files anew not answered"),
  });
}

interface PriceWatchOptions {
  offers: Offers;
  notices: NoticeQueue;
  clock: Clock;
  logger: Logger;
}

export const FIRST_LOOK_MS = SECOND_MS;
/** Number of prices that a message names; the others are counted. */
const NAMED_MAX = 15;

/** Names prices below cost and old rates: in the log at the start and when they changed, to admins once a list. */
export class PriceWatch {
  #cancel: CancelTimer = () => {};
  #logged: string | undefined;

  constructor(private readonly options: PriceWatchOptions) {}

  /** Looks soon after the start, which it would delay, when the offers were read anew, and each day, since rates grow old. */
  start(): void {
    const { offers, clock, logger } = this.options;
    const look = () => {
      try {
        this.#look();
      } catch (error) {
        logger.error({ err: error }, "prices not compared with costs");
      }
    };
    offers.onReload(look);
    this.#cancel = clock.after(FIRST_LOOK_MS, () => {
      this.#cancel = repeat(clock, DAY_MS, look);
    });
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { offers, notices, clock, logger } = this.options;
    const { entries, rates, ratesAt } = offers.current();
    const sold = soldAtServices(offers);
    const losses = sold.flatMap(({ entry, service }) => lossAt(entry, service, rates) ?? []);
    const old = sold.length > 0 ? oldRates(offers.current(), clock.now()) : undefined;
    const list = JSON.stringify([losses, old ? (ratesAt ?? "unknown") : null]);
    if (list === this.#logged) return;
    this.#logged = list;
    for (const loss of losses) logger.warn({ model: loss.model, provider: loss.service }, lossText(loss));
    if (old) logger.warn(old.text);

    const titleOf = (key: string) => entries.find(({ model_key }) => model_key === key)?.title ?? key;
    const named = losses.slice(0, NAMED_MAX).map(({ model, service, price, cost }) => ({
      title: titleOf(model),
      service,
      price,
      cost,
    }));
    const content = createHash("sha256").update(JSON.stringify(losses)).digest("hex");
    if (losses.length === 0) notices.end("prices");
    else
      notices.tell(
        { kind: "prices_below_cost", losses: named, more: losses.length - named.length },
        { topic: "prices", content },
      );
    if (old?.days === undefined) notices.end("rates");
    else notices.tell({ kind: "rates_old", days: old.days }, { topic: "rates", content: `${ratesAt}` });
  }
}

/** Lists the models that are sold with each service of PROVIDERS that makes them. */
function soldAtServices(offers: Offers) {
  return offers
    .current()
    .entries.filter(({ status }) => status === "active")
    .flatMap((entry) =>
      offers.providers
        .filter((service) => mappingsOf(entry.mappings, service).length > 0)
        .map((service) => ({ entry, service })),
    );
}

/** Watches the operator's offers while the service runs: requests to read them anew, and their prices. */
export function watchOffers(options: PriceWatchOptions & { database: Database }) {
  const { offers, database, clock, logger } = options;
  const prices = new PriceWatch(options);
  const reload = () => reloadOffers(offers, logger);
  // The command line refuses a request where there is no file.
  const hasFile = offers.file !== undefined;
  const reloads = hasFile ? reloadWatch("offers", reload, database, clock, logger) : undefined;
  return {
    start() {
      prices.start();
      reloads?.start();
    },
    async stop() {
      prices.stop();
      await reloads?.stop();
    },
  };
}

/** Reads the offers anew and logs the outcome. @returns why nothing was changed; null for a good file */
export function reloadOffers(offers: Offers, logger: Logger): string | null {
  let problem = "OFFERS_FILE is not set: there is nothing to read anew";
  try {
    if (offers.file !== undefined) {
      offers.reload();
      logger.info({ models: offers.current().models.length }, "offers read anew");
      return null;
    }
  } catch (error) {
    problem = `OFFERS_FILE: ${reasonOf(error)}`;
  }
  logger.error({ problem }, "offers not read anew: those of before stay");
  return problem;
}
