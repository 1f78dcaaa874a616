import { hash } from "node:crypto";
import { type Generated, type Selectable, sql } from "kysely";
import { z } from "zod";
import { type Cost, type Operation, operationSchema } from "../catalogue/operation.js";
import type { Database, Transaction } from "../database/database.js";
import { JsonColumn } from "../database/json-column.js";
import { prepare, qb } from "../database/prepared.js";
import { moreThan, not, table } from "../database/table.js";
import type { AttemptState } from "../jobs/order-reader.js";
import { type Integer, integer } from "../platform/integer.js";
import type { PollRow, PollStore } from "../platform/poller.js";
import { HOUR_MS, SECOND_MS } from "../platform/units.js";
import type { RefusalKind, UpstreamReference } from "./adapter.js";

/** Times in ms since the epoch. */
interface AttemptTable {
  /** 0 until it has a row. */
  attempt_id: Generated<number>;
  /** Id chosen before the POST, for services that take one of ours. */
  uuid: string;
  job_id: number;
  no: number;
  provider: string;
  endpoint: string;
  operation: string;
  request_hash: string;
  state: AttemptState;
  ref: string | null;
  /** Task of the reference. No other attempt of the service has it. */
  task_id: string | null;
  /** 1 where the job ended before. What still comes is kept and not delivered. */
  late: 0 | 1;
  planned_at: Integer;
  submitted_at: Integer | null;
  accepted_at: Integer | null;
  /** Time until which a planned attempt waits, and an accepted one is awaited. */
  deadline_at: Integer;
  /** Time at which the service is asked next. */
  due_at: Integer | null;
  /** Answers in a row that the task is unknown, and when the first one came. */
  poll_failures: number;
  unknown_since: Integer | null;
  cost_amount: number | null;
  cost_currency: string | null;
  cost_source: Cost["source"] | null;
  refusal: RefusalKind | null;
  detail: string | null;
  flagged: 0 | 1;
  /** Hash of the token that the service was given for this attempt. */
  callback_hash: string | null;
}
type AttemptRow = Selectable<AttemptTable>;

declare module "../database/prepared.js" {
  interface Schema {
    attempt: AttemptTable;
  }
}

const ofProvider = (provider: string) => qb.selectFrom("attempt").where("provider", "=", provider);

const attempts = table("attempt", ["state"]);

type DueRow = Pick<AttemptRow, "attempt_id" | "planned_at" | "due_at">;
const selectDue = prepare<{ provider: string; now: Integer; limit: number }, DueRow>((p) =>
  ofProvider(p.provider)
    .select(["attempt_id", "planned_at", "due_at"])
    .where("due_at", "is not", sql.lit(null))
    .where("due_at", "<=", p.now)
    .orderBy("due_at")
    .limit(p.limit),
);
const countOpen = prepare<{ provider: string }, { state: AttemptState; count: number }>((p) =>
  ofProvider(p.provider)
    .select((eb) => ["state", eb.fn.countAll<number>().as("count")])
    .where(sql<boolean>`state IN ('planned', 'sending', 'accepted', 'ready', 'ambiguous')`)
    .groupBy("state"),
);

export const ATTEMPT_QUERIES = {
  selectDue,
  countOpen,
};

export const storedReference: z.ZodType<UpstreamReference> = z.record(z.string(), z.json());
export const ATTEMPT_REFERENCE = new JsonColumn<UpstreamReference>("attempt", "ref", storedReference);
export const ATTEMPT_OPERATION = new JsonColumn<Operation>("attempt", "operation", operationSchema);

/** One submission of a job to a service: a row, or one that is not written yet. */
export interface Attempt extends Readonly<Omit<AttemptRow, "operation" | "ref">> {
  readonly operation: Operation;
  readonly reference: UpstreamReference | undefined;
}

function attemptOf({ operation, ref, ...row }: AttemptRow): Attempt {
  const reference = ref === null ? undefined : ATTEMPT_REFERENCE.read(ref);
  return { ...row, operation: ATTEMPT_OPERATION.read(operation), reference };
}

