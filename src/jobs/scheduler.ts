import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import type { GenerationType } from "../contract/model.js";
import type { Database } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { retry } from "../platform/retry.js";
import { type EndedJobs, JobCompletion, WRITE_BACK_OFF } from "./job-completion.js";
import { generatingJobs, type JobRow, jobById, startJob } from "./job-store.js";
import { failed, type JobsGround } from "./provider.js";
import { nextOf, ProviderQueue, STARTS_MAX } from "./provider-queue.js";

/** Jobs of one type that wait for a provider. */
export interface QueuedJobs {
  provider: string;
  type: GenerationType;
  jobs: number;
  /** Acceptance time of the oldest one, in ms since the epoch. */
  oldestAt: number;
}

/** Rows read per turn of the event loop (about 1 ms). */
const CHUNK_ROWS = 1000;

type QueuedJob = Pick<JobRow, "id" | "account_id" | "provider" | "type" | "created_at">;
type QueuePosition = Pick<QueuedJob, "id" | "account_id" | "provider">;

/** Returns rows in index order. The status is an SQL literal, so that the planner can use the index. */
const selectQueuedAfter = prepare<QueuePosition, QueuedJob>((p) =>
  qb
    .selectFrom("job")
    .select(["id", "account_id", "provider", "type", "created_at"])
    .where("status", "=", sql.lit("queued" as const))
    .where(sql<boolean>`(provider, account_id, id) > (${p.provider}, ${p.account_id}, ${p.id})`)
    .orderBy("provider")
    .orderBy("account_id")
    .orderBy("id")
    .limit(sql.lit(CHUNK_ROWS)),
);

export const DEPTH_QUERIES = { selectQueuedAfter };

export async function queueDepth(database: Database): Promise<QueuedJobs[]> {
  const depth = new Map<string, QueuedJobs>();
  let position: QueuePosition = { provider: "", account_id: 0, id: 0 };
  for (;;) {
    const rows = database.all(selectQueuedAfter, position);
    for (const { type, provider, created_at } of rows) {
      const key = `${provider} ${type}`;
      const sum = depth.get(key) ?? { provider, type, jobs: 0, oldestAt: created_at };
      depth.set(key, { ...sum, jobs: sum.jobs + 1, oldestAt: Math.min(sum.oldestAt, created_at) });
    }
    const last = rows.at(-1);
    if (!last || rows.length < CHUNK_ROWS) return [...depth.values()];
    position = last;
    await setImmediate();
  }
}

const NOT_SERVED = failed("unavailable", "The service that was to make this is no longer available.");

/** Selects jobs of providers that are not among the names in the JSON `served`. */
const selectUnserved = prepare<{ served: string }, { id: number }>((p) =>
  qb
    .selectFrom("job")
    .select("id")
    .where("status", "=", sql.lit("queued" as const))
    .where(sql<boolean>`provider NOT IN (SELECT value FROM json_each(${p.served}))`)
    .limit(sql.lit(STARTS_MAX)),
);

export const UNSERVED_QUERIES = { selectUnserved };

/** Gives each job to the queue of its provider. The queues do not wait for each other. */
export class Scheduler {
  readonly #completion: JobCompletion;
  readonly #queues: ReadonlyMap<string, ProviderQueue>;
  #stopping = new AbortController();
  #endingUnserved: Promise<void> = Promise.resolve();

  constructor(private readonly options: JobsGround) {
    this.#completion = new JobCompletion(options);
    const onHandedOver = (job: JobRow) => this.#queues.get(job.provider)?.takeOver(job);
    this.#queues = new Map(
      options.providers.map((provider) => {
        const queue = new ProviderQueue(options, provider, this.#completion, onHandedOver);
        return [provider.name, queue];
      }),
    );
  }

  get running(): JobRow[] {
    return [...this.#queues.values()].flatMap((queue) => queue.running);
  }

  get ended(): EndedJobs[] {
    return this.#completion.ended;
  }

  start(): void {
    const interrupted = generatingJobs(this.options.database);
    for (const [name, queue] of this.#queues)
      queue.start(interrupted.filter(({ provider }) => provider === name));
    this.#stopping = new AbortController();
    const unserved = interrupted.filter(({ provider }) => !this.#queues.has(provider));
    this.#endingUnserved = this.#endUnserved(unserved, this.#stopping.signal);
  }

  mayHandOver(jobId: number): boolean {
    const job = jobById(this.options.database, jobId);
    return job !== undefined && nextOf(this.options, job) !== undefined;
  }

  /** @param name the provider that has a new job: by default any may have work */
  wake(name?: string): void {
    for (const [provider, queue] of this.#queues) if (name === undefined || provider === name) queue.wake();
  }

  /** Resolves within about two seconds. Interrupted jobs resume at the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop()).concat(this.#endingUnserved));
  }

  /** Ends jobs whose provider is no longer listed, with their refund: nobody else makes them. Never rejects. */
  async #endUnserved(generating: readonly JobRow[], signal: AbortSignal): Promise<void> {
    const { database, clock, logger } = this.options;
    const onFailure = (error: unknown) =>
      logger.error({ err: error }, "jobs of an unlisted provider not ended");
    const served = JSON.stringify([...this.#queues.keys()]);
    let open = generating;
    const endAll = async () => {
      while (!signal.aborted) {
        await Promise.all(open.map((job) => this.#completion.end(job, NOT_SERVED, signal)));
        open = [];
        const queued = database.all(selectUnserved, { served });
        if (queued.length === 0) return;
        // A job moves to `error` only from `generating`.
        open = await database.write("job:start", (tx) =>
          queued.flatMap(({ id }) => startJob(tx, id, clock.now()) ?? []),
        );
      }
    };
    try {
      await retry({ clock, backOff: WRITE_BACK_OFF, onFailure, signal }, endAll);
    } catch (error) {
      onFailure(error);
    }
  }
}
