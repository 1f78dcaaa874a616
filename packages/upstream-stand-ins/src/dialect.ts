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
  /** Finds the id of the task where the path does not name it. */
  idOf?(call: Call): string;
  /** True for a request that cancels the task, or only may. */
  isCancel?: boolean;
  answer(task: Task, phase: Phase, call: Call): Answer;
  unknown(call: Call): Answer;
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
  | { kind: "upload"; answer(call: Call): Answer }
  | { kind: "plain"; isFree?: boolean; answer(call: Call): Answer | Promise<Answer> };

export function upload(answer: (call: Call) => Answer): DialectRoute {
  return { kind: "upload", answer };
}

export function plain(answer: (call: Call) => Answer | Promise<Answer>): DialectRoute {
  return { kind: "plain", answer };
}

/** Needs no key. */
export function free(answer: (call: Call) => Answer): DialectRoute {
  return { kind: "plain", isFree: true, answer };
}

/** How a service refuses before it accepts anything. */
export type Refusal = Extract<
  FaultName,
  "rate-limited" | "maintenance" | "policy-at-submit" | "no-credit" | "locked" | "wrong-key"
>;

/** One service, as its clients see it. */
export interface Dialect {
  name: ServiceName;
  /** By method and path, a regular expression whose group is what the path names. */
  routes: Readonly<Record<string, DialectRoute>>;
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

/** The route of a request, and what its path names; undefined for what is not one of the service's paths. */
export function findRoute(
  { routes }: Dialect,
  method: string,
  path: string,
): { route: DialectRoute; named: string } | undefined {
  for (const [pattern, route] of Object.entries(routes)) {
    const found = new RegExp(`^${pattern}$`).exec(`${method} ${path}`);
    if (found) return { route, named: found[1] ?? "" };
  }
  return undefined;
}

export function isAnswer(value: Submission | Answer): value is Answer {
  return "status" in value;
}
