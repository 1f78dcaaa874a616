import type { CancelTimer } from "../../platform/clock.js";
import { reasonOf } from "../../platform/reason-of.js";
import { repeat } from "../../platform/retry.js";
import { SECOND_MS } from "../../platform/units.js";
import type { EmbeddedService } from "../embedded-service.js";
import { PriceWatch, type PriceWatchOptions } from "./price-watch.js";
import { ReloadRequests } from "./reload-requests.js";

/** Adds to a service what the operator's offers need while it runs: requests to read them anew, and a look at prices. */
export function watchOffers(service: EmbeddedService, options: PriceWatchOptions): EmbeddedService {
  const watch = new PriceWatch(options);
  const reloads = new OfferReloads(options);
  return {
    ...service,
    async start() {
      await service.start();
      watch.start();
      reloads.start();
    },
    async stop() {
      await Promise.all([watch.stop(), reloads.stop(), service.stop()]);
    },
  };
}

const LOOK_INTERVAL_MS = SECOND_MS;

/** Answers requests of the command line to read the offers anew. */
class OfferReloads {
  readonly #options: PriceWatchOptions;
  readonly #requests: ReloadRequests;
  #cancel: CancelTimer = () => {};
  #answering: Promise<void> | undefined;

  constructor(options: PriceWatchOptions) {
    this.#options = options;
    this.#requests = new ReloadRequests(options.database, options.clock);
  }

  /** Looks only where there is a file: the command line refuses a request without one. */
  start(): void {
    const { offers, clock } = this.#options;
    if (offers.file === undefined) return;
    this.#cancel = repeat(clock, LOOK_INTERVAL_MS, () => {
      this.#answering ??= this.#answer().finally(() => {
        this.#answering = undefined;
      });
    });
  }

  async stop(): Promise<void> {
    this.#cancel();
    await this.#answering;
  }

  /** Never rejects. A request that could not be answered is looked at again. */
  async #answer(): Promise<void> {
    const { offers, logger } = this.#options;
    try {
      if (this.#requests.isAsked) await this.#requests.answer(reloadOffers(offers, logger));
    } catch (error) {
      logger.warn({ err: error }, "request to read the offers anew not answered");
    }
  }
}

/** Reads the offers anew and logs the outcome. @returns why nothing was changed; null for a good file */
export function reloadOffers(
  offers: PriceWatchOptions["offers"],
  logger: PriceWatchOptions["logger"],
): string | null {
  const problem = problemOfReload(offers);
  if (problem === null) logger.info({ models: offers.current().models.length }, "offers read anew");
  else logger.error({ problem }, "offers not read anew: those of before stay");
  return problem;
}

function problemOfReload(offers: PriceWatchOptions["offers"]): string | null {
  if (offers.file === undefined) return "OFFERS_FILE is not set: there is nothing to read anew";
  try {
    offers.reload();
    return null;
  } catch (error) {
    return `OFFERS_FILE: ${reasonOf(error)}`;
  }
}
