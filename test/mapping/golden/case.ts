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
  source: string;
}

export const LINKS = [
  "https://files.test/1.png",
  "https://files.test/2.png",
  "https://files.test/3.png",
] as const;

/** The OpenAPI pages of docs.kie.ai as kept in a public repository. */
export const KIE_PAGES = "https://github.com/henjicc/Henji-AI/tree/fa7c35ab/docs/api/KIE";
/** The pages themselves. */
export const KIE_DOCS = "https://docs.kie.ai";
/** An extract of those pages of October 2026, kept in a program that calls them. */
export const KIE_EXTRACT =
  "https://github.com/emircskn/zyns/blob/54a33a48/src/lib/registry/generated/catalog.json";
/** Request builders that are in use. */
export const BUILDERS = "https://github.com/henjicc/Henji-AI/tree/fa7c35ab/src/models";
