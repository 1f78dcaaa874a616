import { describe, expect, test } from "vitest";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { answerFindings } from "../../../src/ctl/upstream-check/compare-answer.js";
import { costFindings } from "../../../src/ctl/upstream-check/compare-cost.js";
import { fileFindings } from "../../../src/ctl/upstream-check/compare-files.js";
import { fal } from "../../../src/providers/services/fal.js";
import { kie } from "../../../src/providers/services/kie.js";
import type { GeneratedFile } from "../../../src/workers/worker-pool.js";
import { answer, operation } from "../../providers/http/answer.js";

const TASK = "https://queue.fal.run/fal-ai/nano-banana-2/requests/1";
const SUBMITTED = {
  status: "IN_QUEUE",
  request_id: "1",
  response_url: TASK,
  status_url: `${TASK}/status`,
  cancel_url: `${TASK}/cancel`,
};

function submitFindings(body: object) {
  const read = answer(200, body);
  return answerFindings("fal", { answer: read, outcome: fal.readSubmit(read, operation()) });
}

describe("an answer", () => {
  test("as documented has no findings", () => expect(submitFindings(SUBMITTED)).toEqual([]));

  test("with a field that no page names has a note", () => {
    const text = "the answer has fields that no page names: tier";
    expect(submitFindings({ ...SUBMITTED, tier: 1 })).toEqual([{ matters: false, text }]);
  });

  test("without a documented field differs, though the adapter reads it", () => {
    const { cancel_url: _, ...others } = SUBMITTED;
    expect(submitFindings(others)).toMatchObject([{ matters: true, text: /^cancel_url: / }]);
  });

  test("with another type of a field of a record differs", () => {
    const data = { taskId: "1", model: "m", state: "waiting", param: "", resultJson: "", failCode: null };
    const rest = { failMsg: null, costTime: null, completeTime: null, createTime: "today" };
    const read = answer(200, { code: 200, msg: "success", data: { ...data, ...rest } });
    const reference = { api: "market", task_id: "1" };
    const outcome = kie.readPoll(read, reference);
    expect(outcome).toMatchObject({ kind: "pending" });
    expect(answerFindings("kie", { answer: read, outcome, reference })).toMatchObject([
      { matters: true, text: expect.stringContaining("data.createTime") },
    ]);
  });
});

const IMAGE: GenerationRequest = { type: "image", model_key: "m", aspect_ratio: "16:9", resolution: "1K" };
const VIDEO: GenerationRequest = { type: "video", model_key: "m", resolution: "720p", duration_sec: 5 };

describe("files", () => {
  const image = (facts: Partial<GeneratedFile>) => [{ path: "a", mime: "image/webp", ...facts }];
  const video = (facts: Partial<GeneratedFile>) => [{ path: "a", mime: "video/mp4", ...facts }];

  test.each<[string, GenerationRequest, GeneratedFile[], object, string | undefined]>([
    ["of the asked shape", IMAGE, image({ width: 1376, height: 768 }), {}, undefined],
    ["of another shape", IMAGE, image({ width: 1024, height: 1024 }), {}, "1024×1024, and 16:9"],
    ["of a larger size", IMAGE, image({ width: 2752, height: 1536 }), {}, "1K was asked for: it is larger"],
    ["of a smaller size", IMAGE, image({ width: 688, height: 384 }), {}, "688×384, and 1K was asked for"],
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
