import { describe, expect, test } from "vitest";
import type { UpstreamReference } from "../../../src/providers/adapter.js";
import { fal } from "../../../src/providers/services/fal.js";
import { answer, operation } from "./answer.js";

const ID = "80e732af-660e-45cd-bd63-580e4f2a94cc";
const TASK = `https://queue.fal.run/fal-ai/nano-banana-2/requests/${ID}`;
/** From fal.ai/docs, "Submit a request". */
const SUBMITTED = {
  status: "IN_QUEUE",
  request_id: ID,
  response_url: TASK,
  status_url: `${TASK}/status`,
  cancel_url: `${TASK}/cancel`,
  queue_position: 0,
};
const REFERENCE = {
  request_id: ID,
  status_url: `${TASK}/status`,
  response_url: TASK,
  cancel_url: `${TASK}/cancel`,
};
const RESULT: UpstreamReference = { ...REFERENCE, step: "result" };

/** An error of a model, as fal.ai/docs "Error reference" shows it. */
function modelError(type: string, msg = "Something is wrong") {
  return { detail: [{ loc: ["body", "prompt"], msg, type, url: `https://docs.fal.ai/errors#${type}` }] };
}

test("a submit goes to the endpoint's queue with its lifetimes, and without repeats of theirs", () => {
  const asked = operation();
  expect(fal.submit(asked, { id: "any" })).toEqual({
    method: "POST",
    url: "https://queue.fal.run/fal-ai/nano-banana-2/edit",
    headers: {
      "x-fal-request-timeout": "240",
      "x-fal-object-lifecycle-preference": '{"expiration_duration_seconds":86400}',
      "x-fal-no-retry": "1",
    },
    json: asked.input,
  });
  expect(fal.headers("id:secret")).toEqual({ authorization: "Key id:secret" });
});

describe("the answer to a submit", () => {
  test("that names the task alone is an acceptance: its addresses are the documented ones", () => {
    expect(fal.readSubmit(answer(200, { request_id: ID }), operation())).toEqual({
      kind: "accepted",
      reference: REFERENCE,
    });
  });

  test("tells refused content", () => {
    const refused = answer(422, modelError("content_policy_violation"));
    expect(fal.readSubmit(refused, operation())).toMatchObject({ kind: "refused", refusal: "policy" });
  });
});

describe("a poll of a task", () => {
  test("asks the address that was given", () => {
    expect(fal.poll(REFERENCE)).toEqual({ method: "GET", url: `${TASK}/status` });
    expect(fal.cancel?.(REFERENCE)).toEqual({ method: "PUT", url: `${TASK}/cancel` });
  });

  test.each([
    [
      "its place",
      202,
      { status: "IN_QUEUE", queue_position: 3 },
      { kind: "pending", phase: "queued", queuePosition: 3 },
    ],
    ["its work", 202, { status: "IN_PROGRESS", logs: null }, { kind: "pending", phase: "running" }],
    ["an unknown status", 200, { status: "PAUSED" }, { kind: "glitch" }],
    ["an unknown task", 404, { status: "NOT_FOUND" }, { kind: "unknown_task" }],
  ])("tells %s", (_name, status, body, expected) => {
    expect(fal.readPoll(answer(status, body), REFERENCE)).toMatchObject(expected);
  });

  test("that finds it completed fetches the result in the same turn", () => {
    const completed = answer(200, { status: "COMPLETED", logs: null, metrics: { inference_time: 4.2 } });
    expect(fal.readPoll(completed, REFERENCE)).toEqual({
      kind: "next",
      call: { method: "GET", url: TASK },
      reference: RESULT,
    });
  });
});

describe("a result", () => {
  const document = { images: [{ url: "https://v3b.fal.media/files/b/x.png" }], seed: 7 };

  test("in the older wrapper is the same", () => {
    const wrapped = answer(200, { status: "COMPLETED", logs: [], response: document });
    expect(fal.readPoll(wrapped, RESULT)).toEqual({ kind: "ready", document });
  });

  test("costs its billable units, which may be fractions", () => {
    const accepted = fal.readSubmit(
      answer(200, SUBMITTED),
      operation({ unit: { amount: 0.08, currency: "USD" } }),
    );
    if (accepted.kind !== "accepted") throw new Error("not accepted");
    const made = answer(200, document, { "x-fal-billable-units": "1.5" });
    expect(fal.readPoll(made, { ...accepted.reference, step: "result" })).toMatchObject({
      kind: "ready",
      cost: { amount: 0.12, currency: "USD", source: "units" },
    });
  });

  test("that is refused costs the units that it is billed for", () => {
    const reference = { ...RESULT, unit: { amount: 0.08, currency: "USD" } };
    const refused = (units: string) =>
      fal.readPoll(
        answer(422, modelError("content_policy_violation"), { "x-fal-billable-units": units }),
        reference,
      );
    expect(refused("1")).toMatchObject({ kind: "refused", cost: { amount: 0.08 } });
    expect(refused("0")).not.toHaveProperty("cost");
  });

  test.each([
    ["an image", 422, modelError("image_too_small"), { kind: "refused", refusal: "request" }],
    ["content, by the maker", 422, modelError("no_media_generated"), { kind: "refused", refusal: "policy" }],
    [
      "content, in words alone",
      422,
      { detail: "The request was flagged by content moderation." },
      { kind: "refused", refusal: "policy" },
    ],
  ])("may be a refusal of %s", (_name, status, body, expected) => {
    expect(fal.readPoll(answer(status, body), RESULT)).toMatchObject(expected);
  });

  test.each([
    ["of a partner, as 400", 400, modelError("downstream_service_error")],
    ["of the platform", 503, { detail: "Runner disconnected", error_type: "runner_disconnected" }],
  ])("may be a failure %s", (_name, status, body) => {
    expect(fal.readPoll(answer(status, body), RESULT).kind).toBe("failed");
  });

  test.each([
    [{}, "refused"],
    [{ "x-fal-retryable": "false", "x-fal-needs-retry": "false" }, "refused"],
    [{ "x-fal-retryable": "true" }, "failed"],
    [{ "x-fal-needs-retry": "true" }, "failed"],
  ])("of an unknown type is told by the headers %j", (headers, kind) => {
    expect(fal.readPoll(answer(422, modelError("of_tomorrow"), headers), RESULT).kind).toBe(kind);
  });

  test("that was never begun is a failure, and so is one that the status told", () => {
    const late = answer(504, { detail: "Request timed out" }, { "x-fal-request-timeout-type": "user" });
    expect(fal.readPoll(late, RESULT).kind).toBe("failed");
    const told = fal.readPoll(answer(200, { status: "COMPLETED", error: "Boom" }), REFERENCE);
    if (told.kind !== "next") throw new Error("not completed");
    expect(fal.readPoll(answer(500, { detail: "Internal Server Error" }), told.reference).kind).toBe(
      "failed",
    );
  });

  test.each([
    ["a fault that nobody explains", 500, { detail: "Internal Server Error" }, "glitch"],
    ["a limit", 429, { detail: "slow down" }, "throttled"],
    ["still being made", 400, { detail: "Request is still in progress" }, "pending"],
    ["expired", 404, { status: "NOT_FOUND" }, "unknown_task"],
  ])("that is %s does not end the task", (_name, status, body, kind) => {
    expect(fal.readPoll(answer(status, body), RESULT).kind).toBe(kind);
  });
});

