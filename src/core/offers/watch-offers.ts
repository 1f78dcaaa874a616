import type { Database } from "../../database/database.js";
import { reasonOf } from "../../platform/reason-of.js";
import type { EmbeddedService } from "../embedded-service.js";
import { PriceWatch, type PriceWatchOptions } from "./price-watch.js";
import { ReloadWatch } from "./reload-watch.js";

/** Adds to a service what the operator's offers need while it runs: requests to read them anew, and a look at prices. */
export function watchOffers(
  service: EmbeddedService,
  options: PriceWatchOptions & { database: Database },
): EmbeddedService {
  const watch = new PriceWatch(options);
  const { offers, logger } = options;
  // The command line refuses a request where there is no file.
  const reloads =
    offers.file === undefined
      ? undefined
      : new ReloadWatch({ ...options, what: "offers", reload: () => reloadOffers(offers, logger) });
  return {
    ...service,
    async start() {
      await service.start();
      watch.start();
      reloads?.start();
    },
    async stop() {
      await Promise.all([watch.stop(), reloads?.stop(), service.stop()]);
    },
  };
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
