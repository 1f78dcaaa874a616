import type { Json } from "../../../src/routes/json.js";

/** What a service's own documents say the body of a request has to be, written by hand. */
export interface GoldenCase {
  name: string;
  service: "fal" | "kie" | "polza" | "openai" | "replicate" | "comfyui" | "ace_step";
  /** Body of a POST to our own API. */
  body: { readonly [name: string]: Json };
  api?: "market" | "veo" | "suno" | "generations" | "edits" | "workflow";
  endpoint: string;
  input: { readonly [name: string]: Json };
  source: string;
}

export const LINKS = [
  "https://files.test/1.png",
  "https://files.test/2.png",
  "https://files.test/3.png",
] as const;

/** The OpenAPI pages of docs.kie.ai as kept in a public repository. */
export const KIE_PAGES = "https://github.com/henjicc/Henji-AI/tree/fa7c35ab/docs/api/KIE";
/** Request builders that are in use. */
export const BUILDERS = "https://github.com/henjicc/Henji-AI/tree/fa7c35ab/src/models";
