import type { Answer, Call, Json } from "./call.js";
import type { FaultName } from "./faults.js";
import type { Judgement } from "./judge.js";
import type { Model } from "./model.js";
import type { ServiceName } from "./service-name.js";
import type { Phase, Task } from "./task.js";

/** A paid POST, read. */
export interface Submission {
  api: string;
  endpoint: string;
  /** The input of the model. */
  input: Json;
  /** The whole body, for the ledger. */
  body: Json;
  model: Model;
  judgement: Judgement;
  /** Answer to a refused input, where the service judges it at once. */
  refused?: Answer | undefined;
  callbackUrl?: string | undefined;
  /** The task ends unmade unless it is started within this time. */
  startTimeoutMs?: number | undefined;
  /** Chosen by the client. */
  id?: string | undefined;
  /** Time until the service has ended what it took before, where it does one thing after the other. */
  busyMs?: number | undefined;
}

export interface TaskRoute {
  kind: "task";
  id: string;
  /** True for a request that cancels the task, or only may. */
  isCancel?: boolean;
  answer(task: Task, phase: Phase, call: Call): Answer;
  unknown: Answer;
  /** An answer with a status that the reference does not name. */
  strange(task: Task, call: Call): Answer;
}

export type DialectRoute =
  | {
      kind: "submit";
      /** An answer is a refusal: nothing is accepted. */
      read(call: Call): Submission | Answer;
      accepted(task: Task, call: Call): Answer | Promise<Answer>;
      /** Success that names no task. */
      withoutId: Answer;
    }
  | TaskRoute
  /** The body names the task. */
  | { kind: "named-task"; read(call: Call): TaskRoute }
  | { kind: "upload"; answer(call: Call): Answer }
  /** `isFree`: needs no key. */
  | { kind: "plain"; isFree?: boolean; answer(call: Call): Answer | Promise<Answer> };

/** How a service refuses before it accepts anything. */
export type Refusal = Extract<
  FaultName,
  "rate-limited" | "maintenance" | "policy-at-submit" | "no-credit" | "locked" | "wrong-key"
>;

/** One service, as its clients see it. */
export interface Dialect {
  name: ServiceName;
  /** Undefined: not one of its paths. */
  route(method: string, path: string, query: URLSearchParams): DialectRoute | undefined;
  /** The key of a request; undefined where it has none of the right form. */
  keyOf(call: Call): string | undefined;
  /** What stands in front of the service and refuses a request unread. */
  gate?(call: Call): Answer | undefined;
  /** `policy-at-submit` is absent where the service looks only at the end. */
  refusals: Readonly<Partial<Record<Refusal, Answer>>>;
  /** Answer to a query after too many of them. */
  tooManyQueries: Answer;
  /** What its prices are in. */
  currency: string;
  /** How a client of this service learns of the end of a task. */
  callback?(task: Task, root: string): Json;
}

export function isAnswer(value: Submission | Answer): value is Answer {
  return "status" in value;
}
