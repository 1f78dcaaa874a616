import { faultsOf, typesOf } from "@atelier/api-types";
import { expect, test } from "vitest";
import { reference } from "./judge.js";

const HEAD = `
import type { components, operations } from "./api.js";
type Body = operations["createGeneration"]["requestBody"]["content"]["application/json"];
type Answer = operations["getGeneration"]["responses"][200]["content"]["application/json"];
type Refusal = components["schemas"]["CreateGenerationBadRequest"];
declare function post(body: Body): void;
`;

/** Programs of an integrator that the compiler takes, and those that it must refuse, with what it says. */
const RIGHT = `
post({ prompt: "a fox" });
post({ type: "image", model_key: "nano-banana-2", prompt: "a fox", count: 2, reference_urls: ["https://a.example/a.png"] });
post({ type: "video", prompt_text: "waves", duration_sec: 8, sound: true });
post({ type: "music", description: "a slow song about the sea", style_weight: 0.5 });
export const isImage = (request: components["schemas"]["ImageRequest"]) => request.type !== undefined;
export const link = ({ job }: Answer): string | null | undefined => job.status === "done" ? job.result?.url : undefined;
export const tracks = ({ job }: Answer): string[] => (job.result?.tracks ?? []).map(({ title, index }) => title + index);
export const isPoor = (refusal: components["schemas"]["CreateGenerationPaymentRequired"]) => refusal.error === "insufficient_funds";
export const told = ({ error, message, param }: Refusal): string => error === "bad_model" ? param ?? "" : message;
`;
const WRONG = {
  noPrompt: [
    'post({ type: "image", model_key: "nano-banana-2" });',
    /'prompt_text' is missing|not assignable/,
  ],
  mistyped: ['post({ type: "image", promt: "a cat", prompt: "a fox" });', /'promt' does not exist/],
  unknownType: ['post({ type: "audio", prompt: "a fox" });', /"audio"' is not assignable/],
  otherKind: ['post({ type: "music", description: "a slow song", count: 2 });', /'count' does not exist/],
  oneLink: [
    'post({ type: "image", prompt: "a fox", reference_urls: "https://a.example/a.png" });',
    /string\[\]/,
  ],
  noSuchCode: ['export const is = ({ error }: Refusal) => error === "bad_modell";', /no overlap/],
  noSuchStatus: ['export const is = ({ job }: Answer) => job.status === "finished";', /no overlap/],
} as const;

test("types that are generated of the document take right calls, and no wrong one", async () => {
  const wrong = Object.entries(WRONG).map(([name, [code]]) => [name, HEAD + code] as const);
  const faults = faultsOf(await typesOf(reference), { right: HEAD + RIGHT, ...Object.fromEntries(wrong) });
  expect(faults).toMatchObject({ api: [], right: [] });
  for (const [name, [, words]] of Object.entries(WRONG)) {
    expect(faults[name], name).toHaveLength(1);
    expect(faults[name]?.[0], name).toMatch(words);
  }
});

test("no schema has a choice of schemas beside its properties, and every body is a named one", () => {
  const nodes: object[] = [reference];
  for (const node of nodes) {
    const beside = ["anyOf", "oneOf", "allOf"].filter((choice) => choice in node && "properties" in node);
    expect(beside, JSON.stringify(node).slice(0, 200)).toEqual([]);
    nodes.push(
      ...Object.values(node).filter((value): value is object => typeof value === "object" && value !== null),
    );
  }
  const contents = Object.values(reference.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ requestBody, responses }) => [
      ...Object.values(responses),
      ...(requestBody ? [requestBody] : []),
    ]);
  for (const { content } of contents)
    expect(content["application/json"]?.schema).toEqual({
      $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z]\w+$/),
    });
});
