import type { Answer, Call } from "../call.js";
import type { DialectRoute, Submission } from "../dialect.js";
import { fileUrl } from "../download.js";
import { isRecord, type Json, textOf } from "../json.js";
import { judge } from "../judge.js";
import type { Model } from "../model.js";
import type { UpstreamState } from "../state.js";
import type { Phase, Task } from "../task.js";
import { done, RECORD_IS_NULL, refused, wordsOf } from "./body.js";
import { IMAGE_MODELS } from "./image-models.js";
import { SUNO, tracksOf } from "./suno-model.js";
import { VEO } from "./veo-model.js";
import { VIDEO_MODELS } from "./video-models.js";

/*
 * Source: docs.kie.ai/market/common/get-task-detail and the pages of the models, as kept in henjicc/Henji-AI.
 */

const SUNO_MODEL = "ai-music-api/generate";
const MODELS: Readonly<Record<string, Model>> = {
  ...IMAGE_MODELS,
  ...VIDEO_MODELS,
  "veo-3-1": VEO,
  [SUNO_MODEL]: SUNO,
};
const BODY_FIELDS: ReadonlySet<string> = new Set(["model", "callBackUrl", "progressCallBackUrl", "input"]);

export const createRoute: Extract<DialectRoute, { kind: "submit" }> = {
  kind: "submit",
  read,
  accepted: (task) => done({ taskId: task.id, recordId: task.id }),
  withoutId: done(null),
};

function read({ json: body }: Call): Submission | Answer {
  const endpoint = textOf(body?.model);
  const model = endpoint === undefined ? undefined : MODELS[endpoint];
  if (!body || endpoint === undefined) return refused(422, "The model field is required");
  if (!model)
    return refused(422, "The model name you specified is not supported. Please verify the model name.");
  const input = isRecord(body.input) ? body.input : {};
  const { problems, unknown } = judge(model.schema, input, model.rules);
  const [problem] = problems;
  const strays = Object.keys(body).filter((name) => !BODY_FIELDS.has(name));
  return {
    api: "market",
    endpoint,
    input,
    body,
    model,
    judgement: { problems, unknown: [...unknown, ...strays] },
    refused: problem && refused(500, wordsOf(problem)),
    callbackUrl: textOf(body.callBackUrl),
  };
}

/** Just after it was created a task is not known yet. */
function recordLagMs(task: Task): number {
  return Math.min(500, task.queueMs / 4);
}

export function recordRoute(state: UpstreamState, id: string): DialectRoute {
  return {
    kind: "task",
    id,
    unknown: RECORD_IS_NULL,
    strange: (task) => done({ taskId: task.id, model: task.endpoint, state: "reviewing", resultJson: "" }),
    answer(task, phase, { root }) {
      const now = state.time.now();
      if (now - task.acceptedAt < recordLagMs(task)) return RECORD_IS_NULL;
      return done(recordOf(task, phase, root, now));
    },
  };
}

export function recordOf(task: Task, phase: Phase, root: string, now: number): Json {
  const isEnded = phase.kind === "ended";
  const failure = isEnded ? failureOf(task) : undefined;
  const { input, endpoint, callbackUrl } = task;
  return {
    taskId: task.id,
    model: endpoint,
    state: failure
      ? "fail"
      : isEnded
        ? "success"
        : phase.kind === "running"
          ? "generating"
          : waiting(task, now),
    param: JSON.stringify({ model: endpoint, callBackUrl: callbackUrl, input }),
    resultJson: isEnded && !failure ? JSON.stringify(resultOf(task, root)) : "",
    failCode: failure?.code ?? null,
    failMsg: failure?.msg ?? null,
    costTime: isEnded ? Math.round((task.queueMs + task.runMs) / 1000) : null,
    completeTime: isEnded ? phase.at : null,
    createTime: task.acceptedAt,
    updateTime: now,
    creditsConsumed: isEnded && !failure ? task.price.amount : 0,
  };
}

function resultOf(task: Task, root: string): Json {
  if (task.endpoint === SUNO_MODEL) return { data: tracksOf(task, root) };
  return { resultUrls: task.files.map((file) => fileUrl(root, task, file)) };
}

function waiting(task: Task, now: number): "waiting" | "queuing" {
  return now - task.acceptedAt < task.queueMs / 2 ? "waiting" : "queuing";
}

function failureOf({ outcome, endpoint }: Task): { code: string; msg: string } | undefined {
  switch (outcome.kind) {
    case "policy":
      return {
        code: "400",
        msg:
          endpoint === SUNO_MODEL
            ? "Song Description contained artist name or producer tag"
            : "Your request was flagged as sensitive. Please change the prompt and try again.",
      };
    case "reference":
      return {
        code: "451",
        msg: "Failed to fetch the image. Verify any access limits set by you or your provider.",
      };
    case "failed":
      return { code: "501", msg: "Internal Error, Please try again later." };
    default:
      return undefined;
  }
}
