import { type Generated, type Selectable, sql } from "kysely";
import { z } from "zod";
import { prepare } from "../../../database/prepared.js";
import { qb } from "../../../database/schema.js";
import type { Cost, Operation } from "../../../mapping/operation.js";
import { operationSchema } from "../../../mapping/operation.js";
import type { Integer } from "../../../platform/integer.js";
import type { AttemptState } from "../../../ports/attempt-states.js";
import type { RefusalKind, UpstreamReference } from "../adapter.js";
import type { Attempt } from "./attempt.js";

interface AttemptTable {
  attempt_id: Generated<number>;
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
  late: 0 | 1;
  planned_at: Integer;
  submitted_at: Integer | null;
  accepted_at: Integer | null;
  deadline_at: Integer;
  due_at: Integer | null;
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
export type AttemptRow = Selectable<AttemptTable>;

declare module "../../../database/schema.js" {
  interface Schema {
    attempt: AttemptTable;
  }
}

const ofProvider = (provider: string) => qb.selectFrom("attempt").where("provider", "=", provider);

export const selectAttempt = prepare<{ id: number }, AttemptRow>((p) =>
  qb.selectFrom("attempt").selectAll().where("attempt_id", "=", p.id),
);
export const selectByUuid = prepare<{ uuid: string; provider: string }, AttemptRow>((p) =>
  ofProvider(p.provider).selectAll().where("uuid", "=", p.uuid),
);
export const selectByTask = prepare<{ provider: string; task_id: string }, AttemptRow>((p) =>
  ofProvider(p.provider).selectAll().where("task_id", "=", p.task_id),
);
export const countSent = prepare<{ job_id: number; provider: string }, { count: number }>((p) =>
  ofProvider(p.provider)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("job_id", "=", p.job_id)
    .where("submitted_at", "is not", sql.lit(null)),
);
export const selectLatest = prepare<{ job_id: number; provider: string }, AttemptRow>((p) =>
  ofProvider(p.provider).selectAll().where("job_id", "=", p.job_id).orderBy("no", "desc").limit(sql.lit(1)),
);
export const selectLastNo = prepare<{ job_id: number }, { no: number }>((p) =>
  qb
    .selectFrom("attempt")
    .select("no")
    .where("job_id", "=", p.job_id)
    .orderBy("no", "desc")
    .limit(sql.lit(1)),
);
export const selectSending = prepare<{ provider: string }, AttemptRow>((p) =>
  ofProvider(p.provider).selectAll().where("state", "=", sql.lit("sending")),
);

export type DueRow = Pick<AttemptRow, "attempt_id" | "planned_at" | "due_at">;
export const selectDue = prepare<{ provider: string; now: Integer; limit: number }, DueRow>((p) =>
  ofProvider(p.provider)
    .select(["attempt_id", "planned_at", "due_at"])
    .where("due_at", "is not", sql.lit(null))
    .where("due_at", "<=", p.now)
    .orderBy("due_at")
    .limit(p.limit),
);
export const selectNextDue = prepare<{ provider: string; now: Integer }, { due_at: Integer }>((p) =>
  ofProvider(p.provider)
    .select("due_at")
    .$narrowType<{ due_at: Integer }>()
    .where("due_at", "is not", sql.lit(null))
    .where("due_at", ">", p.now)
    .orderBy("due_at")
    .limit(sql.lit(1)),
);
export const selectSubmitted = prepare<{ provider: string; since: Integer }, { submitted_at: Integer }>((p) =>
  ofProvider(p.provider)
    .select("submitted_at")
    .$narrowType<{ submitted_at: Integer }>()
    .where("submitted_at", ">", p.since)
    .orderBy("submitted_at"),
);
export const selectTasksOf = prepare<
  { provider: string; request_hash: string; since: Integer },
  { ref: string }
>((p) =>
  ofProvider(p.provider)
    .select("ref")
    .$narrowType<{ ref: string }>()
    .where("submitted_at", ">", p.since)
    .where("request_hash", "=", p.request_hash)
    .where("ref", "is not", sql.lit(null)),
);
export const OPEN_STATES = ["planned", "sending", "accepted", "ready", "ambiguous"] as const;
export const countOpen = prepare<{ provider: string }, { state: AttemptState; count: number }>((p) =>
  ofProvider(p.provider)
    .select((eb) => ["state", eb.fn.countAll<number>().as("count")])
    .where(
      "state",
      "in",
      OPEN_STATES.map((state) => sql.lit(state)),
    )
    .groupBy("state"),
);

export const ATTEMPT_QUERIES = {
  selectByTask,
  selectLatest,
  selectLastNo,
  countSent,
  selectSending,
  selectDue,
  selectNextDue,
  selectSubmitted,
  selectTasksOf,
  countOpen,
};

export type NewAttemptRow = Omit<AttemptRow, "attempt_id">;
type ChangingRow = Omit<NewAttemptRow, "uuid" | "job_id" | "no" | "provider" | "planned_at">;

/** Sets everything of an attempt that changes on its way. */
const changing = (p: ChangingRow) => ({
  endpoint: p.endpoint,
  operation: p.operation,
  request_hash: p.request_hash,
  state: p.state,
  ref: p.ref,
  task_id: p.task_id,
  late: p.late,
  submitted_at: p.submitted_at,
  accepted_at: p.accepted_at,
  deadline_at: p.deadline_at,
  due_at: p.due_at,
  poll_failures: p.poll_failures,
  unknown_since: p.unknown_since,
  cost_amount: p.cost_amount,
  cost_currency: p.cost_currency,
  cost_source: p.cost_source,
  refusal: p.refusal,
  detail: p.detail,
  flagged: p.flagged,
  callback_hash: p.callback_hash,
});

export const insertAttempt = prepare<NewAttemptRow>((p) =>
  qb.insertInto("attempt").values({
    uuid: p.uuid,
    job_id: p.job_id,
    no: p.no,
    provider: p.provider,
    planned_at: p.planned_at,
    ...changing(p),
  }),
);

/** Writes everything that changes, where the state is still `from`. */
export const updateAttempt = prepare<AttemptRow & { from: AttemptState }>((p) =>
  qb
    .updateTable("attempt")
    .set(changing(p))
    .where("attempt_id", "=", p.attempt_id)
    .where("state", "=", p.from),
);
export const setDue = prepare<{ id: number; due_at: Integer }>((p) =>
  qb
    .updateTable("attempt")
    .set({ due_at: p.due_at })
    .where("attempt_id", "=", p.id)
    .where("due_at", "is not", sql.lit(null)),
);

export const setReadyDue = prepare<{ provider: string; due_at: Integer; late: 0 | 1 }>((p) =>
  qb
    .updateTable("attempt")
    .set({ due_at: p.due_at })
    .where("provider", "=", p.provider)
    .where("state", "=", sql.lit("ready"))
    .where("due_at", "is", sql.lit(null))
    .where("late", ">=", p.late),
);

export const storedReference: z.ZodType<UpstreamReference> = z.record(z.string(), z.json());

export function attemptOf(row: AttemptRow): Attempt {
  return new StoredAttempt(row);
}

/** A class: thousands are kept, and an object with a getter of its own takes twice the memory. */
class StoredAttempt implements Attempt {
  readonly id: number;
  readonly uuid: string;
  readonly jobId: number;
  readonly no: number;
  readonly state: AttemptState;
  readonly reference: UpstreamReference | undefined;
  readonly isLate: boolean;
  readonly plannedAt: Integer;
  readonly submittedAt: Integer | undefined;
  readonly acceptedAt: Integer | undefined;
  readonly deadlineAt: Integer;
  readonly dueAt: Integer | undefined;
  readonly unknownCount: number;
  readonly unknownSince: Integer | undefined;
  readonly cost: Cost | undefined;
  readonly refusal: RefusalKind | undefined;
  readonly detail: string | undefined;
  readonly isFlagged: boolean;
  readonly hasCallback: boolean;
  #operation: string | Operation;

