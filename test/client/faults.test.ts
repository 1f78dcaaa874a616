import { describe, expect, test } from "vitest";
import { ContractError, UncertainOutcome } from "../../src/contract/errors.js";
import { CallFailedError } from "../../src/generation-api/answers.js";
import { startConnectProxy } from "../support/connect-proxy.js";
import { eventually } from "../support/eventually.js";
import {
  type Behaviour,
  cut,
  type FaultyService,
  json,
  page,
  RETENTION,
  reset,
  startFaultyService,
} from "../support/faulty-service.js";
import { freePort } from "../support/free-port.js";
import { startHttpsServer } from "../support/https-server.js";
import { failureOf, KEY, ORDER, openClient, openService, REQUEST } from "./harness.js";

const refusal = (error: string, detail: object = {}) => ({ ok: false, error, ...detail });

describe("a POST that surely was not sent is Unavailable", () => {
  test.each([
    ["refused", async () => `http://127.0.0.1:${await freePort()}/v1`],
    ["unresolved", async () => "http://service.invalid/v1"],
    ["TLS", async () => `https://127.0.0.1:${(await startHttpsServer(() => {})).port}/v1`],
  ])("%s", async (_name, urlOf) => {
    const { client } = openClient(await urlOf());
    const { error } = await failureOf(client.submit(REQUEST, { orderId: ORDER }));
    expect(error).toBeInstanceOf(CallFailedError);
    expect(error).toMatchObject({ name: "Unavailable", reason: "unreachable", status: undefined });
  });

  test("a proxy refuses CONNECT", async () => {
    const proxy = await startConnectProxy(502);
    const { client } = openClient("https://service.invalid/v1", { proxy: { httpsProxy: proxy.url } });
    const { error } = await failureOf(client.submit(REQUEST, { orderId: ORDER }));
    expect(error).toBeInstanceOf(CallFailedError);
    expect(proxy.asked).toHaveLength(1);
  });

  test("not connected before the deadline", async () => {
    const service = await startFaultyService();
    service.onConnection = (socket) => socket.pause();
    const { client, clock } = openClient(service.url.replace("http:", "https:"));
    const failure = failureOf(client.submit(REQUEST, { orderId: ORDER }));
    await eventually("the connection is begun", () => service.connections === 1);
    await clock.advance(60_000);
    expect((await failure).error).toBeInstanceOf(CallFailedError);
  });
});

describe.each([undefined, 86_400])(
  "a POST whose answer refuses it (keys are kept for %s s)",
  (retentionSec) => {
    /** What a POST fails with that is answered so. It is sent once. */
    async function refusedBy(behave: Behaviour): Promise<unknown> {
      const { service, client } = await openService(undefined, retentionSec);
      onceThenServe(service, behave);
      await client.balance();
      const { error } = await failureOf(client.submit(REQUEST, { orderId: ORDER }));
      expect(service.posts).toHaveLength(1);
      return error;
    }

    test.each<[string, Behaviour, object]>([
      ["removed model", json(400, refusal("model_disabled")), { code: "model_disabled", detail: {} }],
      ["revoked key", json(401, refusal("invalid_api_key")), { code: "invalid_api_key" }],
      [
        "low balance",
        json(402, refusal("insufficient_funds", { balance: 1.5, cost_rub: 10 })),
        { code: "insufficient_funds", detail: { balance: 1.5, cost_rub: 10 } },
      ],
      [
        "details of a wrong shape",
        json(400, refusal("bad_aspect_ratio", { allowed: ["1:1", 5], supported: "x", balance: "1" })),
        { code: "bad_aspect_ratio", detail: { allowed: ["1:1", 5] } },
      ],
    ])("is a ContractError: %s", async (_name, behave, expected) => {
      const error = await refusedBy(behave);
      expect(error).toBeInstanceOf(ContractError);
      expect(error).toMatchObject(expected);
    });

    test.each<[string, Behaviour, object]>([
      ["429", json(429, {}), { status: 429, retryAfterMs: undefined }],
      ["429 with Retry-After", json(429, {}, { "retry-after": "7" }), { status: 429, retryAfterMs: 7000 }],
      ["401 of a proxy", page(401), { status: 401 }],
      ["403 of a proxy", page(403), { status: 403 }],
      ["404 of a proxy", page(404), { status: 404 }],
      ["413 of a proxy", page(413), { status: 413 }],
    ])("without a code is Unavailable: %s", async (_name, behave, expected) => {
      const error = await refusedBy(behave);
      expect(error).toBeInstanceOf(CallFailedError);
      expect(error).toMatchObject(expected);
    });
  },
);

