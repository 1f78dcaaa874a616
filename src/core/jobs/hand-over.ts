import { z } from "zod";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { retry } from "../../platform/retry.js";
import { takesJobs } from "../../ports/provider.js";
import type { Catalogue } from "../catalogue/catalogue.js";
import { chooseProvider, type ListedProvider, type ProviderChoice } from "../catalogue/choose-provider.js";
import { idsOf, WRITE_BACK_OFF } from "./job-completion.js";
import { storeOperation } from "./job-operations.js";
import { requestOf } from "./job-request.js";
import { type JobRow, moveJob } from "./job-store.js";

export interface HandOverOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  catalogue: Pick<Catalogue, "entries">;
  /** In order of preference. */
  providers: readonly ListedProvider[];
}

const names = z.array(z.string());

/** Gives jobs that their provider declined to the next one that makes what was sold. A job stays one charge. */
export class HandOver {
  readonly #options: HandOverOptions;

  constructor(options: HandOverOptions) {
    this.#options = options;
  }

  /**
   * The job keeps its status, and a restart goes on with the provider that the row names.
   * @returns the job of its new provider; "nobody" when no other takes it, "ended" when it had ended or moved.
   *   Rejects when `stop` aborts before it is written
   */
  async pass(job: JobRow, cause: unknown, stop: AbortSignal): Promise<JobRow | "nobody" | "ended"> {
    const { database, clock, logger } = this.#options;
    const declinedBy = withOwn(job);
    const next = this.#next(job, declinedBy);
    const event = { ...idsOf(job), provider: job.provider, err: cause };
    logger.warn({ ...event, next: next?.provider.name ?? null }, "job declined by its provider");
    if (!next) return "nobody";
    const move = {
      id: job.id,
      from: job.provider,
      to: next.provider.name,
      declinedBy: JSON.stringify(declinedBy),
    };
    const onFailure = (error: unknown, attempt: number) =>
      logger.error({ ...idsOf(job), err: error, attempt }, "job not handed over, trying again");
    const moved = await retry({ clock, backOff: WRITE_BACK_OFF, onFailure, signal: stop }, () =>
      database.write("job:hand-over", (tx) => {
        const taken = moveJob(tx, move);
        if (taken) storeOperation(tx, job.id, next.service?.sold);
        return taken;
      }),
    );
    return moved ?? "ended";
  }

  /** Names of the providers that take jobs now, without this one. */
  takersBeside(provider: string): string {
    const others = this.#options.providers.filter((other) => other.name !== provider && takesJobs(other));
    return others.map(({ name }) => name).join();
  }

  isTakenByOther(job: JobRow): boolean {
    return this.#next(job, withOwn(job)) !== undefined;
  }

  #next(job: JobRow, declinedBy: readonly string[]): ProviderChoice | undefined {
    const { catalogue, providers } = this.#options;
    const entry = catalogue.entries.find(({ model_key }) => model_key === job.model_key);
    const terms = { seed: job.seed, soldTitle: job.model_title, declinedBy };
    const choice = entry && chooseProvider(entry, requestOf(job.request), providers, terms);
    return choice && "provider" in choice ? choice : undefined;
  }
}

/** Names of the providers that a declined job is not given to. */
function withOwn({ declined_by, provider }: JobRow): string[] {
  return [...names.parse(JSON.parse(declined_by)), provider];
}
