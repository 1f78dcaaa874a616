import { z } from "zod";
import { choice, link, text } from "../fields.js";
import { videoSides } from "../files/sides.js";
import type { Json } from "../json.js";
import type { Rule } from "../judge.js";
import { film, type Model, secondsOf } from "../model.js";

/*
 * Source: docs.kie.ai, Veo 3.1 as a model of the market, as kept in emircskn/zyns, src/lib/registry/generated/catalog.json;
 * how many pictures each use takes: the older page in henjicc/Henji-AI, docs/api/KIE/Veo3.1 API/157.
 */

const imagesOf = ({ image_urls: urls }: Json) => (Array.isArray(urls) ? urls.length : 0);

const imageCount: Rule = (input) => {
  const count = imagesOf(input);
  const type = input.generation_type ?? (count === 0 ? "TEXT_2_VIDEO" : "FIRST_AND_LAST_FRAMES_2_VIDEO");
  const [min, max] = type === "TEXT_2_VIDEO" ? [0, 0] : type === "REFERENCE_2_VIDEO" ? [1, 3] : [1, 2];
  if (count >= min && count <= max) return undefined;
  return { field: "image_urls", kind: "rule", expected: `${min} to ${max} for ${String(type)}` };
};

const referencesTakeEight: Rule = ({ generation_type: type, duration = 8 }) =>
  type === "REFERENCE_2_VIDEO" && duration !== 8
    ? { field: "duration", kind: "rule", expected: "8 for REFERENCE_2_VIDEO" }
    : undefined;

const CREDITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  veo3: { "720p": 250, "1080p": 255, "4k": 370 },
  veo3_fast: { "720p": 60, "1080p": 65, "4k": 180 },
  veo3_lite: { "720p": 30, "1080p": 35, "4k": 150 },
};
/** A film of words alone in 4K costs more. */
const TEXT_4K_EXTRA = 10;

function creditsOf(input: Json): number {
  const { model = "veo3_fast", resolution = "720p" } = input;
  const credits = CREDITS[String(model)]?.[String(resolution)] ?? 0;
  const isTextIn4k = model === "veo3" && resolution === "4k" && imagesOf(input) === 0;
  return isTextIn4k ? credits + TEXT_4K_EXTRA : credits;
}

export const VEO: Model = {
  schema: z.object({
    prompt: text(20_000),
    model: choice("veo3", "veo3_fast", "veo3_lite"),
    aspect_ratio: choice("16:9", "9:16", "auto"),
    image_urls: z.array(link).optional(),
    generation_type: choice("TEXT_2_VIDEO", "FIRST_AND_LAST_FRAMES_2_VIDEO", "REFERENCE_2_VIDEO"),
    resolution: choice("720p", "1080p", "4k"),
    duration: z.union([z.literal(4), z.literal(6), z.literal(8)]).optional(),
  }),
  rules: [imageCount, referencesTakeEight],
  results: (input) =>
    film(input, videoSides(input.aspect_ratio, input.resolution), secondsOf(input.duration, 8)),
  units: creditsOf,
  unitPrice: 1,
  unit: "credits",
  references: ["image_urls"],
};
