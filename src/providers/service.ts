import { setMaxListeners } from "node:events";
import type { PollSchedule } from "../catalogue/mapping.js";
import type { Operation, ServiceSettings } from "../catalogue/operation.js";
import { isConstraint } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { publicJobId } from "../jobs/job-store.js";
import type { OnQueue, Outcome, ProviderHost, UpstreamTask } from "../jobs/provider.js";
import { Ages } from "../platform/ages.js";
import type { Clock } from "../platform/clock.js";
import type { FailPoint } from "../platform/fail-point.js";
import { type Integer, integer } from "../platform/integer.js";
import { type Logger, redact } from "../platform/logger.js";
import type { AgentOptions } from "../platform/outgoing-agent.js";
import { PollStats } from "../platform/poller.js";
import { retry } from "../platform/retry.js";
import { type Slot, Slots } from "../platform/slots.js";
import { MINUTE_MS, SECOND_MS } from "../platform/units.js";
import type { NoticeQueue } from "../ports/operator-notices.js";
import type { UpstreamAdapter } from "./adapter.js";
import { type Attempt, AttemptStore } from "./attempt-store.js";
import type { OutputFetcher } from "./fetch-outputs.js";
import type { ReferencePublisher } from "./publish.js";
import type { KeptAnswers, ReferenceSpool, SpooledReference } from "./reference-spool.js";
import { ServiceCalls, type ServiceCallsOptions } from "./service-calls.js";
import { ServiceState, StateStore } from "./service-state.js";

export const CALLBACK_OUTCOMES = ["asked", "repeated", "over", "unknown", "limited"] as const;
export type CallbackOutcome = (typeof CALLBACK_OUTCOMES)[number];

/** Counts what one service did since the process began. */
class ServiceStats {
  readonly submits = new Map<string, number>();
  readonly ends = new Map<string, number>();
  readonly polls = new PollStats();
  readonly callbacks = new Map<CallbackOutcome, number>();
  submitMs = 0;

  noteSubmit(outcome: string, durationMs: number): void {
    this.submits.set(outcome, (this.submits.get(outcome) ?? 0) + 1);
    this.submitMs += durationMs;
  }

  noteEnd(end: string): void {
    this.ends.set(end, (this.ends.get(end) ?? 0) + 1);
  }

  noteCallback(outcome: CallbackOutcome): void {
    this.callbacks.set(outcome, (this.callbacks.get(outcome) ?? 0) + 1);
  }
}

/** Slot of one job at its service: held while its task may be there, and left while that is in doubt. */
export class JobSlot {
  #isLeft = false;

