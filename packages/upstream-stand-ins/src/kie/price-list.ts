import { type Answer, type Call, json } from "../call.js";
import type { DialectRoute } from "../dialect.js";
import { done } from "./body.js";

/*
 * Source: the list behind https://kie.ai/pricing, in October 2026. Some prices have an address that names the model's
 * id, others only one of a page, or none. All values of a record but `discountPrice` are texts.
 */

const PAGE_SIZE_MAX = 100;

type Price = readonly [description: string, credits: string, unit: string, anchor: string, provider?: string];

const image = (model: string, id: string, byResolution: readonly string[], use: string): readonly Price[] =>
  byResolution.map((credits, index) => [
    `${model}, ${use}, ${["1k", "2k", "4k"][index]}`,
    credits,
    "per image",
    `https://kie.ai/${model.replaceAll(" ", "-")}?model=${encodeURIComponent(id)}`,
  ]);

const seconds = (name: string, anchor: string, prices: Readonly<Record<string, string>>): readonly Price[] =>
  Object.entries(prices).map(([use, credits]) => [`${name}, ${use}`, credits, "per second", anchor]);

const OMNI = ["63", "84", "105", "126", "147", "168", "189", "210"];

const PRICES: readonly Price[] = [
  ...image("gpt image 2", "gpt-image-2-text-to-image", ["6", "10", "16"], "text-to-image"),
  ...image("gpt image 2", "gpt-image-2-image-to-image", ["6", "10", "16"], "image-to-image"),
  ["gpt image 2 5 flare, text-to-image, 1k", "6", "per image", "https://kie.ai/gpt-image-2-5", "OpenAI"],
  ["gpt image 2 5 flare, text-to-image, 2k", "10", "per image", "https://kie.ai/gpt-image-2-5", "OpenAI"],
  ["gpt image 2 5 flare, text-to-image, 4k", "16", "per image", "https://kie.ai/gpt-image-2-5", "OpenAI"],
  ["seedream 5 Pro, text-to-image, 1k", "7", "per image", "", "ByteDance"],
  ["seedream 5 Pro, text-to-image, 2k", "14", "per image", "", "ByteDance"],
  ["grok imagine, text-to-image", "4", "per 2 images", "", "Grok"],
  ["grok imagine image 2 0, text to image", "4", "per image", "", "Grok"],
  ["Qwen z-image, text-to-image,1.0s", "0.8", "per image", "", "Qwen"],
  ["Google veo 3.1, text-to-video, Fast-720p", "60", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, text-to-video, Fast-1080p", "65", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, text-to-video, Fast-4K", "180", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, text-to-video, Quality-720p", "250", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, text-to-video, Quality-1080p", "255", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, text-to-video, Quality-4K", "380", "per video", "https://kie.ai/veo-3-1", "Google"],
  ["Google veo 3.1, image-to-video, Quality-4K", "370", "per video", "https://kie.ai/veo-3-1", "Google"],
  ...image("flux 2", "flux-2/pro-text-to-image", ["5.0", "7.0"], "text to image"),
  ...image("flux 2", "flux-2/pro-image-to-image", ["5.0", "7.0"], "image to image"),
  ["Google nano banana 2, 1K", "8", "per image", "https://kie.ai/nano-banana-2", "Google"],
  ["Google nano banana 2, 2K", "12", "per image", "https://kie.ai/nano-banana-2", "Google"],
  ["Google nano banana 2, 4K", "18", "per image", "https://kie.ai/nano-banana-2", "Google"],
  ["Google nano banana pro, 1/2K", "18", "per image", "", "Google"],
  ["Google nano banana pro, 4K", "24", "per image", "", "Google"],
  ["nano-banana-2-lite, 1k", "4", "per image", "https://kie.ai/nano-banana-2-lite", "Google"],
  ["seedream 5 Pro, input image, First image free", "0.5", "per image", "", "ByteDance"],
  ...seconds("grok-imagine-video-1-5-preview, image-to-video", "", { "480p": "2.4", "720p": "4.5" }),
  ...seconds("bytedance/seedance-2-5", "https://kie.ai/seedance-2-5", {
    "480p no video": "28",
    "720p no video": "63",
  }),
  ...seconds("Kling 3.0 Turbo", "https://kie.ai/kling-3-0?model=kling%2Fv3-turbo-text-to-video", {
    "720p": "18",
    "1080p": "22.5",
  }),
  ...OMNI.map((credits): Price => [`Gemini Omni video, video, ${credits}`, credits, "per vedio", ""]),
  ["gpt-6-luna, chat, Input", "6", "per million tokens", "https://kie.ai/gpt-6?model=gpt-6-luna", "OpenAI"],
  ["Suno, generate-music", "12", "per request", "https://kie.ai/suno-api", "Suno"],
];

/** All prices by pages; needs no key. */
export const priceListRoute: DialectRoute = {
  kind: "plain",
  isFree: true,
  answer({ json: body, headers }: Call): Answer {
    if (headers.authorization !== undefined) return json(400, { msg: "no key is needed here" });
    const size = Math.min(wholeOf(body?.pageSize, 10), PAGE_SIZE_MAX);
    const current = wholeOf(body?.pageNum, 1);
    return done({
      records: PRICES.slice((current - 1) * size, current * size).map(recordOf),
      total: PRICES.length,
      size,
      current,
      pages: Math.ceil(PRICES.length / size),
    });
  },
};

function wholeOf(given: unknown, otherwise: number): number {
  return typeof given === "number" && Number.isInteger(given) && given > 0 ? given : otherwise;
}

function recordOf([modelDescription, creditPrice, creditUnit, anchor, provider = ""]: Price): object {
  const interfaceType = creditUnit === "per second" ? "video" : "image";
  const usdPrice = String(Number(creditPrice) * 0.005);
  return {
    modelDescription,
    interfaceType,
    provider,
    creditPrice,
    creditUnit,
    usdPrice,
    anchor,
    discountPrice: false,
  };
}