/** Doubts whose POST arrives whole. */
const DOUBTS: [string, Behaviour][] = [
  ["reset after the POST", (_response, request) => reset(request)],
  ["200 cut before the id", cut('{"ok":true,"job_id":12')],
  ["200 without a body", (response) => void response.writeHead(200).end()],
  ["200 with a page", page(200)],
  ["200 that says no", json(200, refusal("insufficient_funds"))],
  ["500 after the acceptance", json(500, refusal("internal_error"))],
  ["502 of a proxy", page(502)],
  ["503 with Retry-After", json(503, refusal("service_unavailable"), { "retry-after": "1" })],
  ["408", json(408, refusal("request_timeout"))],
  ["id null", json(200, { ok: true, job_id: null })],
  ["id of an unknown type", json(200, { ok: true, job_id: { n: 5 } })],
  ["id that leaves its path", json(200, { ok: true, job_id: "../balance" })],
  ["huge body", (response) => void response.writeHead(200).end(Buffer.alloc(9_000_000, "x"))],
];

const ENDS_BY_CLOCK: [string, Behaviour][] = [
  ["hang", () => {}],
  [
    "slow drip",
    (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = () => void response.write(" ", () => setTimeout(drip, 1));
      drip();
      response.on("close", () => response.destroy());
    },
  ],
];

describe("a POST that may have been accepted is uncertain and not repeated", () => {
  test.each(DOUBTS)("%s", async (_name, behave) => {
    const { service, client, lines } = await openService();
    onceThenServe(service, behave);
    await client.balance();
    const { error, text } = await failureOf(client.submit(REQUEST, { orderId: ORDER }));
    expect(error).toBeInstanceOf(UncertainOutcome);
    expect(service.posts).toHaveLength(1);
    expect(service.posts[0]?.headers["idempotency-key"]).toBeUndefined();
    expect(`${text}${JSON.stringify(lines)}`).not.toContain(KEY);
  });

  test.each(ENDS_BY_CLOCK)("%s, after 60 s", async (_name, behave) => {
    const { service, client, clock } = await openService(behave);
    const failure = failureOf(client.submit(REQUEST, { orderId: ORDER }));
    await eventually("the POST arrives", () => service.posts.length === 1);
    await clock.advance(60_000);
    expect((await failure).error).toBeInstanceOf(UncertainOutcome);
    expect(service.posts).toHaveLength(1);
  });

  test("reset before and during the POST", async () => {
    const { service, client } = await openService();
    service.onConnection = (socket) => socket.resetAndDestroy();
    await failureOf(client.submit(REQUEST, { orderId: ORDER }));
    service.onConnection = (socket) => socket.once("data", () => socket.resetAndDestroy());
    const long = { ...REQUEST, prompt: "a fox ".repeat(1_000_000) };
    const { error } = await failureOf(client.submit(long, { orderId: ORDER }));
    expect(error).toBeInstanceOf(UncertainOutcome);
    expect([service.connections, service.posts.length]).toEqual([2, 0]);
  });

  test.each([301, 302, 307, 308])("a redirect by %i, which is not followed", async (status) => {
    const other = await startFaultyService();
    const { service, client } = await openService((response) => {
      response.writeHead(status, { location: `${other.url}/generations` }).end();
    });
    const { error } = await failureOf(client.submit(REQUEST, { orderId: ORDER }));
    expect(error).toBeInstanceOf(UncertainOutcome);
    expect([service.posts.length, other.connections]).toEqual([1, 0]);
  });
});

