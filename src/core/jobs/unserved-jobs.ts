import { sql } from "kysely";
import type { Database } from "../../database/database.js";
import { prepare } from "../../database/prepared.js";
import { qb } from "../../database/schema.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { untilDone } from "../../platform/retry.js";
import type { Provider } from "../../ports/provider.js";
import { type JobCompletion, type JobEnd, WRITE_BACK_OFF } from "./job-completion.js";
import { type JobRow, startJob } from "./job-store.js";

const CHUNK_JOBS = 100;

const NOT_SERVED: JobEnd = {
  kind: "failed",
  failure: "unavailable",
  error: "The service that was to make this is no longer available.",
  cause: undefined,
};

const selectNextProvider = prepare<{ after: string }, { provider: string }>((p) =>
  qb
    .selectFrom("job")
    .select("provider")
    .where("status", "=", sql.lit("queued" as const))
    .where("provider", ">", p.after)
    .orderBy("provider")
    .limit(sql.lit(1)),
);
const selectQueuedOf = prepare<{ provider: string }, { id: number }>((p) =>
  qb
    .selectFrom("job")
    .select("id")
    .where("status", "=", sql.lit("queued" as const))
    .where("provider", "=", p.provider)
    .limit(sql.lit(CHUNK_JOBS)),
);

export const UNSERVED_QUERIES = { selectNextProvider, selectQueuedOf };

export interface UnservedJobsOptions {
  database: Database;
  providers: readonly Provider[];
  completion: JobCompletion;
  clock: Clock;
  logger: Logger;
}

/** Ends jobs whose provider is no longer listed, with their refund: nobody else makes them. */
export class UnservedJobs {
  readonly #options: UnservedJobsOptions;
  readonly #served: ReadonlySet<string>;
  #stopping = new AbortController();
  #ending: Promise<void> = Promise.resolve();

  constructor(options: UnservedJobsOptions) {
    this.#options = options;
    this.#served = new Set(options.providers.map(({ name }) => name));
  }

  start(generating: readonly JobRow[]): void {
    const { clock, logger } = this.#options;
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const onFailure = (error: unknown) =>
      logger.error({ err: error }, "jobs of an unlisted provider not ended");
    const work = async () => {
      await this.#end(generating.filter(({ provider }) => !this.#served.has(provider)));
      await untilDone({ clock, backOff: WRITE_BACK_OFF, onFailure, signal }, () => this.#endQueued());
    };
    this.#ending = work().catch(onFailure);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#ending;
  }

  async #endQueued(): Promise<void> {
    for (const provider of this.#unservedProviders()) await this.#endQueuedOf(provider);
  }

  #unservedProviders(): string[] {
    const { database } = this.#options;
    const names: string[] = [];
    let name = database.first(selectNextProvider, { after: "" })?.provider;
    for (; name !== undefined; name = database.first(selectNextProvider, { after: name })?.provider) {
      if (!this.#served.has(name)) names.push(name);
    }
    return names;
  }

  async #endQueuedOf(provider: string): Promise<void> {
    const { database, clock } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const queued = database.all(selectQueuedOf, { provider });
      if (queued.length === 0) return;
      // A job moves to `error` only from `generating`.
      const started = await database.write("job:start", (tx) =>
        queued.flatMap(({ id }) => startJob(tx, id, clock.now()) ?? []),
      );
      await this.#end(started);
    }
  }

  async #end(jobs: readonly JobRow[]): Promise<void> {
    const { completion } = this.#options;
    await Promise.all(jobs.map((job) => completion.end(job, NOT_SERVED, this.#stopping.signal)));
  }
}
