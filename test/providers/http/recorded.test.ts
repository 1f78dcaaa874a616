import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { readOutputs } from "../../../src/catalogue/operation.js";
import { fal } from "../../../src/providers/services/fal.js";
import { kie } from "../../../src/providers/services/kie.js";
import { openai } from "../../../src/providers/services/openai.js";
import { replicate } from "../../../src/providers/services/replicate.js";
import { answer, operation } from "./answer.js";

/** Answers that somebody else recorded and published. Contents of files are cut. */
const recordedSchema = z.array(
  z.strictObject({
    source: z.string(),
    recorded_at: z.iso.datetime(),
    endpoint: z.string().default(""),
    api: z.string().optional(),
    headers: z.record(z.string(), z.string()).default({}),
    input: z.record(z.string(), z.json()).default({}),
    submit: z.json().optional(),
    looks: z.array(z.json()).default([]),
    result: z.json().optional(),
  }),
);
const recorded = (service: string) =>
  recordedSchema.parse(JSON.parse(readFileSync(`test/providers/http/recorded/${service}.json`, "utf8")));

const TASK = "https://queue.fal.run/fal-ai/any/requests/1";
const PICTURE = { kind: "image", files: "/images/0/url", encoding: "url" } as const;
const VIDEO = { kind: "video", files: "/video/url", encoding: "url" } as const;

test.each([
  ["fal-ai/nano-banana-2", PICTURE, 0.08, 0.08],
  // Four seconds without sound are two units of a second with it.
  ["fal-ai/veo3.1/image-to-video", VIDEO, 0.4, 0.8],
] as const)("a recorded result of fal's %s gives its file and its cost", (endpoint, output, price, cost) => {
  const found = recorded("fal").find((one) => one.endpoint === endpoint);
  if (!found) throw new Error("no recording");
  const reference = {
    request_id: "1",
    status_url: `${TASK}/status`,
    response_url: TASK,
    cancel_url: `${TASK}/cancel`,
    step: "result",
    unit: { amount: price, currency: "USD" },
  };
  const read = fal.readPoll(answer(200, found.result, found.headers), reference);
  if (read.kind !== "ready") throw new Error(read.kind);
  expect(readOutputs(output, read.document)).toMatchObject([
    { source: { url: expect.stringMatching(/^https:\/\/v3b\.fal\.media\//) } },
  ]);
  expect(read.cost).toEqual({ amount: cost, currency: "USD", source: "units" });
});

test("a recorded edit of OpenAI gives its picture and its cost by tokens", () => {
  const [found] = recorded("openai");
  const output = { kind: "image", files: "/data/*/url", encoding: "url" } as const;
  const units = {
    amounts: { text_input_tokens: 0.000005, image_input_tokens: 0.000008, output_tokens: 0.00003 },
    currency: "USD",
  };
  const read = openai.readSubmit(answer(200, found?.result), operation({ api: "edits", output, units }));
  if (read.kind !== "ready") throw new Error(read.kind);
  expect(readOutputs(output, read.document)).toHaveLength(1);
  expect(read.cost).toEqual({ amount: 0.061022, currency: "USD", source: "units" });
});

test("a recorded prediction of Replicate gives its file", () => {
  const [found] = recorded("replicate");
  const output = { kind: "video", files: "/output/0", encoding: "url" } as const;
  const accepted = replicate.readSubmit(answer(201, found?.result), operation({ output }));
  if (accepted.kind !== "accepted") throw new Error(accepted.kind);
  const read = replicate.readPoll(answer(200, found?.result), accepted.reference);
  if (read.kind !== "ready") throw new Error(read.kind);
  expect(readOutputs(output, read.document)).toMatchObject([
    { source: { url: expect.stringMatching(/^https:\/\/replicate\.delivery\/.*\.mp4$/) } },
  ]);
});

test("a recorded task of kie is read from its acceptance to its files", () => {
  const [task] = recorded("kie");
  if (!task) throw new Error("no recording");
  const output = { kind: "image", files: "/resultUrls/*", encoding: "url" } as const;
  const accepted = kie.readSubmit(answer(200, task.submit), operation({ api: "market", output }));
  if (accepted.kind !== "accepted") throw new Error(accepted.kind);
  const [pending, last] = task.looks.map((look) => kie.readPoll(answer(200, look), accepted.reference));
  expect(pending).toEqual({ kind: "pending", phase: "running" });
  if (last?.kind !== "ready") throw new Error("not finished");
  expect(readOutputs(output, last.document)).toHaveLength(1);
});
