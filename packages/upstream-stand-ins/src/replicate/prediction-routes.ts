import { type Answer, type Call, json } from "../call.js";
import type { DialectRoute, Submission } from "../dialect.js";
import { fileUrl } from "../download.js";
import { isRecord, type Json, textOf } from "../json.js";
import { judge, type Problem } from "../judge.js";
import { cancelTask } from "../query.js";
import type { UpstreamState } from "../state.js";
import { type Phase, phaseOf, type Task } from "../task.js";
import { LISTING, MODELS } from "./models.js";

/*
 * Sources: https://replicate.com/docs/reference/http, …/topics/predictions/{create-a-prediction,lifecycle},
 * https://sdks.replicate.com/python/resources/predictions. Inputs are judged before anything is accepted; a field that
 * the model does not know is dropped.
 */

const NOT_FOUND = failure(404, "Not found", "The requested resource could not be found.");
const OUTPUT_LIFE_MS = 3_600_000;
const LIST_LENGTH = 100;
const DEADLINE = /^(?:(\d+)m)?(?:(\d+)s)?$/;

export function failure(status: number, title: string, detail: string): Answer {
  return json(status, { title, detail, status });
}

export function createRoute(state: UpstreamState, endpoint: string): DialectRoute {
  return {
    kind: "submit",
    read: (call) => read(state, endpoint, call),
    accepted: (task, { root }) =>
      json(201, shownOf(task, phaseOf(task, task.acceptedAt), root, state.time.now())),
    withoutId: json(201, { status: "starting" }),
  };
}

function read(state: UpstreamState, endpoint: string, { json: body, headers }: Call): Submission | Answer {
  const model = MODELS[endpoint];
  if (!model) {
    state.breach(`replicate: unknown model ${endpoint}`);
    return NOT_FOUND;
  }
  if (headers.prefer !== undefined) state.breach(`replicate ${endpoint}: a waiting answer may be cut`);
  if (!isRecord(body?.input)) return failure(422, "Input validation failed", "- input is required\n");
  const judgement = judge(model.schema, body.input, model.rules);
  const [problem] = judgement.problems;
  return {
    api: "predictions",
    endpoint,
    input: body.input,
    body,
    model,
    judgement,
    refused: problem && failure(422, "Input validation failed", wordsOf(problem)),
    startTimeoutMs: deadlineOf(headers["cancel-after"]),
    callbackUrl: webhookOf(body),
  };
}

/** It is called for the events that were asked for; here only the end of a prediction is one. */
function webhookOf({ webhook, webhook_events_filter: events = ["completed"] }: Json): string | undefined {
  return Array.isArray(events) && events.includes("completed") ? textOf(webhook) : undefined;
}

function wordsOf({ field, kind, expected }: Problem): string {
  return kind === "missing" ? `- input: ${field} is required\n` : `- input.${field}: must be ${expected}\n`;
}

function deadlineOf(given: string | string[] | undefined): number | undefined {
  const [, minutes = 0, seconds = 0] = DEADLINE.exec(String(given ?? "")) ?? [];
  return (Number(minutes) * 60 + Number(seconds)) * 1000 || undefined;
}

export function taskRoute(state: UpstreamState, id: string): DialectRoute {
  return { ...common(state, id), answer: (task, phase, { root }) => shown(state, task, phase, root) };
}

export function cancelRoute(state: UpstreamState, id: string): DialectRoute {
  return {
    ...common(state, id),
    isCancel: true,
    answer(task, _phase, { root }) {
      cancelTask(state, task);
      return shown(state, task, phaseOf(task, state.time.now()), root);
    },
  };
}

function common(state: UpstreamState, id: string) {
  return {
    kind: "task" as const,
    id,
    unknown: NOT_FOUND,
    strange: (task: Task, { root }: Call) =>
      json(200, {
        ...shownOf(task, phaseOf(task, task.acceptedAt), root, state.time.now()),
        status: "paused",
      }),
  };
}

function shown(state: UpstreamState, task: Task, phase: Phase, root: string): Answer {
  return json(200, shownOf(task, phase, root, state.time.now()));
}

/** The newest first. */
export function listRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "plain",
    answer({ query, root }) {
      const after = Date.parse(query.get("created_after") ?? "") || 0;
      const now = state.time.now();
      const results = [...state.tasks.values()]
        .filter(({ service, acceptedAt }) => service === "replicate" && acceptedAt >= after)
        .reverse()
        .slice(0, LIST_LENGTH)
        .map((task) => shownOf(task, phaseOf(task, now), root, now));
      return json(200, { next: null, previous: null, results });
    },
  };
}

export function shownOf(task: Task, phase: Phase, root: string, now: number): Json {
  const url = `${root}/v1/predictions/${task.id}`;
  const at = (ms: number) => new Date(ms).toISOString();
  const shown = {
    id: task.id,
    model: task.endpoint,
    version: "hidden",
    input: task.input,
    logs: "",
    output: null,
    data_removed: false,
    error: null,
    created_at: at(task.acceptedAt),
    urls: { get: url, cancel: `${url}/cancel`, web: `https://replicate.com/p/${task.id}` },
  };
  if (phase.kind === "queued") return { ...shown, status: "starting" };
  if (phase.kind === "running") return { ...shown, status: "processing" };
  if (phase.kind === "cancelled") return { ...shown, status: "canceled" };
  const ended = { ...shown, completed_at: at(phase.at), metrics: { predict_time: task.runMs / 1000 } };
  if (task.outcome.kind === "not-started") return { ...ended, status: "aborted" };
  if (task.outcome.kind !== "made") return { ...ended, status: "failed", error: errorOf(task) };
  if (now > phase.at + OUTPUT_LIFE_MS)
    return { ...ended, status: "succeeded", input: {}, data_removed: true };
  const urls = task.files.map((file) => fileUrl(root, task, file));
  return { ...ended, status: "succeeded", output: LISTING.has(task.endpoint) ? urls : (urls[0] ?? null) };
}

function errorOf({ outcome }: Task): string {
  switch (outcome.kind) {
    case "policy":
      return "The input or output was flagged as sensitive. Please try again with different inputs. (E005)";
    case "reference":
      return `Could not download the file of ${outcome.field}`;
    default:
      return "Prediction failed for an unknown reason";
  }
}
