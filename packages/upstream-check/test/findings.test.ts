import { describe, expect, test } from "vitest";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { polza } from "../../../src/providers/services/polza.js";
import type { GeneratedFile } from "../../../src/workers/worker-pool.js";
import { answer, operation } from "../../../test/providers/http/answer.js";
import { answerFindings, costFindings, fileFindings } from "../src/findings.js";

describe("an answer of polza", () => {
  const media = { id: "1", object: "media.generation", status: "pending", created: 1, model: "m" };
  const found = (body: object) => {
    const read = answer(200, body);
    return answerFindings("polza", { answer: read, outcome: polza.readSubmit(read, operation()) });
  };

  test("as documented has no findings", () => expect(found(media)).toEqual([]));

  test("that complains differs", () => {
    const text = 'the service warns: ["seed is ignored"]';
    expect(found({ ...media, warnings: ["seed is ignored"] })).toEqual([{ matters: true, text }]);
  });
});

const IMAGE: GenerationRequest = { type: "image", model_key: "m", aspect_ratio: "16:9", resolution: "1K" };
const VIDEO: GenerationRequest = { type: "video", model_key: "m", resolution: "720p", duration_sec: 5 };

describe("files", () => {
  const image = (facts: Partial<GeneratedFile>) => [{ path: "a", mime: "image/webp", ...facts }];
  const video = (facts: Partial<GeneratedFile>) => [{ path: "a", mime: "video/mp4", ...facts }];

  test.each<[string, GenerationRequest, GeneratedFile[], object, string | undefined]>([
    ["of another shape", IMAGE, image({ width: 1024, height: 1024 }), {}, "1024×1024, and 16:9"],
    ["of a larger size", IMAGE, image({ width: 2752, height: 1536 }), {}, "1K was asked for: it is larger"],
    ["of another format", IMAGE, image({}), { output_format: "png" }, "image/webp, and png"],
    [
      "of the asked format",
      IMAGE,
      image({ original: { path: "b", mime: "image/jpeg" } }),
      { output_format: "jpg" },
      undefined,
    ],
    ["of another side", VIDEO, video({ width: 854, height: 480 }), {}, "854×480, and 720p"],
    ["of another length", VIDEO, video({ width: 1280, height: 720, durationSec: 8 }), {}, "8.0 s, and 5 s"],
    [
      "of about the asked length",
      VIDEO,
      video({ width: 720, height: 1280, durationSec: 5.2 }),
      {},
      undefined,
    ],
    ["of another kind", VIDEO, image({}), {}, "0 files of type video, not 1"],
  ])("%s", (_name, request, files, input, said) => {
    const found = fileFindings(files, request, operation({ input: input as Record<string, string> }), 1);
    expect(found.map(({ text }) => text)).toEqual(said === undefined ? [] : [expect.stringContaining(said)]);
  });
});

test.each([
  [undefined, { amount: 8, currency: "kie_credit" }, false, "do not tell the cost"],
  [
    { amount: 12, currency: "kie_credit" },
    { amount: 8, currency: "kie_credit" },
    true,
    "it cost 12 kie_credit, and the catalogue says 8",
  ],
  [
    { amount: 8, currency: "RUB" },
    { amount: 8, currency: "kie_credit" },
    true,
    "the catalogue counts in kie_credit",
  ],
  [{ amount: 8, currency: "RUB" }, undefined, false, "it cost 8 RUB; the catalogue tells no price"],
])("a cost of %o where %o is expected", (told, expected, matters, said) => {
  const cost = (given: typeof told) => given && { ...given, source: "upstream" as const };
  expect(costFindings(cost(told), cost(expected))).toEqual([
    { matters, text: expect.stringContaining(said) },
  ]);
});
