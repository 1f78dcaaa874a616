import { type Answer, type Call, json } from "../call.js";
import type { DialectRoute, Submission } from "../dialect.js";
import { fileUrl } from "../download.js";
import { isRecord, type Json, textOf } from "../json.js";
import { judge, type Problem } from "../judge.js";
import type { UpstreamState } from "../state.js";
import { type Phase, phaseOf, type Task } from "../task.js";
import { MODELS } from "./models.js";

/*
 * Sources: https://polza.ai/docs/api-reference/media/{create,status}.md, …/introduction.md (codes, form of errors).
 * Ignored parameters are named in `warnings`.
 */

const BODY_FIELDS: ReadonlySet<string> = new Set(["model", "input", "async", "user", "provider"]);

export function failure(status: number, code: string, message: string): Answer {
  return json(status, { error: { code, message } });
}

const NOT_FOUND = failure(404, "NOT_FOUND", "Ресурс не найден");

export function createRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "submit",
    read: (call) => read(state, call),
    async accepted(task, { json: body, root }) {
      if (body?.async === true) return json(201, shownOf(task, phaseOf(task, state.time.now()), root));
      await state.ended(task);
      return json(200, shownOf(task, phaseOf(task, state.time.now()), root));
    },
    withoutId: json(201, { object: "media.generation", status: "pending" }),
  };
}

function read(state: UpstreamState, { json: body }: Call): Submission | Answer {
  const endpoint = textOf(body?.model);
  const model = endpoint === undefined ? undefined : MODELS[endpoint];
  if (!body || endpoint === undefined) return failure(400, "BAD_REQUEST", "model is required");
  if (!model) return failure(404, "NOT_FOUND", `Модель ${endpoint} не найдена`);
  if (!isRecord(body.input)) return failure(400, "BAD_REQUEST", "input must be an object");
  if (body.async !== true) state.breach(`polza ${endpoint}: without async the answer comes when all is made`);
  const { problems, unknown } = judge(model.schema, body.input, model.rules);
  const strays = Object.keys(body).filter((name) => !BODY_FIELDS.has(name));
  const [problem] = problems;
  return {
    api: "media",
    endpoint,
    input: body.input,
    body,
    model,
    judgement: { problems, unknown: [...unknown, ...strays] },
    refused: problem && failure(400, "BAD_REQUEST", wordsOf(problem)),
    id: `gen_${state.newId()}`,
  };
}

function wordsOf({ field, kind, expected }: Problem): string {
  if (kind === "missing") return `Параметр ${field} обязателен`;
  return `Недопустимое значение параметра ${field}${expected && `: ${expected}`}`;
}

export function statusRoute(id: string): DialectRoute {
  return {
    kind: "task",
    id,
    unknown: NOT_FOUND,
    strange: (task) => json(200, { id: task.id, object: "media.generation", status: "moderating" }),
    answer: (task, phase, { root }) => json(200, shownOf(task, phase, root)),
  };
}

function shownOf(task: Task, phase: Phase, root: string): Json {
  const model = MODELS[task.endpoint];
  const unknown = model ? judge(model.schema, task.input).unknown : [];
  const warnings = unknown.map((name) => `Параметр ${name} не поддерживается и будет проигнорирован`);
  const shown = {
    id: task.id,
    object: "media.generation",
    created: Math.floor(task.acceptedAt / 1000),
    model: task.endpoint,
    ...(warnings.length > 0 ? { warnings } : {}),
  };
  if (phase.kind !== "ended") return { ...shown, status: phase.kind === "queued" ? "pending" : "processing" };
  const completedAt = Math.floor(phase.at / 1000);
  const error = errorOf(task);
  if (error) return { ...shown, status: "failed", completed_at: completedAt, error };
  const files = task.files.map((file) => ({ url: fileUrl(root, task, file) }));
  const cost = task.price.amount;
  return {
    ...shown,
    status: "completed",
    completed_at: completedAt,
    data: files.length === 1 ? files[0] : files,
    usage: { output_units: files.length, cost_rub: cost, cost },
  };
}

/** What the maker said stands in the message; the code says only that it did not make it. */
function errorOf({ outcome }: Task): { code: string; message: string } | undefined {
  const code = "BAD_GATEWAY";
  switch (outcome.kind) {
    case "policy":
      return { code, message: "Your prompt was flagged by Website as violating content policies." };
    case "reference":
      return { code, message: "Failed to fetch the image. Kindly verify any access limits." };
    case "failed":
      return { code, message: "Ошибка генерации медиа контента" };
    default:
      return undefined;
  }
}
