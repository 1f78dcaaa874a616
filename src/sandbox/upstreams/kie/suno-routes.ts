import { z } from "zod";
import type { Answer, Call } from "../call.js";
import type { DialectRoute, Submission } from "../dialect.js";
import { fileUrl } from "../download.js";
import { choice } from "../fields.js";
import type { Json } from "../json.js";
import { textOf } from "../json.js";
import { judge, type Problem, type Rule } from "../judge.js";
import { aboutOf, type Model, type NewFile } from "../model.js";
import type { Phase, Task } from "../task.js";
import { done, RECORD_IS_NULL, refused } from "./body.js";

/*
 * Source: docs.kie.ai, Suno API, as kept in henjicc/Henji-AI, docs/api/KIE/Suno API/Music Generation/171, 177:
 * an idea of 500 characters, or lyrics, style and title; two tracks; a callback address is required even for polling.
 */

const weight = z.number().min(0).max(1).multipleOf(0.01).optional();
const CREDITS = 12;
const IDEA_MAX = 500;
const DURATIONS_SEC = [64.2, 71.8] as const;

const needsTitleAndStyle: Rule = (input) => {
  if (input.customMode !== true) return undefined;
  const field = ["style", "title"].find((name) => input[name] === undefined || input[name] === "");
  return field === undefined ? undefined : { field, kind: "missing", expected: "" };
};

const needsPrompt: Rule = (input) => {
  const isNeeded = input.customMode !== true || input.instrumental !== true;
  return isNeeded && !textOf(input.prompt) ? { field: "prompt", kind: "missing", expected: "" } : undefined;
};

const fits: Rule = (input) => {
  const isOld = input.model === "V4";
  const limits: Readonly<Record<string, number>> = {
    prompt: input.customMode === true ? (isOld ? 3000 : 5000) : IDEA_MAX,
    style: isOld ? 200 : 1000,
    title: 80,
  };
  for (const [field, max] of Object.entries(limits)) {
    if (String(input[field] ?? "").length > max) return { field, kind: "long", expected: String(max) };
  }
  return undefined;
};

function results(input: Json): NewFile[] {
  const about = aboutOf(input);
  return DURATIONS_SEC.flatMap((durationSec, index) => [
    { kind: "audio", format: "mp3", durationSec, about: `${about} ${index}`, title: titleOf(input) },
    { kind: "image", format: "jpeg", width: 512, height: 512, about: `${about} ${index}` },
  ]);
}

function titleOf(input: Json): string {
  return textOf(input.title) ?? "Quiet Harbour";
}

const SUNO: Model = {
  schema: z.object({
    prompt: z.string().optional(),
    style: z.string().optional(),
    title: z.string().optional(),
    customMode: z.boolean(),
    instrumental: z.boolean(),
    model: z.enum(["V4", "V4_5", "V4_5PLUS", "V4_5ALL", "V5", "V5_5"]),
    callBackUrl: z.url(),
    negativeTags: z.string().optional(),
    vocalGender: choice("m", "f"),
    styleWeight: weight,
    weirdnessConstraint: weight,
    audioWeight: weight,
    personaId: z.string().optional(),
    personaModel: choice("style_persona", "voice_persona"),
  }),
  rules: [needsPrompt, needsTitleAndStyle, fits],
  results,
  units: () => CREDITS,
  unitPrice: 1,
  unit: "credits",
  references: [],
};

export const generateRoute: DialectRoute = {
  kind: "submit",
  read,
  accepted: (task) => done({ taskId: task.id }),
  withoutId: done({}),
};

function read({ json: body }: Call): Submission | Answer {
  if (!body) return refused(422, "The request body is required");
  const judgement = judge(SUNO.schema, body, SUNO.rules);
  const [problem] = judgement.problems;
  return {
    api: "suno",
    endpoint: textOf(body.model) ?? "",
    input: body,
    body,
    model: SUNO,
    judgement,
    refused: problem && refusalOf(problem),
    callbackUrl: textOf(body.callBackUrl),
  };
}

function refusalOf({ field, kind }: Problem): Answer {
  if (kind === "missing") return refused(422, `Please enter ${field}`);
  return kind === "long" ? refused(413, `The ${field} is too long`) : refused(422, `${field} is invalid`);
}

export function recordRoute(id: string): DialectRoute {
  return {
    kind: "task",
    id,
    unknown: RECORD_IS_NULL,
    strange: (task) => done({ taskId: task.id, status: "MIXING", response: null }),
    answer: (task, phase, { root }) => done(recordOf(task, phase, root)),
  };
}

export function recordOf(task: Task, phase: Phase, root: string): Json {
  const failure = phase.kind === "ended" ? failureOf(task) : undefined;
  const tracks = failure ? 0 : tracksReady(phase);
  const sunoData = tracks === undefined ? [] : tracksOf(task, root, tracks);
  return {
    taskId: task.id,
    parentMusicId: "",
    param: JSON.stringify(task.input),
    response: failure || phase.kind === "queued" ? null : { taskId: task.id, sunoData },
    status: failure?.status ?? statusOf(phase),
    type: "GENERATE",
    operationType: "generate",
    errorCode: failure?.code ?? null,
    errorMessage: failure?.msg ?? null,
  };
}

function tracksReady(phase: Phase): number | undefined {
  if (phase.kind === "ended") return 2;
  if (phase.kind === "running") return phase.progress < 0.5 ? 0 : 1;
  return undefined;
}

function statusOf(phase: Phase): string {
  const ready = tracksReady(phase);
  return ready === undefined ? "PENDING" : (["TEXT_SUCCESS", "FIRST_SUCCESS", "SUCCESS"][ready] ?? "SUCCESS");
}

/** What is not ready yet is an empty text. */
function tracksOf(task: Task, root: string, ready: number): Json[] {
  return DURATIONS_SEC.flatMap((_, index) => {
    const [track, cover] = [task.files[index * 2], task.files[index * 2 + 1]];
    if (track?.kind !== "audio" || !cover) return [];
    const isReady = index < ready;
    return {
      id: track.id,
      audioUrl: isReady ? fileUrl(root, task, track) : "",
      sourceAudioUrl: "",
      streamAudioUrl: isReady ? fileUrl(root, task, track) : "",
      sourceStreamAudioUrl: "",
      imageUrl: fileUrl(root, task, cover, "jpeg"),
      sourceImageUrl: "",
      prompt: textOf(task.input.prompt) ?? "",
      modelName: "chirp-crow",
      title: track.title,
      tags: textOf(task.input.style) ?? "",
      createTime: task.acceptedAt,
      duration: isReady ? track.durationSec : "",
    };
  });
}

function failureOf({ outcome }: Task): { status: string; code: number; msg: string } | undefined {
  if (outcome.kind === "policy") {
    return {
      status: "SENSITIVE_WORD_ERROR",
      code: 400,
      msg: "Song Description contained artist name or producer tag",
    };
  }
  if (outcome.kind !== "failed") return undefined;
  return { status: "GENERATE_AUDIO_FAILED", code: 500, msg: "Generation failed, please try again later." };
}
