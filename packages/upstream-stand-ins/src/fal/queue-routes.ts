import { type Answer, type Call, json } from "../call.js";
import type { DialectRoute, Submission } from "../dialect.js";
import type { Json } from "../json.js";
import { judge } from "../judge.js";
import { cancelTask } from "../query.js";
import type { UpstreamState } from "../state.js";
import type { Phase, Task } from "../task.js";
import { failureOf } from "./errors.js";
import { FAL_MODELS } from "./models.js";
import { newRequestId } from "./request-id.js";
import { outputOf } from "./result.js";

/*
 * Sources: https://docs.fal.ai/documentation/model-apis/inference/queue, https://fal.ai/docs/inference-api/queue/result
 * (a result is kept for an hour, one of 10 KB or more for six minutes), src/queue.js of @fal-ai/client 1.10.1.
 * Addresses have only the first two parts of an endpoint. Nothing is judged before the result is asked for.
 */

const NOT_FOUND = json(404, { status: "NOT_FOUND" });
const RESULT_LIFE_MS = 3_600_000;
const LARGE_RESULT_BYTES = 10_000;
const LARGE_RESULT_LIFE_MS = 360_000;

export function submitRoute(state: UpstreamState, endpoint: string): DialectRoute {
  return {
    kind: "submit",
    read: (call) => read(state, endpoint, call),
    accepted: (task, { root }) =>
      json(200, {
        status: "IN_QUEUE",
        ...addressesOf(task, root),
        logs: null,
        metrics: {},
        queue_position: task.queueLength,
      }),
    withoutId: json(200, { status: "IN_QUEUE" }),
  };
}

function read(state: UpstreamState, endpoint: string, call: Call): Submission | Answer {
  const model = FAL_MODELS[endpoint];
  if (!model) {
    state.breach(`fal: unknown endpoint ${endpoint}`);
    return json(404, { detail: `Application '${endpoint.split("/")[1] ?? endpoint}' not found` });
  }
  if (!call.json)
    return json(422, { detail: [{ loc: ["body"], msg: "JSON decode error", type: "json_invalid" }] });
  if (call.headers["x-fal-store-io"] === "0") state.breach(`fal ${endpoint}: the result would not be kept`);
  if (call.json.sync_mode === true)
    state.breach(`fal ${endpoint}: sync_mode makes a result that is not kept`);
  return {
    api: "queue",
    endpoint,
    input: call.json,
    body: call.json,
    model,
    judgement: judge(model.schema, call.json, model.rules),
    callbackUrl: call.query.get("fal_webhook") ?? undefined,
    id: newRequestId(state.time.now()),
    startTimeoutMs: Number(call.headers["x-fal-request-timeout"] ?? Number.NaN) * 1000 || undefined,
  };
}

function addressesOf({ id, endpoint }: Task, root: string): Json {
  const url = `${root}/${endpoint.split("/", 2).join("/")}/requests/${id}`;
  return { request_id: id, response_url: url, status_url: `${url}/status`, cancel_url: `${url}/cancel` };
}

type TaskRoute = Extract<DialectRoute, { kind: "task" }>;

/** @param action what stands behind the id: the status, a cancellation, or nothing for the result */
export function taskRoute(
  state: UpstreamState,
  method: string,
  id: string,
  action: string | undefined,
): TaskRoute | undefined {
  const strange = (task: Task, { root }: Call) => json(200, { status: "PAUSED", ...addressesOf(task, root) });
  if (action === "/status" && method === "GET") {
    return { kind: "task", id, unknown: NOT_FOUND, strange, answer: answerStatus };
  }
  if (action === "/cancel" && method === "PUT") {
    const answer = (task: Task) =>
      cancelTask(state, task)
        ? json(202, { status: "CANCELLATION_REQUESTED" })
        : json(400, { status: "ALREADY_COMPLETED" });
    return { kind: "task", id, isCancel: true, unknown: NOT_FOUND, strange, answer };
  }
  if (action !== undefined || method !== "GET") return undefined;
  const answer = (task: Task, phase: Phase, call: Call) => answerResult(task, phase, call, state.time.now());
  return { kind: "task", id, unknown: NOT_FOUND, strange, answer };
}

function answerStatus(task: Task, phase: Phase, { root, query }: Call): Answer {
  const known = addressesOf(task, root);
  const logs = query.get("logs") === "1" ? [] : null;
  if (phase.kind === "queued")
    return json(202, { status: "IN_QUEUE", queue_position: phase.position, ...known });
  if (phase.kind === "running") return json(202, { status: "IN_PROGRESS", logs, ...known });
  const done = { status: "COMPLETED", logs, metrics: { inference_time: task.runMs / 1000 }, ...known };
  const error =
    phase.kind === "cancelled" ? "Request was cancelled" : failureOf(task) && "The request failed";
  return json(200, error === undefined ? done : { ...done, error, error_type: errorTypeOf(task, phase) });
}

function errorTypeOf({ outcome }: Task, phase: Phase): string {
  if (phase.kind === "cancelled") return "client_cancelled";
  return outcome.kind === "failed" ? "internal_server_error" : "unprocessable_entity";
}

function answerResult(task: Task, phase: Phase, { root }: Call, now: number): Answer {
  if (phase.kind === "cancelled") {
    return json(499, { detail: "Request was cancelled", error_type: "client_cancelled" });
  }
  if (phase.kind !== "ended") return json(400, { detail: "Request is still in progress" });
  const output = outputOf(task, root);
  const isLarge = JSON.stringify(output).length >= LARGE_RESULT_BYTES;
  if (now > phase.at + (isLarge ? LARGE_RESULT_LIFE_MS : RESULT_LIFE_MS)) return NOT_FOUND;
  const headers = { "x-fal-request-id": task.id, "x-fal-billable-units": String(task.units) };
  return failureOf(task) ?? json(200, output, headers);
}