const whole = { job_id: 7, job_ids: [7], cost_rub: 10, unit_cost_rub: undefined };
test.each<[string, Behaviour, object]>([
  ["unknown status", json(200, { ok: true, job_id: 7, status: "scheduled", cost_rub: 10 }), whole],
  ["500", json(500, { ok: false, job_id: 7, cost_rub: 10 }), whole],
  ["wrong cost", json(200, { job_id: 7, cost_rub: "10" }), { ...whole, cost_rub: undefined }],
  ["a word", json(200, { job_id: "fx-7" }), { job_id: "fx-7", job_ids: ["fx-7"] }],
  ["music", json(200, { ok: true, job_id: "music_9", cost_rub: 10 }), { job_id: "music_9" }],
  ["wrong list", json(200, { ok: true, job_id: 7, job_ids: [7, null, 8] }), { job_ids: [7, 8] }],
  ["cut", cut('{"ok":true,"job_id":7,"job_ids":[7,8],"sta'), { job_id: 7, job_ids: [7, 8] }],
  ["cut music", cut('{"job_ids":[],"job_id":"music_9","c'), { job_id: "music_9", job_ids: ["music_9"] }],
  [
    "id above 2⁵³",
    (response) => void response.end('{"ok":true,"job_id":9007199254740993}'),
    { job_id: "9007199254740993" },
  ],
])("a readable id is an acceptance, whatever else is wrong: %s", async (_name, behave, expected) => {
  const { service, client } = await openService(behave);
  expect(await client.submit(REQUEST, { orderId: ORDER })).toMatchObject(expected);
  expect(service.posts).toHaveLength(1);
});

test("every POST has a connection of its own, and the key is in its Bearer header alone", async () => {
  const { service, client } = await openService();
  await client.balance();
  await client.submit(REQUEST, { orderId: "a" });
  await client.submit(REQUEST, { orderId: "b" });
  await client.balance();
  expect(service.connections).toBe(3);
  const [post] = service.posts;
  expect(post?.body).toEqual(REQUEST);
  const { authorization, ...others } = post?.headers ?? {};
  expect(authorization).toBe(`Bearer ${KEY}`);
  expect(JSON.stringify(others)).not.toContain(KEY);
});

/** The first POST meets the fault, later ones a service in order. */
function onceThenServe(service: FaultyService, fault: Behaviour): void {
  service.behave = (response, request, body) => {
    const isFirstPost = request.method === "POST" && service.posts.length === 1;
    if (isFirstPost) fault(response, request, body);
    else service.serve(response, request, body);
  };
}

