import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import {
  chooseProvider,
  isTaking,
  type ListedProvider,
  type ProviderChoice,
  takesJobs,
} from "../catalogue/choose-provider.js";
import type { JobId } from "../contract/job.js";
import { prepare, qb } from "../database/prepared.js";
import { Ages } from "../platform/ages.js";
import { ageMs } from "../platform/clock.js";
import { retry } from "../platform/retry.js";
import { SECOND_MS } from "../platform/units.js";
import { SENTENCES } from "../workers/generation-error.js";
import { causeFields, type WaitingEnd, WRITE_BACK_OFF } from "./job-completion.js";
import {
  JOB_REQUEST,
  type JobRow,
  jobLogIds,
  moveJob,
  operationOfJob,
  publicJobId,
  storeOperation,
} from "./job-store.js";
import { failed, type JobsGround } from "./provider.js";

export const DECLINED = "job declined by its provider";

/** Maps the job for the next provider that takes jobs and makes what was sold; undefined where none does. */
export function nextOf({ offers, providers }: JobsGround, job: JobRow): ProviderChoice | undefined {
  const entry = offers.current().entries.find(({ model_key }) => model_key === job.model_key);
  const terms = { seed: job.seed, soldTitle: job.model_title, declinedBy: withOwn(job) };
  const choice = entry && chooseProvider(entry, JOB_REQUEST.read(job.request), providers, terms);
  return choice && "provider" in choice ? choice : undefined;
}

/**
 * Gives a job that its provider declined to `next`: it stays one charge. It keeps its status, and a restart goes on with
 * the provider that the row names.
 * @returns the moved job; undefined when it had ended or moved. Rejects when `stop` aborts before it is written
 */
export async function handOver(
  { database, clock, logger }: JobsGround,
  job: JobRow,
  next: ProviderChoice,
  { cause, stop }: { cause: unknown; stop: AbortSignal },
): Promise<JobRow | undefined> {
  const to = next.provider.name;
  logger.warn({ ...jobLogIds(job), provider: job.provider, ...causeFields(cause), next: to }, DECLINED);
  const move = { id: job.id, from: job.provider, to, declinedBy: JSON.stringify(withOwn(job)) };
  const onFailure = (error: unknown, attempt: number) =>
    logger.error({ ...jobLogIds(job), err: error, attempt }, "job not handed over, trying again");
  return retry({ clock, backOff: WRITE_BACK_OFF, onFailure, signal: stop }, () =>
    database.write("job:hand-over", (tx) => {
      const moved = moveJob(tx, move);
      if (moved) storeOperation(tx, job.id, next.service?.sold);
      return moved;
    }),
  );
}

function withOwn({ declined_by, provider }: JobRow): string[] {
  return [...(JSON.parse(declined_by) as string[]), provider];
}

const CHUNK_JOBS = 100;

/** Spaces the checks of the jobs while nothing is due or has changed. */
const CHECK_EVERY_MS = 5 * SECOND_MS;

type Position = Pick<JobRow, "account_id" | "id">;

const selectQueuedAfter = prepare<Position & { provider: string }, JobRow>((p) =>
  qb
    .selectFrom("job")
    .selectAll()
    .where("status", "=", sql.lit("queued" as const))
    .where("provider", "=", p.provider)
    .where(sql<boolean>`(account_id, id) > (${p.account_id}, ${p.id})`)
    .orderBy("account_id")
    .orderBy("id")
    .limit(sql.lit(CHUNK_JOBS)),
);

export const HELD_QUERIES = { selectQueuedAfter };

interface HeldJobsHost {
  /** Jobs that are `generating`, were never sent, and wait for a slot again. */
  readonly waiting: ReadonlyMap<number, JobRow>;
  /** Resolves when the jobs are to end, and are forgotten. */
  end(ends: readonly WaitingEnd[]): Promise<void>;
  /** Drops the job: it is another queue's, or ends. */
  forget(id: number): void;
  onHandedOver(job: JobRow): void;
}

interface Held {
  publicId: JobId;
  /** Time on the monotonic clock at which the job is due. */
  dueAt: number;
  /** Names of the providers that take jobs and would not take this one. */
  declinedBy: string;
}

/**
 * Holds the jobs of a provider whose service takes none now. They have no slot and no turn. All wait until their own
 * deadline, counted from when the service went away, and go to another provider as soon as one takes them.
 */
export class HeldJobs {
  readonly #ages: Ages;
  readonly #held = new Map<number, Held>();
  /** Time until `check` is to be called again; undefined while the provider takes jobs. */
  nextCheckMs: number | undefined;

  constructor(
    private readonly ground: JobsGround,
    private readonly provider: ListedProvider,
    private readonly host: HeldJobsHost,
  ) {
    this.#ages = new Ages(ground.clock);
  }

  /** Undefined while the provider takes jobs. */
  get hold(): Hold | undefined {
    const state = this.provider.kind === "upstream" ? this.provider.state : undefined;
    if (!state || state.kind === "up" || isTaking(state)) return undefined;
    const { kind, since } = state;
    if (state.kind !== "paused") return { detail: kind, since, isHopeless: false };
    // A lock may end by itself: the service is asked, and a guard may only dislike one request.
    return { detail: `paused: ${state.reason}`, since, isHopeless: state.reason !== "locked" };
  }

