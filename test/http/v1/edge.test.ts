import { once } from "node:events";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Unavailable } from "../../../src/contract/errors.js";
import { refuseClient } from "../../../src/http/errors.js";
import { listen } from "../../support/listen.js";
import { recordingLogger } from "../../support/log.js";
import { dial, rawAnswer, refusal, startServer } from "../harness.js";
import { openApi, startApi, type TestApi } from "./api.js";
import { judgeAnswer } from "./judge.js";

const LIMIT = 12 * 1024 * 1024;

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

/** What raw bytes are answered with, up to the end of the connection; judged like every answer. */
async function raw(...pieces: (string | Buffer)[]) {
  return readAnswer("GET", "/unreadable", await rawAnswer(api.url, ...pieces));
}

function readAnswer(method: string, path: string, answer: string) {
  const [head = "", ...rest] = answer.split("\r\n\r\n");
  const [line = "", ...fields] = head.split("\r\n");
  const headers = new Headers(fields.map((field) => field.split(/: (.*)/s, 2) as [string, string]));
  const body = JSON.parse(rest.join("\r\n\r\n")) as Record<string, unknown>;
  const found = { status: Number(line.split(" ")[1]), headers, body };
  judgeAnswer(method, path, found);
  return found;
}

/** A POST by hand: what is written, and how it ends, is the test's. */
function post(headers: Record<string, string | number>) {
  const outgoing = request(`${api.url}/v1/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${api.key}`, ...headers },
  });
  const answered = once(outgoing, "response").then(async ([response]) => ({
    status: response.statusCode as number,
    body: JSON.parse(await text(response)) as { error?: string },
  }));
  return { outgoing, answered };
}

/** A valid body of exactly so many bytes. */
function bodyOf(bytes: number): string {
  const frame = JSON.stringify({ prompt: "a fox", padding: "" });
  return frame.replace('"padding":""', `"padding":"${"x".repeat(bytes - frame.length)}"`);
}

const SECURITY = {
  "content-type": "application/json; charset=utf-8",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};

describe("paths and methods", () => {
  test.each([
    ["GET", "/unknown", 404, "not_found"],
    ["GET", "/health/", 404, "not_found"],
    ["GET", "//health", 404, "not_found"],
    ["GET", "/generations/", 404, "not_found"],
    ["POST", "/generations/", 404, "not_found"],
    ["GET", "/generations/?limit=5", 404, "not_found"],
    ["GET", "/generations/1/result", 404, "not_found"],
    ["GET", "/%zz", 404, "not_found"],
    ["GET", "/generations", 405, "method_not_allowed", "POST"],
    ["HEAD", "/generations", 405, "method_not_allowed", "POST"],
    ["PROPFIND", "/generations", 405, "method_not_allowed", "POST"],
    ["POST", "/health", 405, "method_not_allowed", "GET, HEAD"],
    ["PATCH", "/generations/1?x=1", 405, "method_not_allowed", "GET, HEAD"],
  ] as const)("%s %s is %i %s, without a key", async (method, path, status, error, allow?: string) => {
    const answer = await fetch(`${api.url}/v1${path}`, {
      method,
      ...(["PUT", "POST", "PATCH"].includes(method) && { body: "{ broken" }),
    });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("allow")).toBe(allow ?? null);
    expect(Object.fromEntries(answer.headers)).toMatchObject(SECURITY);
    const body = await answer.text();
    if (method === "HEAD") expect(body).toBe("");
    else
      expect(JSON.parse(body)).toEqual({ ok: false, error, message: expect.stringMatching(/^[A-Z].*\.$/s) });
  });

  test("HEAD is a GET without its body", async () => {
    const headers = { authorization: `Bearer ${api.key}`, "accept-encoding": "identity" };
    for (const path of ["/health", "/balance", "/models", "/generations/999"]) {
      const get = await fetch(`${api.url}/v1${path}`, { headers });
      const head = await fetch(`${api.url}/v1${path}`, { method: "HEAD", headers });
      expect([head.status, await head.text()]).toEqual([get.status, ""]);
      expect(head.headers.get("content-length")).toBe(String((await get.arrayBuffer()).byteLength));
    }
  });

  test("every response has the security headers, and no Server or CORS header", async () => {
    for (const [path, headers] of [
      ["/health", {}],
      ["/models", { authorization: `Bearer ${api.key}`, origin: "https://elsewhere.example" }],
      ["/balance", {}],
    ] as const) {
      const answer = await fetch(`${api.url}/v1${path}`, { headers });
      const names = Object.fromEntries(answer.headers);
      const kept = path === "/models" && { "cache-control": "private, no-cache" };
      expect(names).toMatchObject({ ...SECURITY, "keep-alive": "timeout=110", ...kept });
      const told = Object.keys(names).filter((name) => /powered|^server$|access-control/.test(name));
      expect(told).toEqual([]);
    }
  });
});

const HOST = "Host: a\r\nConnection: close\r\n";

