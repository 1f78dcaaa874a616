import { z } from "zod";
import { type Answer, type Call, json } from "../call.js";
import type { DialectRoute, Submission } from "../dialect.js";
import { fileUrl } from "../download.js";
import { choice, flag, link, text } from "../fields.js";
import { videoSides } from "../files/sides.js";
import type { Json } from "../json.js";
import { textOf } from "../json.js";
import { judge, type Rule } from "../judge.js";
import { film, type Model } from "../model.js";
import type { UpstreamState } from "../state.js";
import { type Phase, phaseOf, type Task } from "../task.js";
import { done, RECORD_IS_NULL, refused, timeText, wordsOf } from "./body.js";

/* Source: docs.kie.ai, Veo 3.1 API, as kept in henjicc/Henji-AI, docs/api/KIE/Veo3.1 API/157, 159, 160, 161. */

const imagesOf = (input: Json) => (Array.isArray(input.imageUrls) ? input.imageUrls.length : 0);

/** How many pictures each use takes. */
const imageCount: Rule = (input) => {
  const count = imagesOf(input);
  const type = input.generationType ?? (count === 0 ? "TEXT_2_VIDEO" : "FIRST_AND_LAST_FRAMES_2_VIDEO");
  const [min, max] = type === "TEXT_2_VIDEO" ? [0, 0] : type === "REFERENCE_2_VIDEO" ? [1, 3] : [1, 2];
  if (count >= min && count <= max) return undefined;
  return { field: "imageUrls", kind: "rule", expected: `${min} to ${max} for ${String(type)}` };
};

const referencesTakeEight: Rule = ({ generationType, duration = 8 }) =>
  generationType === "REFERENCE_2_VIDEO" && duration !== 8
    ? { field: "duration", kind: "rule", expected: "8 for REFERENCE_2_VIDEO" }
    : undefined;

const CREDITS: Readonly<Record<string, number>> = { veo3: 250, veo3_fast: 60, veo3_lite: 30 };

const VEO: Model = {
  schema: z.object({
    prompt: text(20_000),
    imageUrls: z.array(link).optional(),
    model: choice("veo3", "veo3_fast", "veo3_lite"),
    generationType: choice("TEXT_2_VIDEO", "FIRST_AND_LAST_FRAMES_2_VIDEO", "REFERENCE_2_VIDEO"),
    watermark: z.string().optional(),
    aspectRatio: choice("16:9", "9:16", "Auto"),
    callBackUrl: z.url().optional(),
    enableFallback: flag,
    enableTranslation: flag,
    resolution: choice("720p", "1080p", "4k"),
    duration: z.union([z.literal(4), z.literal(6), z.literal(8)]).optional(),
  }),
  rules: [imageCount, referencesTakeEight],
  results: (input) =>
    film(
      input,
      videoSides(input.aspectRatio, input.resolution),
      typeof input.duration === "number" ? input.duration : 8,
    ),
  units: (input) => CREDITS[String(input.model ?? "veo3_fast")] ?? 60,
  unitPrice: 1,
  unit: "credits",
  references: ["imageUrls"],
};

export const generateRoute: DialectRoute = {
  kind: "submit",
  read,
  accepted: (task) => done({ taskId: task.id }),
  withoutId: done(null),
};

function read({ json: body }: Call): Submission | Answer {
  if (!body) return refused(422, "The request body is required");
  const judgement = judge(VEO.schema, body, VEO.rules);
  const [problem] = judgement.problems;
  return {
    api: "veo",
    endpoint: textOf(body.model) ?? "veo3_fast",
    input: body,
    body,
    model: VEO,
    judgement,
    refused: problem && refused(422, wordsOf(problem)),
    callbackUrl: textOf(body.callBackUrl),
  };
}

export function recordRoute(id: string): DialectRoute {
  return {
    kind: "task",
    id,
    unknown: RECORD_IS_NULL,
    strange: (task) =>
      done({ taskId: task.id, successFlag: 9, response: null, errorCode: null, errorMessage: null }),
    answer: (task, phase, { root }) => done(recordOf(task, phase, root)),
  };
}

export function recordOf(task: Task, phase: Phase, root: string): Json {
  const isEnded = phase.kind === "ended";
  const failure = isEnded ? failureOf(task) : undefined;
  const resultUrls = task.files.map((file) => fileUrl(root, task, file));
  const isLower = (task.faults["made-at-720p"] ?? 0) > 0;
  const { resolution = "720p" } = isLower ? {} : task.input;
  return {
    taskId: task.id,
    paramJson: JSON.stringify(task.input),
    completeTime: isEnded ? timeText(phase.at) : null,
    response: isEnded && !failure ? { taskId: task.id, resultUrls, originUrls: null, resolution } : null,
    successFlag: failure ? 3 : isEnded ? 1 : 0,
    errorCode: failure?.code ?? null,
    errorMessage: failure?.msg ?? null,
    createTime: timeText(task.acceptedAt),
    fallbackFlag: false,
  };
}

function failureOf({ outcome }: Task): { code: number; msg: string } | undefined {
  switch (outcome.kind) {
    case "policy":
      return { code: 400, msg: "Your prompt was flagged by Website as violating content policies." };
    case "reference":
      return { code: 400, msg: "Failed to fetch the image. Kindly verify any access limits." };
    case "failed":
      return { code: 501, msg: "Failed - Video generation task failed" };
    default:
      return undefined;
  }
}

/** The 1080p film of a task, which takes as long again as the task itself. */
export function fullHdRoute(state: UpstreamState, id: string): DialectRoute {
  return {
    kind: "task",
    id,
    unknown: RECORD_IS_NULL,
    strange: () => json(200, {}),
    answer(task, phase, { root }) {
      if (phase.kind !== "ended" || state.time.now() < phase.at + task.runMs) {
        return refused(
          400,
          "1080P is processing. It should be ready in 1-2 minutes. Please check back shortly.",
        );
      }
      return done({ resultUrl: task.files.map((file) => fileUrl(root, task, file))[0] });
    },
  };
}

/** The 4K film of a task: `null` until it is made. */
export function ultraHdRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "plain",
    answer({ json: body, root }) {
      const task = state.tasks.get(textOf(body?.taskId) ?? "");
      const now = state.time.now();
      const phase = task && phaseOf(task, now);
      if (task?.api !== "veo" || phase?.kind !== "ended")
        return refused(422, "The record status is not success");
      const urls = task.files.map((file) => fileUrl(root, task, file));
      const isReady = now >= phase.at + task.runMs;
      return done({ taskId: task.id, resultUrls: isReady ? urls : null, imageUrls: null });
    },
  };
}
