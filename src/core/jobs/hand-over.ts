import { z } from "zod";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { retry } from "../../platform/retry.js";
import { takesJobs } from "../../ports/provider.js";
import type { CatalogueSource } from "../catalogue/catalogue.js";
import { chooseProvider, type ListedProvider, type ProviderChoice } from "../catalogue/choose-provider.js";
import { causeFields, jobLogIds, WRITE_BACK_OFF } from "./job-completion.js";
import { storeOperation } from "./job-operations.js";
import { requestOf } from "./job-request.js";
import { type JobRow, moveJob } from "./job-store.js";

export interface HandOverOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  offers: CatalogueSource;
  /** Providers in order of preference. */
  providers: readonly ListedProvider[];
}

export const DECLINED = "job declined by its provider";

const names = z.array(z.string());

/** Gives jobs that their provider declined to the next one that makes what was sold. A job stays one charge. */
export class HandOver {
  readonly #options: HandOverOptions;

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  /**
   * Moves the job to `next`. It keeps its status, and a restart goes on with the provider that the row names.
   * @returns the moved job; "ended" when it had ended or moved. Rejects when `stop` aborts before it is written
   */
  async pass(
    job: JobRow,
    next: ProviderChoice,
    { cause, stop }: { cause: unknown; stop: AbortSignal },
  ): Promise<JobRow | "ended"> {
    const { database, clock, logger } = this.#options;
    const to = next.provider.name;
    logger.warn({ ...jobLogIds(job), provider: job.provider, ...causeFields(cause), next: to }, DECLINED);
    const move = { id: job.id, from: job.provider, to, declinedBy: JSON.stringify(withOwn(job)) };
    const onFailure = (error: unknown, attempt: number) =>
      logger.error({ ...jobLogIds(job), err: error, attempt }, "job not handed over, trying again");
    const moved = await retry({ clock, backOff: WRITE_BACK_OFF, onFailure, signal: stop }, () =>
      database.write("job:hand-over", (tx) => {
        const taken = moveJob(tx, move);
        if (taken) storeOperation(tx, job.id, next.service?.sold);
        return taken;
      }),
    );
    return moved ?? "ended";
  }

  takersBeside(provider: string): string {
    const others = this.#options.providers.filter((other) => other.name !== provider && takesJobs(other));
    return others.map(({ name }) => name).join();
  }

  /** Maps the job for the next provider that takes jobs and makes what was sold; undefined where none does. */
  nextOf(job: JobRow): ProviderChoice | undefined {
    const { offers, providers } = this.#options;
    const declinedBy = withOwn(job);
    const entry = offers.current().entries.find(({ model_key }) => model_key === job.model_key);
    const terms = { seed: job.seed, soldTitle: job.model_title, declinedBy };
    const choice = entry && chooseProvider(entry, requestOf(job.request), providers, terms);
    return choice && "provider" in choice ? choice : undefined;
  }
}

function withOwn({ declined_by, provider }: JobRow): string[] {
  return [...names.parse(JSON.parse(declined_by)), provider];
}