export function costOf(of: Pick<AttemptRow, `cost_${"amount" | "currency" | "source"}`>): Cost | undefined {
  const { cost_amount: amount, cost_currency: currency, cost_source: source } = of;
  return amount === null || currency === null || source === null ? undefined : { amount, currency, source };
}

const MOVES: Readonly<Record<AttemptState, readonly AttemptState[]>> = {
  // One in a restored backup may have been sent since.
  planned: ["sending", "ambiguous", "cancelled"],
  // A look-up proves `cancelled` later.
  sending: ["planned", "accepted", "ready", "refused", "ambiguous", "cancelled"],
  accepted: ["ready", "refused", "failed", "ambiguous"],
  // Refused where its picture is black, and cancelled where its file is gone, and another attempt makes it again.
  ready: ["stored", "refused", "failed", "cancelled"],
  // Files that a crash or a full disk lost are fetched again, which may fail.
  stored: ["stored", "failed"],
  refused: [],
  failed: [],
  ambiguous: ["accepted", "cancelled"],
  cancelled: [],
};

export function canMove(from: AttemptState, to: AttemptState): boolean {
  return MOVES[from].includes(to);
}

/** States in which nothing is made any more, or nobody knows. A late task may go on all the same. */
export const ENDED: readonly AttemptState[] = ["stored", "refused", "failed", "ambiguous", "cancelled"];

const EMPTY = {
  state: "planned",
  ref: null,
  task_id: null,
  late: 0,
  submitted_at: null,
  accepted_at: null,
  due_at: null,
  poll_failures: 0,
  unknown_since: null,
  cost_amount: null,
  cost_currency: null,
  cost_source: null,
  refusal: null,
  detail: null,
  flagged: 0,
  callback_hash: null,
} as const;

/** Columns of an attempt of which the service has made nothing, and charges nothing. */
const UNPAID = { flagged: 0, cost_amount: null, cost_currency: null, cost_source: null } as const;

function costColumns(cost: Cost | undefined) {
  return {
    cost_amount: cost?.amount ?? null,
    cost_currency: cost?.currency ?? null,
    cost_source: cost?.source ?? null,
  };
}

/** Returns the columns of an attempt that ends without a file. Nothing is charged unless the service says so. */
function endColumns(cost: Cost | undefined) {
  return cost ? costColumns(cost) : UNPAID;
}

/** Names a request to the operator of the service, such as in a claim. */
export function hashOf({ api, endpoint, input }: Operation): string {
  return hash("sha256", JSON.stringify([api ?? null, endpoint, input]));
}

/** Flags what services took, or made, for a job that is refunded: it may have been paid for. */
export function flagRefunded(tx: Transaction, jobId: number): void {
  for (const state of ["accepted", "ready", "stored"] as const)
    attempts.update(tx, { job_id: jobId, state }, { flagged: 1 });
}

const eraseInput = prepare<{ job_id: number }>((p) =>
  qb
    .updateTable("attempt")
    .set({ operation: sql<string>`json_set(operation, '$.input', json('{}'))`, detail: sql.lit(null) })
    .where("job_id", "=", p.job_id),
);

/** Erases what was sent to services for a job that has ended. References and costs stay. */
export function eraseAttempts(tx: Transaction, jobId: number): void {
  tx.run(eraseInput, { job_id: jobId });
}

const NAMES = ["request_id", "task_id", "prompt_id", "job_id", "id"] as const;

/** Identifies the task of a reference: other parts of references may differ. */
function taskIdOf(reference: UpstreamReference): string {
  for (const name of NAMES) {
    const id = reference[name];
    if (typeof id === "string" || typeof id === "number") return String(id);
  }
  return JSON.stringify(reference);
}

/** Longest pauses between polls of a task that a job waits for, and of any other. */
const PAUSE_MAX_MS = 30 * SECOND_MS;
const LATE_PAUSE_MAX_MS = HOUR_MS;

