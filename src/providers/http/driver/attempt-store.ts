import type { Database } from "../../../database/database.js";
import type { Transaction } from "../../../database/transaction.js";
import type { Cost, Operation } from "../../../mapping/operation.js";
import { type Integer, integer } from "../../../platform/integer.js";
import type { PollRow, PollStore } from "../../../platform/poller.js";
import { HOUR_MS } from "../../../platform/units.js";
import type { AttemptState } from "../../../ports/attempt-states.js";
import type { RefusalKind, UpstreamReference } from "../adapter.js";
import { type Acceptance, acceptRow, moveRow, ownerOf } from "./accept-row.js";
import type { Attempt } from "./attempt.js";
import { attemptOfCallback, callbackHash, hurryAttempt } from "./attempt-callbacks.js";
import { CANCELLED, costColumns, EMPTY, endColumns, hashOf, requestColumns } from "./attempt-columns.js";
import { statesBefore } from "./attempt-moves.js";
import * as table from "./attempt-table.js";
import { rewindAttempts } from "./rewind-attempts.js";

export interface NewAttempt {
  uuid: string;
  jobId: number;
  operation: Operation;
  plannedAt: Integer;
  deadlineAt: Integer;
}

/** Distance from which equal requests have tasks of their own. */
const NEAR_MS = HOUR_MS;

/** Stores the rows of one service. Each move is a compare-and-set, and resolves when it is committed. */
export class AttemptStore implements PollStore<PollRow> {
  readonly #database: Database;
  readonly #provider: string;

  constructor(database: Database, provider: string) {
    this.#database = database;
    this.#provider = provider;
  }

  find(id: number): Attempt | undefined {
    const row = this.#database.first(table.selectAttempt, { id });
    return row && table.attemptOf(row);
  }

  findByUuid(uuid: string): Attempt | undefined {
    const row = this.#database.first(table.selectByUuid, { uuid, provider: this.#provider });
    return row && table.attemptOf(row);
  }

