import { once } from "node:events";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.js";
import { createManualClock } from "../support/manual-clock.js";
import { CLOSED_API, dial, impatientClock, rawAnswer, startServer } from "./harness.js";

test("a request for an absolute URL is answered as one for its path", async () => {
  const { url } = await startServer();
  const ask = (target: string, method = "GET") =>
    rawAnswer(url, `${method} ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  expect(await ask("http://a.example/healthz?x=1")).toMatch(/^HTTP\/1\.1 200 /);
  expect(await ask("http://a.example")).toMatch(/^HTTP\/1\.1 302 /);
  expect(await ask("http://a.example?x=/healthz")).toMatch(/^HTTP\/1\.1 302 /);
  expect(await ask("http://a.example/v1/models", "DELETE")).toMatch(/^HTTP\/1\.1 405 .*allow: GET, HEAD/is);
  expect(await ask("http://a.example/v1/nothing")).toMatch(/^HTTP\/1\.1 404 .*idempotency-key-retention: /is);
});

test("a request with two Host headers is rejected as ambiguous", async () => {
  const { url } = await startServer();
  const answer = await rawAnswer(
    url,
    "GET /healthz HTTP/1.1\r\nHost: a\r\nhOST: b\r\nConnection: close\r\n\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 .*"bad_request"/s);
});

test("closing ends idle keep-alive connections and unused ones at once", async () => {
  // The clock never reaches the deadline at which all connections are cut.
  const { server, url } = await startServer({ clock: createManualClock() });
  const silent = dial(url);
  await once(silent, "connect");
  const agent = new Agent({ keepAlive: true });
  const [response] = await once(request(`${url}/healthz`, { agent }).end(), "response");
  await text(response);
  await server.close();
  silent.destroy();
  agent.destroy();
});

test("closing aborts what does not finish in time", async () => {
  const asked = Promise.withResolvers<void>();
  const { server, url } = await startServer({
    files: () => {
      asked.resolve();
      return new Promise(() => {});
    },
    clock: impatientClock,
  });
  const hanging = fetch(`${url}/files/a`);
  await asked.promise;
  const outcome = expect(hanging).rejects.toThrow();
  await server.close();
  await outcome;
});

/** A server whose POSTs are accepted some turns of the event loop after they have come. */
function startSlowApi() {
  const accepted = { job_id: 7, job_ids: [7], status: "queued", cost_rub: 3, unit_cost_rub: 3 } as const;
  const submitted: unknown[] = [];
  const api = {
    ...CLOSED_API,
    authenticate: () => ({ keyId: 1, accountId: 1 }),
    submit: async (_account: number, body: unknown) => {
      submitted.push(body);
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      return accepted;
    },
  };
  return startServer({ api }).then(({ url }) => ({ url, submitted }));
}

const JSON_BODY = '{"model_key":"z","prompt":"x"}';
const POST = [
  "POST /v1/generations HTTP/1.1",
  "host: x",
  "authorization: Bearer k",
  `content-length: ${JSON_BODY.length}`,
  "",
  JSON_BODY,
].join("\r\n");

test.each([
  ["bytes that are no request", "NONSENSE\r\n\r\n", 400],
  ["headers that are too large", `GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
])("an accepted POST is answered before %s after it are rejected", async (_what, bytes, status) => {
  const { url, submitted } = await startSlowApi();
  const answers = await rawAnswer(url, `${POST}${bytes}`);
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", `HTTP/1.1 ${status}`]);
  expect(submitted).toHaveLength(1);
});

test("a request that was rejected by its head gets one response, though its body ends half-way", async () => {
  const { url } = await startServer();
  const socket = dial(url, true);
  socket.write(POST.slice(0, -5));
  const [first] = (await once(socket, "data")) as [Buffer];
  expect(String(first)).toMatch(/^HTTP\/1\.1 401/);
  socket.end();
  expect(await text(socket)).toBe("");
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test.each([
  ["an answer", get("/healthz"), 200],
  ["a request without a host", "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n", 400],
  ["a path with a broken escape", get("/%zz"), 400],
  ["a URL that is too long", get(`/${"x".repeat(9000)}`), 414],
  ["an error of a part", get("/files/a"), 500],
  ["no HTTP at all", "nonsense\r\n\r\n", 400],
  ["headers that are too large", `GET / HTTP/1.1\r\nhost: x\r\nx: ${"y".repeat(20_000)}\r\n\r\n`, 431],
  ["a tunnel", "CONNECT a:1 HTTP/1.1\r\nhost: x\r\n\r\n", 405],
])(
  "%s gets its own request id, never the client's, which appears in its log line",
  async (_what, bytes, status) => {
    const { url, lines } = await startServer({ files: () => Promise.reject(new Error("no such table")) });
    const given = bytes.replace("\r\n", "\r\nx-request-id: theirs\r\nrequest-id: theirs\r\n");
    const answers = [await rawAnswer(url, given), await rawAnswer(url, given)];
    const ids = answers.map((answer) => /^x-request-id: (.*)\r$/im.exec(answer)?.[1] ?? "");
    expect(answers.map((answer) => Number(answer.split(" ")[1]))).toEqual([status, status]);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) {
      expect(id).toMatch(UUID);
      await eventually("the line", () => lines.some((line) => line.reqId === id && line.status === status));
    }
  },
);

test("a failed request has its id in the log line of the cause too", async () => {
  const { url, lines } = await startServer({ files: () => Promise.reject(new Error("no such table")) });
  const id = (await fetch(`${url}/files/a`)).headers.get("x-request-id");
  expect(lines.find(({ msg }) => msg === "request failed")).toMatchObject({ reqId: id });
});

const OTHER = "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n";
const LONG = "y".repeat(40_000);

test.each([
  ["a header after another request", `${OTHER}GET / HTTP/1.1\r\nx: ${LONG}`, 431],
  ["a URL after another request", `${OTHER}GET /${LONG}`, 414],
])("%s that is too long is reported as such", async (_what, bytes, status) => {
  const { url } = await startServer();
  expect((await rawAnswer(url, bytes)).match(/HTTP\/1\.1 \d+/g)?.at(-1)).toBe(`HTTP/1.1 ${status}`);
});

test("a service whose API runs elsewhere serves files, health and metrics, and no API", async () => {
  const { url } = await startServer({ api: undefined });
  const status = async (path: string) => (await fetch(`${url}${path}`, { redirect: "manual" })).status;
  const paths = ["/healthz", "/readyz", "/metrics", "/files/a.webp"];
  expect(await Promise.all(paths.map(status))).toEqual([200, 200, 200, 403]);
  for (const path of ["/v1/models", "/v1/health", "/hooks/kie", "/docs", "/openapi.json", "/"])
    expect(await status(path)).toBe(404);
});
