import { setImmediate } from "node:timers/promises";
import { sql } from "kysely";
import { z } from "zod";
import type { CatalogueSource } from "../catalogue/catalogue.js";
import {
  chooseProvider,
  isTaking,
  type ListedProvider,
  type ProviderChoice,
  type ProviderState,
  takesJobs,
} from "../catalogue/choose-provider.js";
import type { Database } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { Ages } from "../platform/ages.js";
import { ageMs, type Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { retry } from "../platform/retry.js";
import { SECOND_MS } from "../platform/units.js";
import { causeFields, type JobEnd, jobLogIds, unavailableEnd, WRITE_BACK_OFF } from "./job-completion.js";
import {
  type JobRow,
  jobById,
  moveJob,
  publicJobId,
  requestOf,
  startJob,
  storeOperation,
} from "./job-store.js";
import type { ProviderRules } from "./provider-rules.js";
import type { QueuePlaces } from "./queue-places.js";

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
  constructor(private readonly options: HandOverOptions) {}

  /**
   * Moves the job to `next`. It keeps its status, and a restart goes on with the provider that the row names.
   * @returns the moved job; "ended" when it had ended or moved. Rejects when `stop` aborts before it is written
   */
  async pass(
    job: JobRow,
    next: ProviderChoice,
    { cause, stop }: { cause: unknown; stop: AbortSignal },
  ): Promise<JobRow | "ended"> {
    const { database, clock, logger } = this.options;
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
    const others = this.options.providers.filter((other) => other.name !== provider && takesJobs(other));
    return others.map(({ name }) => name).join();
  }

  /** Maps the job for the next provider that takes jobs and makes what was sold; undefined where none does. */
  nextOf(job: JobRow): ProviderChoice | undefined {
    const { offers, providers } = this.options;
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

interface HeldJobsOptions {
  database: Database;
  provider: { readonly name: string };
  rules: Pick<ProviderRules, "state" | "goesOnElsewhere" | "heldMaxMs">;
  handOver: Pick<HandOver, "takersBeside" | "nextOf" | "pass">;
  onHandedOver: (job: JobRow) => void;
  places: QueuePlaces;
  clock: Clock;
  logger: Logger;
}

interface HeldJobsHost {
  /** Ends a job that is `generating`. */
  end(job: JobRow, end: JobEnd): void;
  /** Drops the job: it is another queue's, or ends. */
  forget(id: number): void;
  stop: AbortSignal;
}

interface Held {
  id: number;
  publicId: ReturnType<typeof publicJobId>;
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
  /** Jobs that are `generating`, were never sent, and wait for a slot again. */
  readonly #started = new Map<number, JobRow>();
  #held = new Map<number, Held>();
  #nextCheckMs: number | undefined;

  constructor(private readonly options: HeldJobsOptions) {
    this.#ages = new Ages(options.clock);
  }

  get hold(): Hold | undefined {
    return holdOf(this.options.rules.state);
  }

  /** Time until `check` is to be called again; undefined while the provider takes jobs. */
  get nextCheckMs(): number | undefined {
    return this.#nextCheckMs;
  }

  add(job: JobRow): void {
    const { rules, places } = this.options;
    this.#started.set(job.id, job);
    if (rules.goesOnElsewhere) places.set(publicJobId(job.type, job.id), this.hold ? { isAway: true } : {});
  }

  forget(id: number): void {
    this.#started.delete(id);
    this.#held.delete(id);
  }

  clear(): void {
    this.#started.clear();
    this.#held.clear();
  }

  /** Jobs that wait for a slot again, and for no references. */
  ready(): JobRow[] {
    return [...this.#started.values()].filter((job) => job.reference_count === 0);
  }

  /** Hands over and ends what waits; releases all of it once the provider takes jobs. */
  async check(host: HeldJobsHost): Promise<void> {
    this.#nextCheckMs = undefined;
    if (this.hold) {
      await this.#findAll(host.stop);
      await this.#handOverAll(host);
      await this.#endDue(host);
    }
    if (!this.hold) return this.#release();
    const now = this.options.clock.monotonic();
    const firstDueAt = this.#inOrder()[0]?.dueAt ?? Number.POSITIVE_INFINITY;
    this.#nextCheckMs = Math.max(0, Math.min(CHECK_EVERY_MS, firstDueAt - now));
  }

  #release(): void {
    const { places, rules } = this.options;
    // One job is sent to see what the service says: nothing has changed for the others.
    if (rules.state?.kind === "throttled") return;
    // A job that is `generating` still waits to be sent.
    for (const { id, publicId } of this.#held.values())
      places.set(publicId, this.#started.has(id) ? {} : undefined);
    this.#held.clear();
  }

  async #findAll(stop: AbortSignal): Promise<void> {
    const { database, provider } = this.options;
    const found = new Map<number, Held>();
    for (const job of this.#started.values()) this.#find(job, found);
    let position: Position = { account_id: 0, id: 0 };
    while (!stop.aborted) {
      const jobs = database.all(selectQueuedAfter, { provider: provider.name, ...position });
      for (const job of jobs) this.#find(job, found);
      const last = jobs.at(-1);
      if (!last || jobs.length < CHUNK_JOBS) break;
      position = last;
      await setImmediate();
    }
    this.#held = found;
  }

  #find(job: JobRow, found: Map<number, Held>): void {
    const { places } = this.options;
    const held = this.#held.get(job.id) ?? this.#newlyHeld(job);
    if (!held) return;
    found.set(job.id, held);
    places.set(held.publicId, { isAway: true });
  }

  #newlyHeld(job: JobRow): Held | undefined {
    const { clock, rules } = this.options;
    const { hold } = this;
    if (!hold) return undefined;
    const heldMs = this.#ages.of(`${hold.detail}:${hold.since}`, hold.since);
    const waitedMs = Math.min(heldMs, ageMs(job.created_at, clock.now()));
    const dueAt = clock.monotonic() - waitedMs + rules.heldMaxMs(job);
    return { id: job.id, publicId: publicJobId(job.type, job.id), dueAt, declinedBy: "" };
  }

  async #handOverAll({ stop, forget }: HeldJobsHost): Promise<void> {
    const { handOver, provider } = this.options;
    const takers = handOver.takersBeside(provider.name);
    if (takers === "") return;
    const open = this.#inOrder().filter(({ declinedBy }) => declinedBy !== takers);
    for (let from = 0; from < open.length && !stop.aborted && this.hold; from += CHUNK_JOBS) {
      const chunk = open.slice(from, from + CHUNK_JOBS);
      await Promise.all(chunk.map((held) => this.#offer(held, takers, { stop, forget })));
      await setImmediate();
    }
  }

  async #offer(
    held: Held,
    takers: string,
    { stop, forget }: Pick<HeldJobsHost, "stop" | "forget">,
  ): Promise<void> {
    const { database, handOver, onHandedOver, places, logger } = this.options;
    const job = jobById(database, held.id);
    const next = job && handOver.nextOf(job);
    if (!next) {
      held.declinedBy = takers;
      return;
    }
    try {
      const moved = await handOver.pass(job, next, { cause: this.hold?.detail, stop });
      forget(held.id);
      if (moved === "ended") return;
      places.set(held.publicId, moved.status === "generating" ? {} : undefined);
      onHandedOver(moved);
    } catch (error) {
      logger.warn({ ...jobLogIds(job), err: error }, "held job left to the next start");
    }
  }

  async #endDue({ end, forget, stop }: HeldJobsHost): Promise<void> {
    const { database, clock, places } = this.options;
    const { hold } = this;
    const now = clock.monotonic();
    const due = this.#inOrder().filter(({ dueAt }) => hold?.isHopeless || dueAt <= now);
    for (let from = 0; from < due.length && !stop.aborted && this.hold; from += CHUNK_JOBS) {
      const chunk = due.slice(from, from + CHUNK_JOBS);
      // A job moves to `error` only from `generating`.
      const started = await database.write("job:start", (tx) =>
        chunk.flatMap(({ id }) => startJob(tx, id, clock.now()) ?? []),
      );
      for (const { id, publicId } of chunk) {
        forget(id);
        places.forget(publicId);
      }
      for (const job of started) end(job, unavailableEnd(hold?.detail));
    }
  }

  /** Sorts the jobs, those that are due first coming first. */
  #inOrder(): Held[] {
    return [...this.#held.values()].sort((a, b) => a.dueAt - b.dueAt || a.id - b.id);
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

/** Returns undefined while the provider takes jobs. */
function holdOf(state: ProviderState | undefined): Hold | undefined {
  if (!state || state.kind === "up" || isTaking(state)) return undefined;
  const { kind, since } = state;
  if (state.kind !== "paused") return { detail: kind, since, isHopeless: false };
  // A lock may end by itself: the service is asked, and a guard may only dislike one request.
  return { detail: `paused: ${state.reason}`, since, isHopeless: state.reason !== "locked" };
}