test.each([
  ["a URL over 8192 characters", `GET /v1/health?${"x".repeat(8200)} HTTP/1.1\r\n${HOST}\r\n`, 414],
  ["a job id over 8192 characters", `GET /v1/generations/${"1".repeat(9000)} HTTP/1.1\r\n${HOST}\r\n`, 414],
  ["a URL that node does not even read", `GET /v1/${"x".repeat(40_000)} HTTP/1.1\r\n${HOST}\r\n`, 414],
  ["headers over 16 KB", `GET /v1/health HTTP/1.1\r\n${HOST}X: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  ["no HTTP at all", "\u0001\u0002 nonsense\r\n\r\n", 400],
  ["a request without a host", "GET /v1/health HTTP/1.1\r\nConnection: close\r\n\r\n", 400],
  ["a tunnel", `CONNECT /v1/health HTTP/1.1\r\n${HOST}\r\n`, 405],
])("an invalid HTTP request: %s is rejected in the shape of every error", async (_what, bytes, status) => {
  const answer = await raw(bytes);
  expect(answer.status).toBe(status);
  expect(answer.body).toEqual({
    ok: false,
    error: expect.stringMatching(/^[a-z_]+$/),
    message: expect.any(String),
  });
  expect(Object.fromEntries(answer.headers)).toMatchObject(SECURITY);
});

test("a request that does not arrive in time is rejected in the shape of every error", async () => {
  // Node waits a minute for this moment: here it comes at once.
  const { logger, lines } = recordingLogger("info");
  const slow = createServer((socket) =>
    refuseClient(Object.assign(new Error("slow"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket, {
      id: "a-request",
      logger,
    }),
  );
  const socket = connect(await listen(slow), "127.0.0.1");
  const answer = readAnswer("POST", "/generations", await text(socket));
  expect([answer.status, answer.body]).toEqual([408, refusal("request_timeout")]);
  expect(answer.headers.get("x-request-id")).toBe("a-request");
  expect(lines).toMatchObject([{ reqId: "a-request", status: 408 }]);
});

describe("the body of a POST", () => {
  test.each([
    ["another charset, which is not believed", { "content-type": "application/json; charset=latin1" }],
    ["the type of a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["a broken type", { "content-type": "///;;=" }],
  ])("is JSON with %s", async (_what, headers) => {
    const { status } = await api.post({ prompt: "лиса" }, { authorization: `Bearer ${api.key}`, ...headers });
    expect(status).toBe(200);
  });

  test("is JSON without any type, and without a length", async () => {
    const { outgoing, answered } = post({ "transfer-encoding": "chunked" });
    outgoing.write('{"prompt":');
    outgoing.end('"a fox"}');
    expect((await answered).status).toBe(200);
  });

  test("may begin with a byte order mark", async () => {
    expect((await api.post(`\ufeff${JSON.stringify({ prompt: "a fox" })}`)).status).toBe(200);
  });

  test.each([
    ["a lone continuation byte", [0x80]],
    ["an overlong form", [0xc0, 0xaf]],
  ])("with broken UTF-8 (%s) is invalid_json", async (_what, bytes) => {
    const body = Buffer.concat([Buffer.from('{"prompt":"a '), Buffer.from(bytes), Buffer.from('"}')]);
    const { outgoing, answered } = post({ "content-type": "application/json" });
    outgoing.end(body);
    expect(await answered).toEqual({ status: 400, body: refusal("invalid_json") });
  });

  test("may have exactly 12 MB, and not one byte more", async () => {
    expect((await api.post(bodyOf(LIMIT))).status).toBe(200);
    const more = await api.post(bodyOf(LIMIT + 1));
    expect([more.status, more.body]).toEqual([413, refusal("payload_too_large")]);
  });

  test("has the same limit without a declared length", async () => {
    for (const [bytes, status] of [
      [LIMIT, 200],
      [LIMIT + 1, 413],
    ] as const) {
      const { outgoing, answered } = post({ "transfer-encoding": "chunked" });
      const body = Buffer.from(bodyOf(bytes));
      for (let at = 0; at < body.length; at += 1_000_000) outgoing.write(body.subarray(at, at + 1_000_000));
      outgoing.end();
      expect((await answered).status).toBe(status);
    }
  });

  test("that is too long may be sent to its end: the client gets the response, not a reset", async () => {
    const headers = `POST /v1/generations HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${api.key}\r\n`;
    const socket = dial(api.url);
    socket.write(`${headers}Content-Length: ${LIMIT * 2}\r\n\r\n`);
    const piece = Buffer.alloc(1024 * 1024, "x");
    for (let sent = 0; sent < LIMIT * 2; sent += piece.length) {
      if (!socket.write(piece)) await once(socket, "drain");
    }
    // The connection serves the next request as if nothing had been.
    socket.write("GET /v1/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    const answers = await text(socket);
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
  });

  test("of nested brackets, or of very many values, does no harm", async () => {
    const deep = 5_000_000;
    const many = `{"prompt":"a fox","x":[${"{},".repeat(3_000_000)}{}]}`;
    const bodies: [string, number, string | undefined][] = [
      ["[".repeat(deep), 413, "payload_too_large"],
      [`${"[".repeat(deep)}${"]".repeat(deep)}`, 413, "payload_too_large"],
      [many, 413, "payload_too_large"],
      [`{"prompt":"a fox","x":${"[".repeat(90_000)}${"]".repeat(90_000)}}`, 200, undefined],
      [`{"prompt":"${"[,{".repeat(1_000_000)}"}`, 400, "prompt_too_long"],
      [`{"prompt":"\\"${"[,{".repeat(1_000_000)}"}`, 400, "prompt_too_long"],
      ["[".repeat(100_000), 400, "invalid_json"],
    ];
    for (const [body, status, error] of bodies) {
      const answer = await api.post(body);
      expect([answer.status, answer.body.error], body.slice(0, 40)).toEqual([status, error]);
    }
  });

  test("that ends too early has no effect", async () => {
    const before = api.money();
    const { outgoing, answered } = post({ "content-length": 1000 });
    outgoing.write('{"prompt":"a fox"}');
    const refused = expect(answered).rejects.toThrow();
    outgoing.destroy(new Error("gone"));
    await refused;
    expect((await api.get("/health")).status).toBe(200);
    expect(api.money()).toEqual(before);
  });

  test("that is aborted is not logged as a failure of the service", async () => {
    const own = await openApi();
    const head = `POST /v1/generations HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${own.key}\r\n`;
    const answer = await rawAnswer(own.url, `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    // Every connection has ended by then.
    await own.close();
    expect(own.lines.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });

  test("with an Expect header is accepted", async () => {
    for (const expectation of ["100-continue", "miracles"]) {
      const { outgoing, answered } = post({ expect: expectation, "content-length": 18 });
      if (expectation === "miracles") outgoing.flushHeaders();
      else await once(outgoing, "continue");
      outgoing.end('{"prompt":"a fox"}');
      expect((await answered).status).toBe(200);
    }
  });
});

describe("on a failure of the service", () => {
  const caller = { authenticate: () => ({ keyId: 1, accountId: 1 }), models: [] };
  const parts = (submit: () => Promise<never>) => ({
    ...caller,
    submit,
    submitKeyed: submit,
    balance: (): never => {
      throw new Error("SQLITE_IOERR of /var/lib/atelier.db");
    },
    job: (): never => {
      throw new Error("no such table: job");
    },
  });
  const headers = { authorization: "Bearer atl_something_secret" };

  test("an internal error is a 500 whose cause stays in the log, without the key", async () => {
    const broken = parts(() => Promise.reject(new Error("disk I/O error")));
    const { url, lines } = await startServer({ api: broken });
    const init = { method: "POST", headers, body: "{}" };
    for (const [path, request] of [
      ["/balance", { headers }],
      ["/generations/1", { headers }],
      ["/generations", init],
    ] as const) {
      const answer = await fetch(`${url}/v1${path}`, request);
      expect([answer.status, await answer.json()]).toEqual([500, refusal("internal_error")]);
    }
    const log = JSON.stringify(lines);
    expect(log).toContain("no such table: job");
    expect(log).toContain("disk I/O error");
    expect(log).not.toContain("secret");
  });

  test("a storage that accepts nothing is a 503 with Retry-After, and nothing is charged", async () => {
    const full = parts(() => Promise.reject(new Unavailable("storage")));
    const { url } = await startServer({ api: full });
    const answer = await fetch(`${url}/v1/generations`, { method: "POST", headers, body: "{}" });
    expect([answer.status, answer.headers.get("retry-after"), await answer.json()]).toEqual([
      503,
      "15",
      refusal("service_unavailable"),
    ]);
  });
});

test("RATE_LIMIT_PER_MINUTE limits the POSTs of an account across its keys, and nothing else", async () => {
  const limited = await startApi({ rateLimitPerMinute: 2 });
  const { key } = await limited.adminService.createKey(limited.accountId, null);
  const other = await limited.adminService.createAccount("other");
  const others = await limited.adminService.createKey(other.id, null);
  expect((await limited.post({ prompt: "a fox" })).status).toBe(200);
  await limited.clock.advance(10_500);
  expect((await limited.post({})).status, "a refused request counts too").toBe(400);
  const charged = limited.money().charges.length;
  for (const headers of [{ authorization: `Bearer ${limited.key}` }, { "x-api-key": key }]) {
    const third = await limited.post({ prompt: "a fox" }, headers);
    expect([third.status, third.body]).toEqual([429, refusal("rate_limited")]);
    expect(third.headers.get("retry-after")).toBe("50");
  }
  expect(limited.money().charges).toHaveLength(charged);
  expect((await limited.get("/balance")).status).toBe(200);
  const poor = await limited.post({ prompt: "a fox" }, { "x-api-key": others.key });
  expect(poor.status, "another account").toBe(402);
  await limited.clock.advance(49_500);
  expect((await limited.post({ prompt: "a fox" })).status).toBe(200);
});