interface Range {
  provider: string;
  now: Integer;
  soon: Integer;
  late: Integer;
}
const latestDue = (p: Range) =>
  sql<Integer>`CASE
    WHEN planned_at > ${p.now} OR submitted_at > ${p.now} OR accepted_at > ${p.now} THEN ${p.now}
    WHEN late = 0 AND state <> 'ambiguous' THEN ${p.soon}
    ELSE ${p.late} END`;
const isOfFuture = (p: Range) =>
  sql<boolean>`(planned_at > ${p.now} OR submitted_at > ${p.now} OR accepted_at > ${p.now}
    OR unknown_since > ${p.now} OR due_at > ${latestDue(p)})`;
const selectOfFuture = prepare<Range, { attempt_id: number }>((p) =>
  qb
    .selectFrom("attempt")
    .select("attempt_id")
    .where("provider", "=", p.provider)
    .where("due_at", "is not", sql.lit(null))
    .where(isOfFuture(p))
    .limit(sql.lit(1)),
);
/** Moves a deadline with the acceptance, or the plan, so that their distance stays. */
const rewind = prepare<Range>((p) =>
  qb
    .updateTable("attempt")
    .set({
      deadline_at: sql`deadline_at - max(0, coalesce(accepted_at, planned_at) - ${p.now})`,
      due_at: sql`min(due_at, ${latestDue(p)})`,
      planned_at: sql`min(planned_at, ${p.now})`,
      submitted_at: sql`min(submitted_at, ${p.now})`,
      accepted_at: sql`min(accepted_at, ${p.now})`,
      unknown_since: sql`min(unknown_since, ${p.now})`,
    })
    .where("provider", "=", p.provider)
    .where("due_at", "is not", sql.lit(null))
    .where(isOfFuture(p)),
);

type Sent = Pick<AttemptRow, "state" | "submitted_at" | "callback_hash">;
type Plan = Pick<Attempt, "uuid" | "job_id" | "no" | "operation" | "planned_at" | "deadline_at">;

/** Distance from which equal requests have tasks of their own. */
const NEAR_MS = HOUR_MS;

/** What became of a job at this service. */
export interface AttemptHistory {
  latest: Attempt | undefined;
  /** True where the latest was sent, or may have been. */
  isSent: boolean;
  /** How often one was sent, or may have been. */
  sentCount: number;
  nextNo: number;
}

/**
 * Stores the rows of one service. Each move is a compare-and-set, and resolves when it is committed.
 * `onEnd` hears then of each that ended, and how; `late` for what was stored after its job.
 */
export class AttemptStore implements PollStore<PollRow> {
  constructor(
    private readonly database: Database,
    private readonly provider: string,
    private readonly onEnd: (end: AttemptState | "late") => void = () => {},
  ) {}

  find(id: number): Attempt | undefined {
    return this.#first({ attempt_id: id });
  }

  findByUuid(uuid: string): Attempt | undefined {
    return this.#first({ uuid, provider: this.provider });
  }

  findByCallback(token: string): Attempt | undefined {
    return this.#first({ callback_hash: hash("sha256", token), provider: this.provider });
  }

