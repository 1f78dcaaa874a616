import { describe, expect, test } from "vitest";
import type { UpstreamReference } from "../../../src/providers/adapter.js";
import { replicate } from "../../../src/providers/services/replicate.js";
import { answer, HTML, operation } from "./answer.js";

const ROOT = "https://api.replicate.com/v1";
const ID = "gm3qorzdhgbfurvjtvhg6dckhu";
/** From https://sdks.replicate.com/python/resources/predictions/methods/get/ */
const PREDICTION = {
  completed_at: null,
  created_at: "2026-11-22T16:19:34.907244Z",
  data_removed: false,
  error: null,
  id: ID,
  input: { prompt: "a cat" },
  metrics: {},
  output: null,
  source: "api",
  status: "starting",
  urls: {
    web: `https://replicate.com/p/${ID}`,
    get: `${ROOT}/predictions/${ID}`,
    cancel: `${ROOT}/predictions/${ID}/cancel`,
  },
  model: "google/nano-banana-2",
  version: "hidden",
};
const REFERENCE = { id: ID, get: `${ROOT}/predictions/${ID}`, cancel: `${ROOT}/predictions/${ID}/cancel` };
const FILE = "https://replicate.delivery/xezq/abc/out.png";

test("a submit asks an official model and does not wait for it", () => {
  const input = { prompt: "a cat", resolution: "1K" };
  const asked = operation({ endpoint: "google/nano-banana-2", input });
  expect(replicate.submit(asked, { id: "any" })).toEqual({
    method: "POST",
    url: `${ROOT}/models/google/nano-banana-2/predictions`,
    headers: { "cancel-after": "300s" },
    json: { input },
  });
  expect(replicate.headers("secret")).toEqual({ authorization: "Bearer secret" });
});

test("a submit asks to be called at the end alone, where the service can call", () => {
  const webhook = "https://atelier.example/hooks/replicate/a-token";
  const { json } = replicate.submit(operation({ input: { prompt: "a cat" } }), {
    id: "any",
    callbackUrl: webhook,
  });
  expect(json).toEqual({ input: { prompt: "a cat" }, webhook, webhook_events_filter: ["completed"] });
});

describe("a submit", () => {
  test("without addresses is asked about at the documented ones", () => {
    const read = replicate.readSubmit(answer(201, { id: ID, status: "starting" }), operation());
    expect(read).toEqual({ kind: "accepted", reference: REFERENCE });
  });

  test.each([
    [403, { detail: "Your account has been disabled." }, { kind: "paused", reason: "locked" }],
    [
      429,
      { detail: "Request was throttled. Your rate limit resets in ~30s." },
      { kind: "throttled", retryAfterMs: 30_000 },
    ],
  ])("answered with %i %j is judged by what it proves", (status, body, expected) => {
    expect(replicate.readSubmit(answer(status, body), operation())).toMatchObject(expected);
  });
});

describe("a poll", () => {
  test("goes to the address that the service named", () => {
    expect(replicate.poll(REFERENCE)).toEqual({ method: "GET", url: REFERENCE.get });
    expect(replicate.cancel?.(REFERENCE)).toEqual({ method: "POST", url: REFERENCE.cancel });
    expect(replicate.poll({ id: ID })).toEqual({ method: "GET", url: REFERENCE.get });
  });

  test.each([
    [{ status: "starting" }, { kind: "pending", phase: "queued" }],
    [{ status: "processing" }, { kind: "pending", phase: "running" }],
    [
      { status: "succeeded", output: [null, FILE, 7, { url: FILE }] },
      { kind: "ready", document: { output: [FILE] } },
    ],
    [
      { status: "succeeded", data_removed: true },
      { kind: "ready", document: { output: [] } },
    ],
    [
      { status: "failed", error: "CUDA out of memory" },
      { kind: "failed", detail: "CUDA out of memory" },
    ],
    [
      { status: "failed", error: "NSFW content detected" },
      { kind: "refused", refusal: "policy" },
    ],
    [{ status: "canceled" }, { kind: "failed", detail: "canceled" }],
    [{ status: "aborted" }, { kind: "failed", detail: "aborted" }],
    [{ status: "paused" }, { kind: "glitch" }],
  ])("answered with %j tells what became of it", (told, expected) => {
    const read = replicate.readPoll(answer(200, { ...PREDICTION, ...told }), REFERENCE);
    expect(read).toMatchObject(expected);
  });
});

describe("a doubtful submit", () => {
  const submittedAt = Date.parse("2026-11-22T16:19:30Z");
  const asked = operation({ endpoint: "google/nano-banana-2", input: { prompt: "a cat" } });
  const attempt = { id: "any", operation: asked, submittedAt, askedForMs: 0, taken: [] };
  const look = (...results: object[]) =>
    replicate.readLookUp?.(answer(200, { next: null, previous: null, results }), attempt, submittedAt);

  test("is looked for among the predictions since then", () => {
    expect(replicate.lookUp?.(attempt)).toEqual({
      method: "GET",
      url: `${ROOT}/predictions?created_after=2026-11-22T16%3A17%3A30.000Z`,
    });
  });

  test("is found by its model, its input and its time", () => {
    const others = [
      { ...PREDICTION, id: "1", model: "google/nano-banana-pro" },
      { ...PREDICTION, id: "2", input: { prompt: "a dog" } },
      { ...PREDICTION, id: "3", created_at: "2026-11-22T17:19:34Z" },
      { ...PREDICTION, id: "4", created_at: "never" },
    ];
    expect(look(...others, PREDICTION)).toEqual({ kind: "found", reference: REFERENCE });
    expect(look(...others)).toEqual({ kind: "unknown" });
  });

  test("is none of those that other attempts of the same request have", () => {
    const other = { ...PREDICTION, id: "other" };
    const lookWith = (...taken: UpstreamReference[]) =>
      replicate.readLookUp?.(
        answer(200, { results: [PREDICTION, other] }),
        { ...attempt, taken },
        submittedAt,
      );
    expect(lookWith()).toMatchObject({ kind: "found", reference: REFERENCE });
    expect(lookWith({ id: ID })).toMatchObject({ kind: "found", reference: { id: "other" } });
    expect(lookWith({ id: ID }, { id: "other" })).toEqual({ kind: "unknown" });
  });

  test("is never proved absent", () => {
    expect(look()).toEqual({ kind: "unknown" });
    expect(replicate.readLookUp?.(answer(502, HTML), attempt, submittedAt)).toEqual({ kind: "unknown" });
  });
});