describe("with announced idempotency a doubtful POST is repeated until it is answered, and makes one job", () => {
  test.each([...DOUBTS, ...ENDS_BY_CLOCK])("%s", async (name, fault) => {
    const { service, client, clock, passRepetition } = await openService(undefined, 86_400);
    onceThenServe(service, (response, request, body) => {
      service.accept(request, body);
      fault(response, request, body);
    });
    await client.balance();
    const submission = client.submit(REQUEST, { orderId: ORDER });
    if (ENDS_BY_CLOCK.some(([ends]) => ends === name)) {
      await eventually("the POST arrives", () => service.posts.length === 1);
      await clock.advance(60_000);
    }
    await passRepetition(1);
    expect(await submission).toMatchObject({ job_id: 1000, cost_rub: 10 });
    expect(service.jobs.size).toBe(1);
    expect(service.posts.map(({ headers }) => headers["idempotency-key"])).toEqual([ORDER, ORDER]);
  });

  test("a refused connection, 429, 401 and 409 between say nothing about the first POST", async () => {
    const { service, client, passRepetition } = await openService(undefined, 86_400);
    const faults: Behaviour[] = [
      (response, request, body) => {
        service.accept(request, body);
        page(502)(response, request, body);
      },
      json(429, {}, { "retry-after": "5" }),
      (response) => service.answer(response, 401, refusal("invalid_api_key")),
      (response) => service.answer(response, 409, refusal("idempotency_key_in_use")),
    ];
    service.behave = (response, request, body) => {
      const fault = request.method === "POST" ? faults[service.posts.length - 1] : undefined;
      (fault ?? service.serve)(response, request, body);
    };
    await client.balance();
    const submission = client.submit(REQUEST, { orderId: ORDER });
    for (let nth = 1; nth <= faults.length; nth += 1) await passRepetition(nth);
    expect(await submission).toMatchObject({ job_id: 1000 });
    expect([service.jobs.size, service.posts.length]).toEqual([1, 5]);
  });

  test("a refusal by the request settles it: nothing was accepted", async () => {
    const { service, client, passRepetition } = await openService(undefined, 86_400);
    onceThenServe(service, (_response, request) => reset(request));
    service.serve = (response, request) =>
      request.method === "GET"
        ? service.answer(response, 200, { ok: true, balance: { currency: "RUB", amount: 1 } })
        : service.answer(response, 402, refusal("insufficient_funds"));
    await client.balance();
    const failure = failureOf(client.submit(REQUEST, { orderId: ORDER }));
    await passRepetition(1);
    expect((await failure).error).toMatchObject({ name: "ContractError", code: "insufficient_funds" });
  });

  test("it ends as uncertain at nine tenths of the announced time since it was first sent", async () => {
    const { service, client, clock, repeated } = await openService(undefined, 100);
    await client.balance();
    service.behave = page(502);
    const start = clock.now();
    let repeatableUntil: number | undefined;
    const failure = failureOf(
      client.submit(REQUEST, {
        orderId: ORDER,
        onSending: (until) => {
          repeatableUntil = until;
        },
      }),
    );
    let isOver = false;
    void failure.then(() => {
      isOver = true;
    });
    while (!isOver) {
      await eventually("it waits or ends", () => isOver || repeated() === service.posts.length);
      if (!isOver) await clock.advance(5000);
    }
    expect((await failure).error).toBeInstanceOf(UncertainOutcome);
    expect(repeatableUntil).toBe(start + 90_000);
    expect(clock.now() - start).toBeLessThan(110_000);
    expect(service.posts.length).toBeGreaterThan(2);
  });

  test("a service that stops announcing it gets no further POST", async () => {
    const { service, client, passRepetition } = await openService(undefined, 86_400);
    onceThenServe(service, (response) => {
      service.retentionSec = undefined;
      response.removeHeader(RETENTION);
      response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}');
    });
    await client.balance();
    const failure = failureOf(client.submit(REQUEST, { orderId: ORDER }));
    await passRepetition(1);
    expect((await failure).error).toBeInstanceOf(UncertainOutcome);
    expect(service.posts).toHaveLength(1);
  });
});

describe("after a restart", () => {
  test("it does not go on at a service that does not announce idempotency, or too late", async () => {
    const { service, client, clock } = await openService();
    for (const repeatableUntil of [clock.now() + 1000, clock.now()]) {
      const { error } = await failureOf(client.submit(REQUEST, { orderId: ORDER, repeatableUntil }));
      expect(error).toBeInstanceOf(UncertainOutcome);
    }
    expect(service.posts).toHaveLength(0);
  });

  test("without an idempotent service a stop during the POST leaves it uncertain", async () => {
    const { service, client, remote } = await openService(() => {});
    const failure = failureOf(client.submit(REQUEST, { orderId: ORDER }));
    await eventually("the POST arrives", () => service.posts.length === 1);
    await remote.close();
    expect((await failure).error).toBeInstanceOf(UncertainOutcome);
  });
});
