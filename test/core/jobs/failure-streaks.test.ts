import { expect, test } from "vitest";
import type { Failure } from "../../../src/contract/job.js";
import { FailureStreaks } from "../../../src/jobs/job-completion.js";
import type { OperatorNotice } from "../../../src/ports/operator-notices.js";
import { noticesTo } from "../../support/told-notices.js";

function openStreaks() {
  const told: OperatorNotice[] = [];
  const streaks = new FailureStreaks(noticesTo(told));
  const note = (model: string, ...failures: (Failure | undefined)[]) => {
    for (const failure of failures) streaks.note({ model_key: model, model_title: model }, failure);
  };
  return { told, note };
}

test("three failures in a row are told once, until one succeeds", () => {
  const { told, note } = openStreaks();
  note("veo", "timeout", "provider");
  expect(told).toEqual([]);
  note("veo", "unavailable", "provider", "provider");
  expect(told).toEqual([{ kind: "failures", model: "veo", count: 3 }]);
  note("veo", undefined, "provider", "provider", "provider");
  expect(told).toHaveLength(2);
});

test("models are counted apart, and a success between ends the row", () => {
  const { told, note } = openStreaks();
  note("veo", "provider", "provider");
  note("kling", "provider", "provider");
  note("veo", undefined, "provider");
  expect(told).toEqual([]);
});

test("what is the request's own fault is neither a failure of the model nor a success", () => {
  const { told, note } = openStreaks();
  note("veo", "refused", "refused", "reference", "refused");
  expect(told).toEqual([]);
  note("veo", "provider", "provider", "refused", "provider");
  expect(told).toHaveLength(1);
});