  constructor(row: AttemptRow) {
    this.id = row.attempt_id;
    this.uuid = row.uuid;
    this.jobId = row.job_id;
    this.no = row.no;
    this.state = row.state;
    this.reference = readReference(row);
    this.isLate = row.late === 1;
    this.plannedAt = row.planned_at;
    this.submittedAt = row.submitted_at ?? undefined;
    this.acceptedAt = row.accepted_at ?? undefined;
    this.deadlineAt = row.deadline_at;
    this.dueAt = row.due_at ?? undefined;
    this.unknownCount = row.poll_failures;
    this.unknownSince = row.unknown_since ?? undefined;
    this.cost = costOf(row);
    this.refusal = row.refusal ?? undefined;
    this.detail = row.detail ?? undefined;
    this.isFlagged = row.flagged === 1;
    this.hasCallback = row.callback_hash !== null;
    this.#operation = row.operation;
  }

  get operation(): Operation {
    if (typeof this.#operation === "string")
      this.#operation = operationSchema.parse(JSON.parse(this.#operation));
    return this.#operation;
  }
}

function readReference({ ref }: Pick<AttemptRow, "ref">): UpstreamReference | undefined {
  return ref === null ? undefined : storedReference.parse(JSON.parse(ref));
}

function costOf({ cost_amount: amount, cost_currency: currency, cost_source: source }: AttemptRow) {
  return amount === null || currency === null || source === null ? undefined : { amount, currency, source };
}