  constructor(
    readonly slots: Slots,
    private slot: Slot,
    readonly onLeft: () => void,
  ) {}

  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.slot.leave();
    this.onLeft();
  }

  /** Takes the slot again, above the limit too: its task is at the service after all. */
  retake(): void {
    if (!this.#isLeft) return;
    this.slot.release();
    this.slot = this.slots.take();
    this.#isLeft = false;
  }

  /** Waits for the slot before another submit. */
  async reacquire(signal: AbortSignal): Promise<void> {
    if (!this.#isLeft) return;
    this.slot.release();
    this.slot = await this.slots.acquire(signal);
    this.#isLeft = false;
  }

  release(): void {
    this.slot.release();
  }
}

/** End of a run. `again`: nothing was made, as a look-up has proved. */
export type RunEnd = Outcome | "again";

/** A job that waits for its attempt. */
export class Run {
  readonly #end = Promise.withResolvers<RunEnd>();
  readonly ended = this.#end.promise;
  hasEnded = false;
  fetches = 0;
  room: Promise<Slot | undefined> | undefined;

  constructor(
    readonly task: UpstreamTask,
    public attempt: Attempt,
    readonly signal: AbortSignal,
    readonly onQueue: OnQueue,
    readonly slot: JobSlot,
  ) {
    this.ended.catch(() => {});
  }

  end(end: RunEnd): void {
    this.hasEnded = true;
    this.#end.resolve(end);
  }

  fail(error: unknown): void {
    this.hasEnded = true;
    this.#end.reject(error);
  }
}

export interface HttpProviderOptions extends Ground {
  /** Address that the service may call; undefined where it cannot. */
  callbackUrl?: string | undefined;
  references: Pick<ReferencePublisher, "publish">;
  adapter: UpstreamAdapter;
  /** Secret that is never in a row or in the log, even where an answer repeats it. */
  key: string;
  /** Address that takes the place of the service's own scheme, host and port. */
  root?: URL | undefined;
  agent?: AgentOptions | undefined;
  exchange?: ServiceCallsOptions["exchange"];
  settings: ServiceSettings;
  /** Limit instead of the settings' own. */
  concurrency?: number | undefined;
  outputs: Pick<OutputFetcher, "fetch">;
  /** Pause between checks of an idle service that is the operator's own. */
  idleCheckMs?: number | undefined;
  spool: ReferenceSpool;
  answers: KeptAnswers;
  notices: NoticeQueue;
}

const WRITE_BACK_OFF = { firstMs: 200, maxMs: 10_000 };
const DETAIL_LENGTH_MAX = 500;

/** What submits, polls and downloads of one service have in common. */
export class Service {
  readonly options: Omit<HttpProviderOptions, "key">;
  readonly adapter: UpstreamAdapter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly failPoint: FailPoint;
  readonly store: AttemptStore;
  readonly calls: ServiceCalls;
  readonly state: ServiceState;
  readonly stats = new ServiceStats();
  /** Runs whose attempts are at the service, or about to be sent, by attempt. */
  readonly runs = new Map<number, Run>();
  readonly closing: AbortSignal;
  readonly #key: string;
  readonly #closing = new AbortController();
  readonly #rooms: Slots;
  readonly #ages: Ages;
  #host: ProviderHost | undefined;

  /** @param wake called when an attempt is due */
  constructor(
    options: HttpProviderOptions,
    readonly wake: () => void,
  ) {
    const { key, ...own } = options;
    const { adapter, database, clock } = own;
    this.options = own;
    this.#key = key;
    this.adapter = adapter;
    this.clock = clock;
    this.logger = options.logger.child({ provider: adapter.name });
    this.failPoint = options.failPoint;
    this.store = new AttemptStore(database, adapter.name, (end) => this.stats.noteEnd(end));
    this.calls = new ServiceCalls({ ...own, key, onReached: (reach) => this.state.noteReached(reach) });
    this.state = new ServiceState(new StateStore(database, adapter.name), adapter, this.calls, {
      clock,
      logger: this.logger,
      idleCheckMs: options.idleCheckMs,
      onChange: () => this.roomAgain(),
    });
    this.closing = this.#closing.signal;
    setMaxListeners(0, this.closing);
    this.#ages = new Ages(clock);
    this.#rooms = new Slots(clock, { size: 1 });
  }

  /**
   * Waits until a run may hold an answer of many megabytes, which it does until its end: files as base64 fill the heap
   * where several are held at once. Never rejects.
   */
  async takeRoom(run: Run): Promise<void> {
    run.room ??= this.#rooms.acquire(this.closing).catch(() => undefined);
    const slot = await run.room;
    void run.ended.catch(() => {}).finally(() => slot?.release());
  }

  /** Call for a run whose answer has brought nothing: another is read before it is asked about again. */
  leaveRoom(run: Run): void {
    void run.room?.then((slot) => slot?.release());
    run.room = undefined;
  }

  get host(): ProviderHost {
    if (!this.#host) throw new Error(`the provider ${this.adapter.name} has not been started`);
    return this.#host;
  }

  set host(host: ProviderHost) {
    this.#host = host;
  }

  roomAgain(): void {
    this.#host?.roomAgain();
  }

  /** Call when the attempt of a run is at the service, or about to be sent. */
  noteSent(run: Run): void {
    if (run.hasEnded) return;
    this.runs.set(run.attempt.attempt_id, run);
    if (this.options.settings.submits) this.roomAgain();
  }

  /** Ends what waits. Call when no submit is under way. */
  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.state.close(), this.calls.close()]);
  }

  /** Tries until the database takes it, refuses it for good or is about to close: then throws the last error. */
  persist<T>(attempt: Attempt, write: () => Promise<T>): Promise<T> {
    const { clock, closing: signal } = this;
    const onFailure = (error: unknown) =>
      this.logger.error({ ...idsOf(attempt), err: error }, "attempt not written, trying again");
    return retry({ clock, backOff: WRITE_BACK_OFF, onFailure, signal, until: isConstraint }, write);
  }

  /** Writes that the service has the task of a reference, as `AttemptStore.accept` does. */
  accept(
    attempt: Attempt,
    { reference, accepted_at: acceptedAt }: Omit<SpooledReference, "uuid">,
    isFound = false,
  ): Promise<Attempt | undefined> {
    const deadlineAt = integer(acceptedAt + deadlineMs(attempt.operation.poll));
    const dueAt = integer(acceptedAt + this.firstPauseMs(attempt));
    return this.store.accept(attempt.attempt_id, { reference, acceptedAt, deadlineAt, dueAt }, isFound);
  }

  /** Removes the kept answer of an attempt whose job has ended. Never rejects. */
  async removeAnswer({ attempt_id, uuid }: Attempt): Promise<void> {
    await this.options.answers.remove(uuid).catch((error: unknown) => {
      this.logger.warn({ attempt_id, err: error }, "kept answer not removed");
    });
  }

  /** Cleans what a service said, for the record. */
  cleanDetail(detail: string): string {
    const key = this.#key;
    return redact(key === "" ? detail : detail.replaceAll(key, "[key]")).slice(0, DETAIL_LENGTH_MAX);
  }

  /** The pause from the acceptance to the first poll has no jitter: submits have spread them. */
  firstPauseMs(attempt: Attempt): Integer {
    return this.#pauseMs(attempt, 0, () => 0);
  }

  pauseMs(attempt: Attempt): Integer {
    return this.#pauseMs(attempt, this.ageMs(attempt));
  }

  /** Returns the age since the acceptance. From the first call on, best made then, no step of the clock changes it. */
  ageMs({ attempt_id: id, accepted_at, planned_at }: Attempt): number {
    return this.#ages.of(String(id), accepted_at ?? planned_at);
  }

  #pauseMs({ operation }: Attempt, ageMs: number, random?: () => number): Integer {
    const { settings } = this.options;
    const { polls_per_sec: perSec } = settings;
    const runs = perSec === undefined ? [] : [...this.runs.values()];
    const accepted = runs.filter(({ attempt }) => attempt.state === "accepted");
    const load = { inFlight: accepted.length, perSec };
    return taskPauseMs(pollSteps(operation, settings), ageMs, load, random);
  }
}