describe("the look-up of a doubtful submit", () => {
  const submittedAt = Date.parse("2026-11-23T10:00:00Z");
  const attempt = { id: "uuid", operation: operation(), submittedAt, askedForMs: 900_000, taken: [] };
  const date = (ageMs: number) => ({ date: new Date(submittedAt + ageMs).toUTCString() });
  const item = (change: object = {}) => ({
    request_id: ID,
    endpoint_id: "fal-ai/nano-banana-2/edit",
    sent_at: "2026-11-23T10:00:01.250Z",
    json_input: { seed: 7, prompt: "a cat", image_urls: ["https://files.example/1.png"] },
    ...change,
  });
  const look = (
    items: object[],
    headers: Record<string, string> = date(900_000),
    rest: object = {},
    askedForMs = 900_000,
  ) => {
    const list = answer(200, { items, has_more: false, next_cursor: null, ...rest }, headers);
    return fal.readLookUp?.(list, { ...attempt, askedForMs }, Date.parse(headers.date ?? "") || 0);
  };

  test("asks for the endpoint's requests of that time, with their bodies", () => {
    const call = fal.lookUp?.(attempt);
    expect(call?.method).toBe("GET");
    const url = new URL(call?.url ?? "");
    expect(url.origin + url.pathname).toBe("https://api.fal.ai/v1/models/requests/by-endpoint");
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      endpoint_id: "fal-ai/nano-banana-2/edit",
      start: "2026-11-23T09:58:00.000Z",
      expand: "payloads",
    });
    // A task that ends late must not be hidden.
    expect(url.searchParams.has("end")).toBe(false);
  });

  test("finds the one request with the same body", () => {
    const other = item({ request_id: "other", json_input: { prompt: "a dog" } });
    expect(look([null as never, other, item()])).toEqual({ kind: "found", reference: REFERENCE });
  });

  test.each([
    ["another body", item({ json_input: { prompt: "a dog" } })],
    ["one field more", item({ json_input: { ...item().json_input, n: 2 } })],
    ["another time", item({ sent_at: "2026-11-23T09:40:00Z" })],
  ])("proves absence where there is only one with %s, and it was asked for long enough", (_name, other) => {
    expect(look([other])).toEqual({ kind: "absent" });
    expect(look([other], date(900_000), {}, 890_000)).toEqual({ kind: "unknown" });
    expect(look([other], {})).toEqual({ kind: "unknown" });
  });

  test("takes one of the requests that are alike, and none that another attempt has", () => {
    const list = answer(200, { items: [item(), item({ request_id: "other" })] }, date(900_000));
    const read = (taken: object[]) =>
      fal.readLookUp?.(
        list,
        { ...attempt, taken: taken as (typeof attempt)["taken"] },
        submittedAt + 900_000,
      );
    expect(read([])).toMatchObject({ kind: "found", reference: { request_id: ID } });
    expect(read([{ request_id: ID }])).toMatchObject({ kind: "found", reference: { request_id: "other" } });
    expect(read([{ request_id: ID }, { request_id: "other" }])).toEqual({ kind: "absent" });
  });

  test("proves no absence where the clocks differ: the request would not be seen for what it is", () => {
    const list = answer(200, { items: [], has_more: false }, date(1_500_000));
    expect(fal.readLookUp?.(list, attempt, submittedAt + 2000)).toEqual({ kind: "unknown" });
    expect(fal.readLookUp?.(list, attempt, submittedAt + 3_000_000)).toEqual({ kind: "unknown" });
  });

  test("proves nothing by a part of the list, without bodies, or without an answer", () => {
    expect(look([], date(900_000), { has_more: true })).toEqual({ kind: "unknown" });
    expect(look([item({ json_input: null })])).toEqual({ kind: "unknown" });
    expect(look([null as never])).toEqual({ kind: "unknown" });
    const refused = answer(403, { error: {} }, date(900_000));
    expect(fal.readLookUp?.(refused, attempt, submittedAt + 900_000)).toEqual({ kind: "unknown" });
  });
});