  forget(id: number): void {
    this.#held.delete(id);
  }

  clear(): void {
    this.#held.clear();
  }

  /** Hands over and ends what waits; releases all of it once the provider takes jobs. */
  async check(stop: AbortSignal): Promise<void> {
    if (this.hold) await this.#checkAll(stop);
    if (!this.hold) this.#release();
  }

  async #checkAll(stop: AbortSignal): Promise<void> {
    this.nextCheckMs = CHECK_EVERY_MS;
    const { name } = this.provider;
    const others = this.ground.providers.filter((other) => other.name !== name && takesJobs(other));
    const takers = others.map((other) => other.name).join();
    for (const jobs of this.#chunks()) {
      await this.#checkChunk(jobs, takers, stop);
      if (stop.aborted || !this.hold) return;
      if (jobs.length === CHUNK_JOBS) await setImmediate();
    }
  }

  *#chunks(): Generator<readonly JobRow[]> {
    const waiting = [...this.host.waiting.values()];
    for (let from = 0; from < waiting.length; from += CHUNK_JOBS)
      yield waiting.slice(from, from + CHUNK_JOBS);
    let queued = this.#queuedAfter({ account_id: 0, id: 0 });
    for (let last = queued.at(-1); last; last = queued.at(-1)) {
      yield queued;
      queued = queued.length < CHUNK_JOBS ? [] : this.#queuedAfter(last);
    }
  }

  #queuedAfter({ account_id, id }: Position): JobRow[] {
    return this.ground.database.all(selectQueuedAfter, { provider: this.provider.name, account_id, id });
  }

  async #checkChunk(jobs: readonly JobRow[], takers: string, stop: AbortSignal): Promise<void> {
    for (const job of jobs) this.#hold(job);
    if (takers !== "") await Promise.all(jobs.map((job) => this.#offer(job, takers, stop)));
    const { hold } = this;
    if (!hold || stop.aborted) return;
    const due: JobRow[] = [];
    for (const job of jobs) {
      const dueAt = this.#held.get(job.id)?.dueAt;
      if (dueAt === undefined) continue;
      const leftMs = hold.isHopeless ? 0 : dueAt - this.ground.clock.monotonic();
      if (leftMs <= 0) due.push(job);
      else this.nextCheckMs = Math.min(leftMs, this.nextCheckMs ?? leftMs);
    }
    const end = failed("unavailable", SENTENCES.unavailable, hold.detail);
    await this.host.end(due.map((job) => ({ job, end })));
  }

  /** Says that the job waits. It is due as it was when that was first seen, whatever becomes of the clock. */
  #hold(job: JobRow): void {
    const { hold } = this;
    if (!hold) return;
    const publicId = publicJobId(job.type, job.id);
    this.ground.places.set(publicId, { isAway: true });
    if (this.#held.has(job.id)) return;
    const { clock, database } = this.ground;
    const heldMs = this.#ages.of(`${hold.detail}:${hold.since}`, hold.since);
    const waitedMs = Math.min(heldMs, ageMs(job.created_at, clock.now()));
    const { deadline_sec = 0 } = operationOfJob(database, job.id)?.operation.poll ?? {};
    const dueAt = clock.monotonic() - waitedMs + deadline_sec * SECOND_MS;
    this.#held.set(job.id, { publicId, dueAt, declinedBy: "" });
  }

  /** Gives the job to another provider where one of `takers` makes what was sold. */
  async #offer(job: JobRow, takers: string, stop: AbortSignal): Promise<void> {
    const held = this.#held.get(job.id);
    if (!held || held.declinedBy === takers) return;
    const next = nextOf(this.ground, job);
    if (!next) {
      held.declinedBy = takers;
      return;
    }
    try {
      const moved = await handOver(this.ground, job, next, { cause: this.hold?.detail, stop });
      this.host.forget(job.id);
      if (!moved) return;
      this.ground.places.set(held.publicId, moved.status === "generating" ? {} : undefined);
      this.host.onHandedOver(moved);
    } catch (error) {
      this.ground.logger.warn({ ...jobLogIds(job), err: error }, "held job left to the next start");
    }
  }

  #release(): void {
    this.nextCheckMs = undefined;
    const { waiting } = this.host;
    // One job is sent to see what the service says: nothing has changed for the others.
    if (this.provider.kind === "upstream" && this.provider.state.kind === "throttled") return;
    // A job that is `generating` still waits to be sent.
    for (const [id, { publicId }] of this.#held)
      this.ground.places.set(publicId, waiting.has(id) ? {} : undefined);
    this.#held.clear();
  }
}

/** Why jobs are not given to a provider now. */
interface Hold {
  detail: string;
  /** Start of the hold, in ms since the epoch. */
  since: number;
  /** True where the jobs would wait in vain: nobody knows when somebody pays, or mends the key. */
  isHopeless: boolean;
}