  findByCallback(token: string): Attempt | undefined {
    return attemptOfCallback(this.#database, this.#provider, token);
  }

  /** Returns the latest attempt of a job at this service. */
  latestOf(jobId: number): Attempt | undefined {
    const row = this.#database.first(table.selectLatest, { job_id: jobId, provider: this.#provider });
    return row && table.attemptOf(row);
  }

  /** Counts how often the job was sent, or may have been. */
  sentCount(jobId: number): number {
    const given = { job_id: jobId, provider: this.#provider };
    return this.#database.first(table.countSent, given)?.count ?? 0;
  }

  sending(): Attempt[] {
    return this.#database.all(table.selectSending, { provider: this.#provider }).map(table.attemptOf);
  }

  submittedSince(since: Integer): number[] {
    const rows = this.#database.all(table.selectSubmitted, { provider: this.#provider, since });
    return rows.map(({ submitted_at }) => submitted_at);
  }

  countOpen(): Partial<Record<AttemptState, number>> {
    const rows = this.#database.all(table.countOpen, { provider: this.#provider });
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  due(now: Integer, limit: number): PollRow[] {
    const rows = this.#database.all(table.selectDue, { provider: this.#provider, now, limit });
    return rows.map((row) => ({
      id: String(row.attempt_id),
      since: row.planned_at,
      dueAt: row.due_at ?? now,
    }));
  }

  nextDueAfter(now: Integer): Integer | undefined {
    return this.#database.first(table.selectNextDue, { provider: this.#provider, now })?.due_at;
  }

  /** Joins other writes: a lost one only repeats a poll. */
  postpone(id: string, dueAt: Integer): Promise<void> {
    return this.#database.writeLazily(
      "attempt:postponed",
      (tx) => void tx.run(table.setDue, { id: Number(id), due_at: dueAt }),
    );
  }

  hurry(id: number, dueAt: Integer): Promise<void> {
    return hurryAttempt(this.#database, id, dueAt);
  }

  rewind(now: Integer): Promise<void> {
    return rewindAttempts(this.#database, this.#provider, now);
  }

  plan({ uuid, jobId, operation, plannedAt, deadlineAt }: NewAttempt): Promise<Attempt> {
    return this.#database.write("attempt:planned", (tx) => {
      const row: table.NewAttemptRow = {
        ...EMPTY,
        ...requestColumns(operation),
        uuid,
        job_id: jobId,
        no: (tx.first(table.selectLastNo, { job_id: jobId })?.no ?? 0) + 1,
        provider: this.#provider,
        planned_at: plannedAt,
        deadline_at: deadlineAt,
      };
      return table.attemptOf({ ...row, attempt_id: tx.insert(table.insertAttempt, row) });
    });
  }

  /** Changes the request of an attempt that was not sent: links of references live for a while only. */
  replan(id: number, operation: Operation): Promise<Attempt | undefined> {
    return this.#write("attempt:planned", id, ["planned"], requestColumns(operation));
  }

  send(id: number, submittedAt: Integer, callbackToken?: string): Promise<Attempt | undefined> {
    const hash = callbackToken === undefined ? null : callbackHash(callbackToken);
    return this.#move(id, "sending", { submitted_at: submittedAt, callback_hash: hash });
  }

  /** Takes back a POST that was surely not accepted. */
  unsend(id: number, detail: string): Promise<Attempt | undefined> {
    return this.#move(id, "planned", { submitted_at: null, detail });
  }

  /** Lists the tasks of other attempts with the same request, that were sent about when this one was. */
  tasksLike({ operation, submittedAt, plannedAt }: Attempt): UpstreamReference[] {
    const given = { request_hash: hashOf(operation), since: integer((submittedAt ?? plannedAt) - NEAR_MS) };
    const rows = this.#database.all(table.selectTasksOf, { provider: this.#provider, ...given });
    return rows.map(({ ref }) => table.storedReference.parse(JSON.parse(ref)));
  }

  /** Accepts a task; undefined, and no change, where another attempt has it. */
  acceptFound(id: number, acceptance: Acceptance): Promise<Attempt | undefined> {
    return this.#database.write("attempt:accepted", (tx) => {
      const row = tx.first(table.selectAttempt, { id });
      const owner = ownerOf(tx, this.#provider, acceptance.reference);
      return row && (!owner || owner.attempt_id === id) ? acceptRow(tx, row, acceptance) : undefined;
    });
  }

  /** Accepts a task. Ambiguous afterwards where another attempt has it. One that was ambiguous becomes late. */
  accept(id: number, acceptance: Acceptance): Promise<Attempt | undefined> {
    return this.#database.write("attempt:accepted", (tx) => {
      const row = tx.first(table.selectAttempt, { id });
      return row && acceptRow(tx, row, acceptance);
    });
  }

  /** Records that the service has made it. It is not asked again while the files are fetched. */
  ready(id: number, cost: Cost | undefined): Promise<Attempt | undefined> {
    return this.#database.write("attempt:ready", (tx) => {
      const row = tx.first(table.selectAttempt, { id });
      if (!row) return undefined;
      const isAgain = row.state === "ready" || row.state === "stored";
      if (isAgain) return moveRow(tx, row, [row.state], { due_at: null, flagged: row.late || row.flagged });
      return moveRow(tx, row, statesBefore("ready"), {
        state: "ready",
        due_at: null,
        flagged: row.late,
        poll_failures: 0,
        unknown_since: null,
        ...(cost && costColumns(cost)),
      });
    });
  }

  stored(id: number): Promise<Attempt | undefined> {
    return this.#move(id, "stored", { due_at: null });
  }

  /** Stores in a commit of others. */
  storeIn(tx: Transaction, id: number): boolean {
    const row = tx.first(table.selectAttempt, { id });
    const change = { state: "stored", due_at: null } as const;
    return row !== undefined && moveRow(tx, row, statesBefore("stored"), change) !== undefined;
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
    return this.#database.write("attempt:ambiguous", (tx) => {
      const row = tx.first(table.selectAttempt, { id });
      if (!row) return undefined;
      const known = table.attemptOf(row);
      return moveRow(tx, row, statesBefore("ambiguous"), {
        state: "ambiguous",
        detail,
        due_at: dueAt ?? null,
        flagged: 1,
        ...costColumns(known.cost ?? known.operation.cost),
      });
    });
  }

  /** Ends an attempt that waited for long enough without being sent. */
  giveUp(id: number, detail: string): Promise<Attempt | undefined> {
    return this.#write("attempt:cancelled", id, ["planned"], { ...CANCELLED, detail });
  }

  /** Records that a look-up has proved that nothing was made. */
  setAbsent(id: number, detail: string): Promise<Attempt | undefined> {
    return this.#write("attempt:cancelled", id, ["sending", "ambiguous"], { ...CANCELLED, detail });
  }

  /** Records that what was made is lost, and made again by another attempt. */
  setGone(id: number, detail: string): Promise<Attempt | undefined> {
    return this.#write("attempt:cancelled", id, ["ready"], { ...CANCELLED, detail });
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
  resumeReady(dueAt: Integer, which: "all" | "late"): Promise<void> {
    const given = { provider: this.#provider, due_at: dueAt, late: which === "late" ? 1 : 0 } as const;
    return this.#database.write("attempt:again", (tx) => void tx.run(table.setReadyDue, given));
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

  #move(id: number, state: AttemptState, change: Partial<table.AttemptRow>): Promise<Attempt | undefined> {
    return this.#write(`attempt:${state}`, id, statesBefore(state), { ...change, state });
  }

  #write(label: string, id: number, from: readonly AttemptState[], change: Partial<table.AttemptRow>) {
    return this.#database.write(label, (tx) => {
      const row = tx.first(table.selectAttempt, { id });
      return row && moveRow(tx, row, from, change);
    });
  }
}
