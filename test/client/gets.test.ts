import { describe, expect, test } from "vitest";
import { health } from "../../src/client/api-client.js";
import { CallFailedError } from "../../src/generation-api/answers.js";
import { eventually } from "../support/eventually.js";
import { type Behaviour, json, reset, startFaultyService } from "../support/faulty-service.js";
import { failureOf, KEY, openClient, openService } from "./harness.js";

const BALANCE = { ok: true, balance: { currency: "RUB", amount: 12.5, hold: 3 }, more: [1] };

const JOB = {
  job_id: 5,
  type: "image",
  status: "done",
  model: null,
  model_title: "Fox",
  cost_rub: 10,
  result: { url: null, mime: null },
  error: null,
  created_at: "2026-01-01T00:00:00.000Z",
};

describe("a GET is repeated after", () => {
  test.each<[string, Behaviour]>([
    ["a reset", (_response, request) => reset(request)],
    ["500", json(500, { ok: false, error: "internal_error" })],
    ["429", json(429, {})],
    ["a page", (response) => void response.writeHead(200).end("<html>")],
    ["another shape", json(200, { ok: true, balance: { currency: "RUB", amount: "much" } })],
    ["another currency", json(200, { ok: true, balance: { currency: "USD", amount: 1 } })],
    ["values without end", json(200, { ...BALANCE, more: Array.from({ length: 20_000 }, () => ({})) })],
    ["a huge body", (response) => void response.writeHead(200).end(Buffer.alloc(9_000_000, " "))],
  ])("%s", async (_name, fault) => {
    const service = await startFaultyService();
    service.behave = (...given) => (service.gets.length < 3 ? fault(...given) : json(200, BALANCE)(...given));
    const { client, passRepetition } = openClient(service.url);
    const balance = client.balance();
    await passRepetition(1, 4000);
    await passRepetition(2, 4000);
    expect(await balance).toEqual({ currency: "RUB", amount: 12.5 });
    expect(service.gets).toHaveLength(3);
  });

  test("the pause that Retry-After asks for; one that is too long is left to the caller", async () => {
    const service = await startFaultyService();
    const pauses = ["5", "3600"];
    service.behave = (...given) => {
      const pause = pauses[service.gets.length - 1];
      json(429, {}, pause === undefined ? {} : { "retry-after": pause })(...given);
    };
    const { client, clock, repeated } = openClient(service.url);
    const failure = failureOf(client.balance());
    await eventually("the repetition waits", () => repeated() === 1);
    await clock.advance(4999);
    expect(service.gets).toHaveLength(1);
    await clock.advance(1);
    expect((await failure).error).toMatchObject({ status: 429, retryAfterMs: 3_600_000 });
    expect(service.gets).toHaveLength(2);
  });

  test("nothing, where its caller repeats it", async () => {
    const { service, client } = await openService(json(503, {}));
    const { error } = await failureOf(client.job(5, { triesMax: 1 }));
    expect(error).toMatchObject({ name: "Unavailable", status: 503 });
    expect(service.gets).toHaveLength(1);
  });
});

test.each([
  [401, "invalid_api_key"],
  [404, "job_not_found"],
  [400, "bad_job_id"],
])("a refusal %i %s is final", async (status, code) => {
  const { service, client } = await openService(json(status, { ok: false, error: code }));
  expect((await failureOf(client.job(5))).error).toMatchObject({ name: "ContractError", code });
  expect(service.gets).toHaveLength(1);
});

test("the id of a job that a service gave leads to no other path of it", async () => {
  const { service, client } = await openService(json(404, { ok: false, error: "job_not_found" }));
  await failureOf(client.job("../balance?a#b"));
  expect(service.gets.map(({ path }) => path)).toEqual(["/api/v1/generations/..%2Fbalance%3Fa%23b"]);
});

test("a redirect is not followed, and the key is sent nowhere else", async () => {
  const other = await startFaultyService();
  const { client } = await openService((response) => {
    response.writeHead(302, { location: `${other.url}/balance` }).end();
  });
  const { error, text } = await failureOf(client.balance());
  expect(error).toMatchObject({ name: "Unavailable", status: 302 });
  expect(other.connections).toBe(0);
  expect(text).not.toContain(KEY);
});

