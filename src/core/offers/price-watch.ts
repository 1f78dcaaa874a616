import { createHash } from "node:crypto";
import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { repeat } from "../../platform/retry.js";
import { DAY_MS } from "../../platform/units.js";
import type { OperatorNotices } from "../../ports/operator-notices.js";
import { type Loss, lossAt, lossText } from "../catalogue/check/losses.js";
import { daysOfOldRates, oldRates } from "../catalogue/check/old-rates.js";
import { mappingsOf } from "../catalogue/choose-provider.js";
import type { Offers } from "./offers.js";

export interface PriceWatchOptions {
  offers: Offers;
  notices: OperatorNotices;
  clock: Clock;
  logger: Logger;
}

/** Number of prices that a message names; the others are counted. */
const NAMED_MAX = 15;

/** Names prices below cost and old rates: in the log at the start and when they changed, to admins once a list. */
export class PriceWatch {
  readonly #options: PriceWatchOptions;
  #cancel: CancelTimer = () => {};
  #logged: string | undefined;

  constructor(options: PriceWatchOptions) {
    this.#options = options;
  }

  /** Looks now, when the offers were read anew, and each day, since rates grow old. */
  start(): void {
    const { offers, clock, logger } = this.#options;
    const look = () => {
      try {
        this.#look();
      } catch (error) {
        logger.error({ err: error }, "prices not compared with costs");
      }
    };
    offers.onReload(look);
    this.#cancel = repeat(clock, DAY_MS, look);
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { offers, clock, logger } = this.#options;
    const catalogue = offers.current();
    const losses = soldLosses(offers);
    const now = clock.now();
    const old = sellsServices(offers) ? oldRates(catalogue, now) : undefined;
    const list = JSON.stringify([losses, old === undefined ? null : (catalogue.ratesAt ?? "unknown")]);
    if (list === this.#logged) return;
    this.#logged = list;
    for (const loss of losses) logger.warn({ model: loss.model, provider: loss.service }, lossText(loss));
    if (old !== undefined) logger.warn(old);
    this.#tell(losses, old === undefined ? undefined : daysOfOldRates(catalogue, now));
  }

  #tell(losses: readonly Loss[], days: ReturnType<typeof daysOfOldRates>): void {
    const { notices, offers } = this.#options;
    const { entries } = offers.current();
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
    if (typeof days !== "number") notices.end("rates");
    else
      notices.tell({ kind: "rates_old", days }, { topic: "rates", content: `${offers.current().ratesAt}` });
  }
}

/** Lists the prices below cost of what is sold, by model and service of PROVIDERS. */
export function soldLosses(offers: Pick<Offers, "current" | "providers">): Loss[] {
  const { entries, rates } = offers.current();
  return entries
    .filter(({ status }) => status === "active")
    .flatMap((entry) => offers.providers.flatMap((name) => lossAt(entry, name, rates) ?? []));
}

/** Tells whether a service of PROVIDERS makes something that is sold: its costs need rates. */
function sellsServices(offers: Pick<Offers, "current" | "providers">): boolean {
  const { providers } = offers;
  return offers
    .current()
    .entries.some(
      ({ status, mappings }) =>
        status === "active" && providers.some((name) => mappingsOf(mappings, name).length > 0),
    );
}
