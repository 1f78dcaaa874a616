import { describe, expect, test } from "vitest";
import { generationApi } from "../../../src/providers/services/generation-api.js";
import { answer, HTML, operation } from "./answer.js";

const ID = "8b7d9f7e-0d0c-4a55-9c39-3a1f0b2a6b10";
const ASKED = operation({
  endpoint: "music:suno-v5",
  input: { mode: "description", description: "a slow song" },
  output: { kind: "audio", files: "/tracks/*/url", encoding: "url" },
});
const ACCEPTED = { ok: true, job_id: 7, job_ids: [7], status: "queued", cost_rub: 10 };
const REFERENCE = { job_id: 7 };
const AT = Date.parse("2026-11-23T10:00:00Z");
const HEALTH = { ok: true, version: "v1" };
const ANNOUNCED = { "idempotency-key-retention": "86400" };

function refusal(error: string, status = 400) {
  return answer(status, { ok: false, error });
}

test("a POST is a request of the contract, with a key of its own", () => {
  expect(generationApi.submit(ASKED, { id: ID, callbackUrl: "" })).toEqual({
    method: "POST",
    url: "https://generation-api.invalid/v1/generations",
    headers: { "idempotency-key": ID },
    json: { type: "music", model_key: "music:suno-v5", mode: "description", description: "a slow song" },
  });
});

test.each([
  ["an acceptance", answer(200, ACCEPTED), { kind: "accepted", reference: REFERENCE }],
  ["an acceptance that was cut", answer(200, '{"ok":true,"job_id":7,"jo'), { kind: "accepted" }],
  ["no money", refusal("insufficient_funds", 402), { kind: "paused", reason: "no_credit" }],
  ["a wrong key", refusal("invalid_api_key", 401), { kind: "paused", reason: "key_refused" }],
  ["a disabled model", refusal("model_disabled"), { kind: "declined" }],
  ["an unknown model", refusal("bad_video_model"), { kind: "declined" }],
  ["an account that may not order", refusal("account_banned", 403), { kind: "paused", reason: "locked" }],
  ["words that it refuses", refusal("content_refused"), { kind: "refused", refusal: "policy" }],
  ["a field that it does not take", refusal("bad_aspect_ratio"), { kind: "refused", refusal: "request" }],
  ["a proxy that knows no such page now", answer(404, HTML), { kind: "declined" }],
  [
    "a first POST that is still being answered",
    refusal("idempotency_key_in_use", 409),
    { kind: "ambiguous" },
  ],
])("%s is read by the contract's table", (_name, given, outcome) => {
  expect(generationApi.readSubmit(given, ASKED)).toMatchObject(outcome);
});

function job(change: object) {
  return answer(200, {
    ok: true,
    job: { job_id: 7, type: "music", status: "done", cost_rub: 25, result: null, error: null, ...change },
  });
}
const TRACK = {
  index: 1,
  title: "Sea",
  duration: 60,
  mime: "audio/mpeg",
  url: "https://a.test/1",
  image_url: null,
};

test.each([
  ["queued", job({ status: "queued" }), { kind: "pending", phase: "queued" }],
  ["in a state of its own", job({ status: "polishing" }), { kind: "pending", phase: "running" }],
  [
    "done with a track that is not there yet",
    job({ result: { url: "https://a.test/1", mime: null, tracks: [TRACK, { ...TRACK, url: null }] } }),
    { kind: "pending" },
  ],
  [
    "done",
    job({ result: { url: "https://a.test/1", mime: "audio/mpeg", tracks: [TRACK] } }),
    {
      kind: "ready",
      document: { tracks: [TRACK] },
      cost: { amount: 25, currency: "RUB", source: "upstream" },
    },
  ],
  ["failed", job({ status: "error", error: "It broke." }), { kind: "failed", detail: "It broke." }],
  ["unknown to the service", refusal("job_not_found", 404), { kind: "unknown_task" }],
  ["another job", job({ job_id: 8 }), { kind: "glitch" }],
  ["on a page that is not there", answer(404, { error: "Not Found" }), { kind: "glitch" }],
])("a job that is %s is read so", (_name, given, outcome) => {
  expect(generationApi.readPoll(given, REFERENCE)).toMatchObject(outcome);
});

describe("a doubtful POST", () => {
  const attempt = { id: ID, operation: ASKED, submittedAt: AT, askedForMs: 0, taken: [] };
  const health = (minutes: number, headers: Record<string, string> = ANNOUNCED) =>
    generationApi.readLookUp?.(answer(200, HEALTH, headers), attempt, AT + minutes * 60_000);
  const post = generationApi.submit(ASKED, { id: ID, callbackUrl: "" });
  const repeated = (given: Parameters<typeof generationApi.readPoll>[0]) =>
    generationApi.readLookUp?.(given, attempt, AT, post);

  test("is repeated with its key where the service announces that it honours keys", () => {
    expect(generationApi.lookUp?.(attempt)).toMatchObject({ method: "GET" });
    expect(health(1)).toEqual({ kind: "next", call: post });
  });

  test("is never repeated at a service that announces nothing, or less than has passed", () => {
    expect(health(1, {})).toEqual({ kind: "unknown" });
    expect(health(1, { "idempotency-key-retention": "30" })).toEqual({ kind: "unknown" });
  });

  test("is never repeated when the person has the refund", () => {
    expect(health(6)).toEqual({ kind: "unknown" });
  });

  test.each([
    ["its jobs", answer(200, ACCEPTED), { kind: "found", reference: REFERENCE }],
    ["a refusal of the body", refusal("bad_aspect_ratio"), { kind: "absent" }],
    ["no money", refusal("insufficient_funds", 402), { kind: "absent" }],
    ["a wrong key", refusal("invalid_api_key", 401), { kind: "unknown" }],
    ["too many calls", answer(429, ""), { kind: "unknown" }],
    ["the first one in flight", refusal("idempotency_key_in_use", 409), { kind: "unknown" }],
    ["a page of a proxy", answer(502, HTML), { kind: "unknown" }],
    ["a proxy that knows no such page now", answer(404, HTML), { kind: "unknown" }],
    ["a proxy that takes no such size", answer(413, HTML), { kind: "unknown" }],
    ["a proxy that lets nobody in", answer(403, "no credit"), { kind: "unknown" }],
  ])("that is answered by %s when repeated is judged by what that proves", (_name, given, outcome) => {
    expect(repeated(given)).toEqual(outcome);
  });
});

test.each([
  [answer(200, { ok: true, balance: { currency: "RUB", amount: 5 } }), { kind: "good" }],
  [
    answer(200, { ok: true, balance: { currency: "RUB", amount: 0 } }),
    { kind: "paused", reason: "no_credit" },
  ],
  [answer(200, { ok: true }), { kind: "glitch" }],
])("the probe reads the balance", (given, outcome) => {
  expect(generationApi.probe.read(given, "no_credit")).toMatchObject(outcome);
});
