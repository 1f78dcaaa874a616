import { expect } from "vitest";
import { mappingFor } from "../../../src/catalogue/operation.js";
import { stepsOf } from "../../../src/ctl/upstream-check/make-recording.js";
import { answerOf } from "../../../src/ctl/upstream-check/recorded-answer.js";
import type { Recording } from "../../../src/ctl/upstream-check/recording.js";
import { ADAPTERS } from "../../../src/providers/adapters.js";
import { quickEntries } from "./harness.js";

/** What the adapter and the mappings of today make of the recorded answers. */
function replayed(recording: Recording) {
  const adapter = ADAPTERS.find(({ name }) => name === recording.provider);
  const entry = quickEntries.find(({ model_key }) => model_key === recording.model_key);
  if (!adapter || !entry) throw new Error("no such service or model");
  const request = recording.request as Parameters<typeof mappingFor>[1];
  const chosen = mappingFor(entry.mappings[recording.provider] ?? [], request);
  if (!("mapping" in chosen)) throw new Error(`no mapping takes ${chosen.refusedField}`);
  const answers = recording.steps.map(({ answer }) => answerOf(answer));
  return {
    endpoint: chosen.mapping.endpoint,
    steps: stepsOf(adapter, chosen.mapping, recording, answers),
  };
}

/** Sends and reads the same today. Headers are not compared: some follow the catalogue's deadlines. */
export function expectReplayable(recording: Recording): void {
  const { endpoint, steps } = replayed(recording);
  expect(endpoint).toBe(recording.endpoint);
  expect(JSON.parse(JSON.stringify(steps.map(({ call: { headers: _, ...call } }) => call)))).toEqual(
    recording.steps.map(({ call: { headers: _, ...call } }) => call),
  );
  expect(JSON.parse(JSON.stringify(steps.map(({ outcome }) => outcome)))).toEqual(
    recording.steps.map(({ outcome }) => outcome),
  );
}