test("a hang and a slow drip end after 20 s, headers and body together", async () => {
  for (const isDripping of [false, true]) {
    const { service, client, clock } = await openService((response) => {
      if (!isDripping) return;
      response.writeHead(200);
      const drip = () => void response.write(" ", () => setTimeout(drip, 1));
      drip();
      response.on("close", () => response.destroy());
    });
    const failure = failureOf(client.balance());
    await eventually("the GET arrives", () => service.gets.length === 1);
    await clock.advance(20_000);
    expect((await failure).error).toBeInstanceOf(CallFailedError);
    expect(service.gets).toHaveLength(1);
  }
});

describe("a job", () => {
  test.each<[string, object, object]>([
    ["of an unknown status goes on", { status: "moderating" }, { status: "generating" }],
    ["without a link is shown so", {}, { status: "done", result: { url: null, mime: null } }],
    [
      "with unknown fields is read",
      { seed: 7, result: { url: "x", mime: "y", z: 1 } },
      { result: { url: "x" } },
    ],
    ["with its id as a text is the same", { job_id: "5" }, { job_id: 5 }],
    ["says whether it was refunded", { status: "error", refunded: true }, { refunded: true }],
    [
      "has its tracks",
      { type: "music", result: { url: "u", tracks: [{ url: "u", title: "T" }, { url: null }] } },
      {
        result: {
          url: "u",
          mime: null,
          tracks: [
            { index: 1, title: "T", duration: null, url: "u", mime: "audio/mpeg", image_url: null },
            { index: 2, title: "", duration: null, url: null, mime: "audio/mpeg", image_url: null },
          ],
        },
      },
    ],
  ])("%s", async (_name, change, expected) => {
    const { service, client } = await openService(json(200, { ok: true, job: { ...JOB, ...change } }));
    expect(await client.job(5)).toMatchObject(expected);
    expect(service.gets[0]?.path).toBe("/api/v1/generations/5");
  });

  test.each<[string, object]>([
    ["another job", { ...JOB, job_id: 6 }],
    ["no status", { ...JOB, status: undefined }],
    ["a result of another shape", { ...JOB, result: "https://x" }],
  ])("answered by %s is Unavailable, with the cause", async (_name, job) => {
    const { client } = await openService(json(200, { ok: true, job }));
    const { error, text } = await failureOf(client.job(5, { triesMax: 1 }));
    expect(error).toMatchObject({ name: "Unavailable", cause: { name: "WrongAnswerError" } });
    expect(text).toMatch(/job\.(job_id|status|result): /);
  });
});

const MODEL = {
  type: "image",
  model_key: "fox-1",
  title: "Fox",
  price_rub: { fast: { text: { "1K": 5 }, reference: { "1K": 7.5 } } },
  defaults: { resolution: "1K", odd: { x: 1 }, nothing: null },
  parameters: {
    prompt: { type: "string", max: 100 },
    mood: { type: "string", values: ["calm", "wild"], default: "calm", note: "new" },
    strange: { type: "object", required: true },
    reference_urls: null,
  },
  colour: "red",
};

describe("models", () => {
  test("of any parameters and prices are read; what cannot be read is left out and logged", async () => {
    const models = [MODEL, { ...MODEL, type: "hologram" }, { ...MODEL, model_key: "b", price_rub: "5" }];
    const { client, lines } = await openService(json(200, { ok: true, models }));
    expect(await client.models()).toEqual([
      {
        type: "image",
        model_key: "fox-1",
        title: "Fox",
        price_rub: MODEL.price_rub,
        defaults: { resolution: "1K", odd: null, nothing: null },
        parameters: {
          prompt: { type: "string", required: true, max: 100 },
          mood: { type: "string", required: false, values: ["calm", "wild"], default: "calm", note: "new" },
          strange: null,
          reference_urls: null,
        },
      },
    ]);
    expect(lines.map(({ problems }) => problems)).toContainEqual([
      "models.1: type: invalid_value",
      "models.2: price_rub: invalid_union",
    ]);
  });

  test.each([{}, { models: {} }, { models: [{ type: "hologram" }] }])("%j is no list", async (body) => {
    const { client, passRepetition } = await openService(json(200, { ok: true, ...body }));
    const failure = failureOf(client.models());
    await passRepetition(1, 4000);
    expect((await failure).error).toBeInstanceOf(CallFailedError);
  });
});

test("health needs no key", async () => {
  const service = await startFaultyService();
  const { remote } = openClient(`${service.url}/`);
  expect(await health(remote)).toBe("v1");
  expect(service.gets[0]?.headers.authorization).toBeUndefined();
});
