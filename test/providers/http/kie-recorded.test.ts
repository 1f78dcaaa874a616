import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { readOutputs } from "../../../src/catalogue/operation.js";
import { kie } from "../../../src/providers/services/kie.js";
import { answer, operation } from "./answer.js";

/** Answers of kie.ai that somebody else recorded and published. */
const recorded = z
  .array(
    z.strictObject({
      source: z.url(),
      recorded_at: z.iso.datetime(),
      endpoint: z.string(),
      input: z.record(z.string(), z.json()),
      submit: z.json(),
      looks: z.array(z.json()).min(1),
    }),
  )
  .parse(JSON.parse(readFileSync("test/providers/http/recorded/kie.json", "utf8")));

test.each([
  ["seedream/5-lite-text-to-image", "running", 1],
  ["grok-imagine/text-to-image", "queued", 6],
] as const)("a recorded task of %s is read from its acceptance to its files", (endpoint, phase, pictures) => {
  const task = recorded.find((one) => one.endpoint === endpoint);
  if (!task) throw new Error("no recording");
  const { input, submit, looks } = task;
  const output = { kind: "image", files: "/resultUrls/*", encoding: "url" } as const;
  const asked = operation({ api: "market", endpoint, input, output });
  const accepted = kie.readSubmit(answer(200, submit), asked);
  if (accepted.kind !== "accepted") throw new Error(accepted.kind);
  const { reference } = accepted;
  const read = looks.map((look) => kie.readPoll(answer(200, look), reference));
  expect(read.slice(0, -1)).toEqual([{ kind: "pending", phase }]);
  const last = read.at(-1);
  if (last?.kind !== "ready") throw new Error("not finished");
  expect(readOutputs(output, last.document)).toHaveLength(pictures);
});
