import { z } from "zod";
import { fileUrl } from "../download.js";
import { choice } from "../fields.js";
import type { Json } from "../json.js";
import { textOf } from "../json.js";
import type { Rule } from "../judge.js";
import { aboutOf, type Model, type NewFile } from "../model.js";
import type { Task } from "../task.js";

/*
 * Source: docs.kie.ai/suno-api/generate-music, as kept in emircskn/zyns, src/lib/registry/generated/catalog.json: an idea, or
 * lyrics, style and title; two tracks. Longest texts: the older page in henjicc/Henji-AI, docs/api/KIE/Suno API/171.
 */

const weight = z.number().min(0).max(1).multipleOf(0.01).optional();
const CREDITS = 12;
const IDEA_MAX = 500;
const DURATIONS_SEC = [64.2, 71.8] as const;

/** Lyrics are named for themselves; `prompt` is the idea of the simple mode. */
const needsTexts: Rule = (input) => {
  const needed = input.custom_mode !== true ? ["prompt"] : ["style", "title"];
  if (input.custom_mode === true && input.instrumental !== true) needed.push("lyrics");
  const field = needed.find((name) => !textOf(input[name]));
  return field === undefined ? undefined : { field, kind: "missing", expected: "" };
};

const fits: Rule = (input) => {
  const limits: Readonly<Record<string, number>> = { prompt: IDEA_MAX, lyrics: 5000, style: 1000, title: 80 };
  for (const [field, max] of Object.entries(limits)) {
    if (String(input[field] ?? "").length > max) return { field, kind: "long", expected: String(max) };
  }
  return undefined;
};

/** Lengths and weights belong to the custom mode. */
const simpleIsSimple: Rule = (input) => {
  if (input.custom_mode === true) return undefined;
  const names = ["duration", "vocal_gender", "style_weight", "weirdness_constraint", "audio_weight"];
  const field = names.find((name) => input[name] !== undefined);
  return field === undefined ? undefined : { field, kind: "rule", expected: "custom_mode" };
};

function results(input: Json): NewFile[] {
  const about = aboutOf(input);
  const title = textOf(input.title) ?? "Quiet Harbour";
  return DURATIONS_SEC.flatMap((durationSec, index) => [
    { kind: "audio", format: "mp3", durationSec, about: `${about} ${index}`, title },
    { kind: "image", format: "jpeg", width: 512, height: 512, about: `${about} ${index}` },
  ]);
}

export const SUNO: Model = {
  schema: z.object({
    model: z.enum(["V6", "V6_MINI", "V6_WILD"]),
    custom_mode: z.boolean(),
    instrumental: z.boolean(),
    prompt: z.string().optional(),
    lyrics: z.string().optional(),
    style: z.string().optional(),
    title: z.string().optional(),
    negative_tags: z.string().optional(),
    vocal_gender: choice("m", "f"),
    style_weight: weight,
    weirdness_constraint: weight,
    audio_weight: weight,
    duration: z.number().min(10).max(360).optional(),
    variety: z.unknown().optional(),
  }),
  rules: [needsTexts, simpleIsSimple, fits],
  results,
  units: () => CREDITS,
  unitPrice: 1,
  unit: "credits",
  references: [],
};

/** The result of a finished task: each track with its cover. */
export function tracksOf(task: Task, root: string): Json[] {
  return DURATIONS_SEC.flatMap((_, index) => {
    const [track, cover] = [task.files[index * 2], task.files[index * 2 + 1]];
    if (track?.kind !== "audio" || !cover) return [];
    return {
      id: track.id,
      audio_url: fileUrl(root, task, track),
      stream_audio_url: fileUrl(root, task, track),
      image_url: fileUrl(root, task, cover, "jpeg"),
      prompt: textOf(task.input.lyrics) ?? textOf(task.input.prompt) ?? "",
      model_name: "chirp-v6",
      title: track.title,
      tags: textOf(task.input.style) ?? "",
      create_time: task.acceptedAt,
      duration: track.durationSec,
    };
  });
}
