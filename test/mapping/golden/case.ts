import type { Json } from "../../../src/catalogue/json.js";

/** What a service's own documents say the body of a request has to be, written by hand. */
export interface GoldenCase {
  name: string;
  service: "fal" | "kie" | "polza" | "openai" | "replicate" | "comfyui" | "ace_step";
  /** Body of a POST to our own API. */
  body: { readonly [name: string]: Json };
  api?: "market" | "generations" | "edits" | "workflow";
  endpoint: string;
  input: { readonly [name: string]: Json };
}

export const LINKS = [
  "https://files.test/1.png",
  "https://files.test/2.png",
  "https://files.test/3.png",
] as const;

export const lyrics = "[Verse 1]\nSnow is falling on the town\nand the lights are going down";

type Body = GoldenCase["body"];

export const image = (model_key: string, more: Body = {}): Body => ({
  type: "image",
  model_key,
  prompt: "a fox",
  ...more,
});
export const video = (model_key: string, more: Body = {}): Body => ({
  ...image(model_key, more),
  type: "video",
});
export const music = (model_key: string, more: Body): Body => ({ type: "music", model_key, ...more });

/** Cases that have their service and its API in common. */
export function casesOf<Common extends Partial<GoldenCase>>(
  common: Common,
  cases: readonly Omit<GoldenCase, keyof Common>[],
): readonly (Common & Omit<GoldenCase, keyof Common>)[] {
  return cases.map((one) => ({ ...common, ...one }));
}
