import { expect, test } from "vitest";
import {
  judgeKeyProbe,
  judgeOwnPollStatus,
  judgePollStatus,
  judgeProbeStatus,
  judgeSubmit,
} from "../../../src/providers/judge-status.js";
import { answer, HTML } from "./answer.js";

test.each([
  [307, "", { kind: "ambiguous" }],
  [408, "", { kind: "ambiguous" }],
  [500, { detail: "Internal Server Error" }, { kind: "ambiguous" }],
  [200, {}, { kind: "ambiguous" }],
  [400, HTML, { kind: "refused", refusal: "request" }],
  [404, { detail: "Application 'x' not found" }, { kind: "refused", refusal: "request" }],
  [413, HTML, { kind: "refused", refusal: "request" }],
  [429, "", { kind: "throttled", retryAfterMs: 12_000 }],
  [401, HTML, { kind: "suspected", reason: "key_refused" }],
  [401, { detail: "invalid key credentials" }, { kind: "paused", reason: "key_refused" }],
  [402, { detail: "…" }, { kind: "paused", reason: "no_credit" }],
  [403, HTML, { kind: "suspected", reason: "locked" }],
  [403, { detail: "User is locked." }, { kind: "paused", reason: "locked" }],
  [403, { detail: "User is locked. Reason: Exhausted balance." }, { kind: "paused", reason: "no_credit" }],
])("a submit answered with %i %j is judged by what that proves", (status, body, expected) => {
  expect(judgeSubmit(answer(status, body, { "retry-after": "12" }))).toMatchObject(expected);
});

test.each([
  [429, "", { kind: "throttled", retryAfterMs: 12_000 }],
  [401, { detail: "invalid key credentials" }, { kind: "paused", reason: "key_refused" }],
  [401, HTML, { kind: "glitch" }],
  [403, { detail: "User is locked." }, { kind: "glitch" }],
  [404, HTML, { kind: "glitch" }],
  [500, { detail: "fault" }, { kind: "glitch" }],
])("a poll answered with %i %j ends no task", (status, body, expected) => {
  const given = answer(status, body, { "retry-after": "12" });
  for (const judge of [judgePollStatus, judgeOwnPollStatus]) expect(judge(given)).toMatchObject(expected);
});

test("an unknown task is one of a service with a memory, not of the operator's own software", () => {
  const unknown = answer(404, { detail: "Not Found" });
  expect(judgePollStatus(unknown).kind).toBe("unknown_task");
  expect(judgeOwnPollStatus(unknown).kind).toBe("glitch");
});

test.each([
  [200, { type: "user" }, { kind: "good" }],
  [401, {}, { kind: "paused", reason: "key_refused" }],
  [403, { detail: "User is locked. Reason: Exhausted balance." }, { kind: "paused", reason: "no_credit" }],
  [200, HTML, { kind: "glitch" }],
  [502, HTML, { kind: "glitch" }],
])("a probe answered with %i %j tells the state of key and account", (status, body, expected) => {
  const given = answer(status, body);
  expect([judgeProbeStatus(given), judgeKeyProbe(given, "key_refused")]).toEqual([expected, expected]);
  if (expected.kind === "good") expect(judgeKeyProbe(given, "no_credit")).toEqual({ kind: "glitch" });
});
