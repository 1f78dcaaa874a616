import { describe, expect, test } from "vitest";
import { polza } from "../../../src/providers/services/polza.js";
import { answer, operation } from "./answer.js";

/** The id while a task waits, and as the documentation shows it at the end. */
const WAITING = "gen_581761234567890123";
const ID = "aig_abc123";
/** From polza.ai/docs/api-reference/media/status. */
const COMPLETED = {
  id: ID,
  object: "media.generation",
  status: "completed",
  created: 1_703_001_244,
  model: "google/gemini-2.5-flash-image",
  data: { url: "https://s3.polza.ai/f/205141/2026/03/aig_abc123.jpg" },
  usage: { output_units: 1, cost_rub: 5.0, cost: 5.0 },
};
const error = (code: string, message: string) => ({ error: { code, message } });

test("a submit asks not to wait for the result", () => {
  const input = { prompt: "a cat", aspect_ratio: "1:1" };
  const attempt = { id: "any", callbackUrl: "https://ours.invalid" };
  expect(polza.submit(operation({ endpoint: "x-ai/grok-imagine-image", input }), attempt)).toEqual({
    method: "POST",
    url: "https://polza.ai/api/v1/media",
    json: { model: "x-ai/grok-imagine-image", input, async: true },
  });
  expect(polza.headers("secret")).toEqual({ authorization: "Bearer secret" });
});

describe("the answer to a submit", () => {
  test("keeps the id, and what the service says it ignored", () => {
    const accepted = { id: ID, object: "media.generation", status: "pending", data: null, error: null };
    expect(polza.readSubmit(answer(201, accepted), operation())).toEqual({
      kind: "accepted",
      reference: { id: ID },
    });
    const warned = { ...accepted, warnings: ["seed is ignored", null, 7, { message: "so is n" }] };
    expect(polza.readSubmit(answer(200, warned), operation())).toEqual({
      kind: "accepted",
      reference: { id: ID, warnings: "seed is ignored; so is n" },
    });
  });

  test.each([
    [403, error("FORBIDDEN", "Аккаунт заблокирован"), { kind: "paused", reason: "locked" }],
    [200, error("INSUFFICIENT_BALANCE", "Недостаточно средств"), { kind: "paused", reason: "no_credit" }],
    [413, error("TOO_LARGE", "too large"), { kind: "ambiguous" }],
    [429, error("RATE_LIMIT", "slow down"), { kind: "ambiguous" }],
  ])("of status %i is judged by what it proves", (status, body, expected) => {
    expect(polza.readSubmit(answer(status, body), operation())).toMatchObject(expected);
  });
});

describe("a poll of a task", () => {
  test("asks by its id", () => {
    expect(polza.poll({ id: "a/b" })).toEqual({ method: "GET", url: "https://polza.ai/api/v1/media/a%2Fb" });
  });

  test.each([
    ["one object", COMPLETED.data, [COMPLETED.data]],
    ["base64", [{ b64_json: "aGk=" }], [{ url: "data:application/octet-stream;base64,aGk=" }]],
    ["nothing", null, []],
  ])("that is made has a list of addresses, given as %s", (_name, data, expected) => {
    expect(polza.readPoll(answer(200, { ...COMPLETED, data }), { id: WAITING })).toEqual({
      kind: "ready",
      document: { data: expected },
      cost: { amount: 5, currency: "RUB", source: "upstream" },
    });
  });

  test.each([
    [200, { id: ID, status: "pending" }, { kind: "pending", phase: "queued" }],
    [200, { id: ID, status: "processing" }, { kind: "pending", phase: "running" }],
    [
      200,
      { id: ID, status: "failed", ...error("MODERATION", "Запрос отклонён модерацией") },
      { kind: "refused", refusal: "policy" },
    ],
    [200, { id: ID, status: "thinking" }, { kind: "glitch" }],
    [404, error("NOT_FOUND", "no such task"), { kind: "unknown_task" }],
  ])("answered with %i %j tells its state", (status, body, expected) => {
    expect(polza.readPoll(answer(status, body), { id: ID })).toMatchObject(expected);
  });
});

test("an upload is kept for the task alone", () => {
  const upload = polza.upload?.begin({ path: "/tmp/a", mime: "image/png", fileName: "a.png" });
  expect(upload?.form).toContainEqual({ name: "storagePolicy", value: "TEMP_UPLOAD" });
});

test.each([
  [200, { amount: "123.45" }, { kind: "good", balance: 123.45 }],
  [200, { amount: "0" }, { kind: "paused", reason: "no_credit", balance: 0 }],
])("a probe answered with %i %j tells the state of the account", (status, body, expected) => {
  expect(polza.probe.read(answer(status, body), "key_refused")).toEqual(expected);
});