export function idsOf({ attempt_id, job_id, endpoint, operation: { output } }: Attempt) {
  const type = output.kind === "audio" ? "music" : output.kind;
  return { attempt_id, job_id: publicJobId(type, job_id), endpoint };
}

const JITTER = 0.1;
/** Limits the pause before a first poll, however many tasks there are. */
const FIRST_PAUSE_MAX_MS = 10 * SECOND_MS;
/** Part of a service's limit that polls may use by plan. The rest is for results, and for polls that coincide. */
const PLANNED_PART = 1 / 1.2;

/** Pause between polls of tasks that are younger than `until_sec`. The last step has no end. */
export type PollStep = NonNullable<NonNullable<ServiceSettings["polls"]>["image"]>[number];

export interface PollLoad {
  inFlight: number;
  /** Polls a second that the service allows; undefined where no limit is known. */
  perSec: number | undefined;
}

/** Returns the schedule of the service for the kind of file, or else that of the mapping. */
export function pollSteps(
  { poll, output }: Pick<Operation, "poll" | "output">,
  { polls }: Pick<ServiceSettings, "polls">,
): readonly PollStep[] {
  return polls?.[output.kind] ?? mappingSteps(poll);
}

export function mappingSteps({ first_ms, every_ms }: PollSchedule): PollStep[] {
  let at = 0;
  const steps = [first_ms, ...every_ms].map((pauseMs) => {
    at += pauseMs;
    return { every_ms: pauseMs, until_sec: (at * (1 - JITTER)) / SECOND_MS };
  });
  return [...steps.slice(0, -1), { every_ms: every_ms.at(-1) ?? first_ms }];
}

/**
 * Computes the pause in ms before the next poll of a task that was accepted `ageMs` ago: by its age, or longer where
 * all tasks together would come near the service's limit. Jitter only shortens it.
 */
export function taskPauseMs(
  steps: readonly PollStep[],
  ageMs: number,
  { inFlight, perSec }: PollLoad,
  random: () => number = Math.random,
): Integer {
  const isYounger = ({ until_sec = Number.POSITIVE_INFINITY }: PollStep) => ageMs < until_sec * SECOND_MS;
  const byAge = steps.find(isYounger)?.every_ms ?? 0;
  const byLoad = perSec === undefined ? 0 : (inFlight * SECOND_MS) / (perSec * PLANNED_PART);
  const pauseMs = Math.max(byAge, byLoad);
  const wanted = pauseMs * (1 - JITTER * random());
  return integer(ageMs === 0 ? Math.min(wanted, FIRST_PAUSE_MAX_MS) : wanted);
}

export function deadlineMs({ deadline_sec }: PollSchedule): number {
  return deadline_sec * SECOND_MS;
}

/** Shortest pause between polls of a task whose service is expected to call when it has ended. */
const CALLBACK_PAUSE_MIN_MS = 30 * SECOND_MS;
const CALLBACK_PAUSE_MAX_MS = 60 * SECOND_MS;
/** Age from which on that pause is the longest. */
const LONGEST_AT_MS = 5 * MINUTE_MS;

/** Computes the pause before the next poll, in case the callback is lost, of a task accepted `ageMs` ago. */
export function callbackPauseMs(ageMs: number): number {
  const part = Math.min(1, Math.max(0, ageMs) / LONGEST_AT_MS);
  const pauseMs = CALLBACK_PAUSE_MIN_MS + (CALLBACK_PAUSE_MAX_MS - CALLBACK_PAUSE_MIN_MS) * part;
  return Math.round(Math.min(CALLBACK_PAUSE_MAX_MS, pauseMs * (1 + JITTER * Math.random())));
}