  #first(where: Partial<AttemptRow>): Attempt | undefined {
    const row = attempts.get(this.database, where);
    return row && attemptOf(row);
  }

  historyOf(jobId: number): AttemptHistory {
    const rows = attempts.all(this.database, { job_id: jobId }, { orderBy: ["no"] });
    const own = rows.filter(({ provider }) => provider === this.provider);
    const latest = own.at(-1);
    return {
      latest: latest && attemptOf(latest),
      isSent: latest !== undefined && latest.state !== "planned" && latest.state !== "cancelled",
      sentCount: own.filter(({ submitted_at }) => submitted_at !== null).length,
      nextNo: (rows.at(-1)?.no ?? 0) + 1,
    };
  }

  sending(): Attempt[] {
    const rows = attempts.all(this.database, { provider: this.provider, state: "sending" });
    return rows.map(attemptOf);
  }

  submittedSince(since: Integer): number[] {
    const rows = attempts.all(
      this.database,
      { provider: this.provider, submitted_at: moreThan(since) },
      { orderBy: ["submitted_at"] },
    );
    return rows.flatMap(({ submitted_at }) => submitted_at ?? []);
  }

  countOpen(): Partial<Record<AttemptState, number>> {
    const rows = this.database.all(countOpen, { provider: this.provider });
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  due(now: Integer, limit: number): PollRow[] {
    const rows = this.database.all(selectDue, { provider: this.provider, now, limit });
    return rows.map((row) => ({
      id: String(row.attempt_id),
      since: row.planned_at,
      dueAt: row.due_at ?? now,
    }));
  }

  nextDueAfter(now: Integer): Integer | undefined {
    const [next] = attempts.all(
      this.database,
      { provider: this.provider, due_at: moreThan(now) },
      { orderBy: ["due_at"], limit: 1 },
    );
    return next?.due_at ?? undefined;
  }

  /** Joins other writes: a lost one only repeats a poll. */
  async postpone(id: string, dueAt: Integer): Promise<void> {
    const due = { attempt_id: Number(id), due_at: not(null) };
    await this.database.writeLazily("attempt:postponed", (tx) => attempts.update(tx, due, { due_at: dueAt }));
  }

  /** Moves the poll of a task that is waited for, or of a doubtful submit, to `dueAt`, only ever to an earlier one. */
  hurry(id: number, dueAt: Integer): Promise<void> {
    return this.database.write("attempt:hurried", (tx) => {
      for (const state of ["sending", "accepted"] as const)
        attempts.update(tx, { attempt_id: id, state, due_at: moreThan(dueAt) }, { due_at: dueAt });
    });
  }

  /** Corrects attempts after the clock was set back: none stays in the future, or due later than a pause allows. */
  async rewind(now: Integer): Promise<void> {
    const times = { now, soon: integer(now + PAUSE_MAX_MS), late: integer(now + LATE_PAUSE_MAX_MS) };
    const range = { provider: this.provider, ...times };
    if (!this.database.first(selectOfFuture, range)) return;
    await this.database.write("attempt:rewound", (tx) => void tx.run(rewind, range));
  }

  /** Builds an attempt that is not written: it is when it has to wait, or is sent. A planned row gets its request. */
  plan(plan: Plan): Attempt {
    const { operation } = plan;
    const request = { endpoint: operation.endpoint, request_hash: hashOf(operation), reference: undefined };
    return { ...EMPTY, attempt_id: 0, provider: this.provider, ...plan, ...request };
  }

  /** Writes an attempt that has to wait: in a backup that is restored it may have been sent since. */
  keep(attempt: Attempt): Promise<Attempt | undefined> {
    return this.database.write("attempt:planned", (tx) => this.#writePlan(tx, attempt, {}));
  }

  send(attempt: Attempt, submittedAt: Integer, callbackToken?: string): Promise<Attempt | undefined> {
    // Nobody can call with what the database has.
    const callback_hash = callbackToken === undefined ? null : hash("sha256", callbackToken);
    const change = { state: "sending", submitted_at: submittedAt, callback_hash } as const;
    return this.database.write("attempt:sending", (tx) => this.#writePlan(tx, attempt, change));
  }

  /** Returns undefined where the attempt is no longer planned, or another one has its number. */
  #writePlan(tx: Transaction, attempt: Attempt, change: Partial<Sent>): Attempt | undefined {
    const { attempt_id: id, operation, reference: _none, ...own } = attempt;
    const { endpoint, request_hash, job_id, no } = own;
    const request = JSON.stringify(operation);
    if (id !== 0) {
      const row = attempts.get(tx, { attempt_id: id });
      const columns = { operation: request, endpoint, request_hash, ...change };
      return row?.state === "planned" ? this.#moveRow(tx, row, columns) : undefined;
    }
    if (attempts.get(tx, { job_id, no })) return undefined;
    const attempt_id = attempts.insert(tx, { ...own, operation: request, ...change });
    return { ...attempt, ...change, attempt_id };
  }

  /** Takes back a POST that was surely not accepted. */
  unsend(id: number, detail: string): Promise<Attempt | undefined> {
    return this.#move(id, "planned", { submitted_at: null, detail });
  }

  /** Lists the tasks of other attempts with the same request, that were sent about when this one was. */
  tasksLike({ operation, submitted_at, planned_at }: Attempt): UpstreamReference[] {
    const since = (submitted_at ?? planned_at) - NEAR_MS;
    const rows = attempts.all(this.database, {
      provider: this.provider,
      submitted_at: moreThan(since),
      request_hash: hashOf(operation),
    });
    return rows.flatMap(({ ref }) => (ref === null ? [] : [ATTEMPT_REFERENCE.read(ref)]));
  }

  /**
   * Accepts a task. One that was ambiguous becomes late. Where another attempt has the task it becomes ambiguous: nobody
   * knows whose the task is. Undefined then, and no change, for one that was `found`.
   */
  accept(id: number, acceptance: Acceptance, isFound = false): Promise<Attempt | undefined> {
    const { reference, acceptedAt, deadlineAt, dueAt } = acceptance;
    const taskId = taskIdOf(reference);
    return this.#change("attempt:accepted", id, (row, tx) => {
      const owner = attempts.get(tx, { provider: this.provider, task_id: taskId });
      const isTaken = owner !== undefined && owner.attempt_id !== id;
      if (isTaken && isFound) return undefined;
      const ref = JSON.stringify(reference);
      const expected = costColumns(ATTEMPT_OPERATION.read(row.operation).cost);
      if (isTaken) {
        const detail = `the service named the task of attempt ${owner.attempt_id}`;
        return { state: "ambiguous", ref, detail, due_at: null, flagged: 1, ...expected };
      }
      const times = { accepted_at: acceptedAt, deadline_at: deadlineAt, due_at: dueAt };
      const late = row.state === "ambiguous" ? 1 : row.late;
      return { state: "accepted", ref, task_id: taskId, ...times, late, flagged: late, ...expected };
    });
  }

  /** Records that the service has made it. It is not asked again while the files are fetched. */
  ready(id: number, cost: Cost | undefined): Promise<Attempt | undefined> {
    return this.#change("attempt:ready", id, (row) => {
      const isAgain = row.state === "ready" || row.state === "stored";
      if (isAgain) return { due_at: null, flagged: row.late || row.flagged };
      const seen = { due_at: null, flagged: row.late, poll_failures: 0, unknown_since: null };
      return { state: "ready", ...seen, ...(cost && costColumns(cost)) };
    });
  }

  /** Records that its files are kept, in the commit that keeps them. */
  storeIn(tx: Transaction, id: number): boolean {
    const row = attempts.get(tx, { attempt_id: id });
    return row !== undefined && this.#moveRow(tx, row, { state: "stored", due_at: null }) !== undefined;
  }

  refuse(id: number, refusal: RefusalKind, detail: string, cost?: Cost): Promise<Attempt | undefined> {
    return this.#move(id, "refused", { due_at: null, refusal, detail, ...endColumns(cost) });
  }

  /** Records a failure at the service, which asks nothing for that unless it says so. */
  failUnpaid(id: number, detail: string, cost?: Cost): Promise<Attempt | undefined> {
    return this.#move(id, "failed", { due_at: null, detail, ...endColumns(cost) });
  }

  /** Records a failure that the service may charge for: the operator should look. */
  fail(id: number, detail: string): Promise<Attempt | undefined> {
    return this.#move(id, "failed", { due_at: null, detail, flagged: 1 });
  }

  /** Records doubt, at the expected cost. @param dueAt when it is looked up again; undefined where it cannot be */
  setAmbiguous(id: number, detail: string, dueAt: Integer | undefined): Promise<Attempt | undefined> {
    return this.#change("attempt:ambiguous", id, (row) => {
      const expected = costColumns(costOf(row) ?? ATTEMPT_OPERATION.read(row.operation).cost);
      return { state: "ambiguous", detail, due_at: dueAt ?? null, flagged: 1, ...expected };
    });
  }

  /** Ends an attempt for which nothing was made, or nothing that is left. */
  cancel(id: number, from: readonly AttemptState[], detail: string): Promise<Attempt | undefined> {
    return this.#write("attempt:cancelled", id, from, {
      state: "cancelled",
      due_at: null,
      ...UNPAID,
      detail,
    });
  }

  /** Records that the outcome of the POST is unknown, and is looked up. */
  doubt(id: number, detail: string, dueAt: Integer): Promise<Attempt | undefined> {
    return this.#write("attempt:doubted", id, ["sending"], { detail, due_at: dueAt });
  }

  markLate(id: number, dueAt: Integer): Promise<Attempt | undefined> {
    return this.#write("attempt:late", id, ["accepted"], { late: 1, due_at: dueAt });
  }

  /** Makes a task late that no job waits for. */
  abandon(id: number, dueAt: Integer): Promise<Attempt | undefined> {
    return this.#write("attempt:late", id, ["accepted", "ready", "stored"], { late: 1, due_at: dueAt });
  }

  /** Polls finished tasks whose files an earlier process was fetching: all, or those that no job waits for. */
  async resumeReady(dueAt: Integer, which: "all" | "late"): Promise<void> {
    const ready = { provider: this.provider, state: "ready", due_at: null } as const;
    const left = which === "late" ? ({ ...ready, late: 1 } as const) : ready;
    await this.database.write("attempt:again", (tx) => attempts.update(tx, left, { due_at: dueAt }));
  }

  pollAgain(id: number, dueAt: Integer): Promise<Attempt | undefined> {
    return this.#write("attempt:again", id, ["accepted", "ready", "stored"], { due_at: dueAt });
  }

  stopPolling(id: number): Promise<Attempt | undefined> {
    return this.#write("attempt:left", id, ["ready", "stored", "ambiguous"], { due_at: null });
  }

  setUnknown(id: number, count: number, since: Integer | undefined): Promise<Attempt | undefined> {
    const columns = { poll_failures: count, unknown_since: since ?? null };
    return this.#write("attempt:unknown", id, ["accepted", "ready", "stored"], columns);
  }

  #move(id: number, state: AttemptState, change: Partial<AttemptRow>): Promise<Attempt | undefined> {
    return this.#change(`attempt:${state}`, id, () => ({ ...change, state }));
  }

  #write(label: string, id: number, from: readonly AttemptState[], change: Partial<AttemptRow>) {
    return this.#change(label, id, ({ state }) => (from.includes(state) ? change : undefined));
  }

  /** Changes a row, where `changeOf` has a change and the table of moves allows its state. */
  #change(
    label: string,
    id: number,
    changeOf: (row: AttemptRow, tx: Transaction) => Partial<AttemptRow> | undefined,
  ): Promise<Attempt | undefined> {
    return this.database.write(label, (tx) => {
      const row = attempts.get(tx, { attempt_id: id });
      const change = row && changeOf(row, tx);
      return change && this.#moveRow(tx, row, change);
    });
  }

  /** Returns undefined, and changes nothing, where the table has no such move. */
  #moveRow(tx: Transaction, row: AttemptRow, change: Partial<AttemptRow>): Attempt | undefined {
    const { state } = change;
    if (state !== undefined && !canMove(row.state, state)) return undefined;
    if (attempts.update(tx, { attempt_id: row.attempt_id, state: row.state }, change) === 0) return undefined;
    if (state !== undefined && ENDED.includes(state))
      tx.afterCommit(() => this.onEnd(state === "stored" && row.late === 1 ? "late" : state));
    return attemptOf({ ...row, ...change });
  }
}

export interface Acceptance {
  reference: UpstreamReference;
  acceptedAt: Integer;
  deadlineAt: Integer;
  dueAt: Integer;
}
