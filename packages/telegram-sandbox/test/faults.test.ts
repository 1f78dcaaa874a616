import { afterEach, beforeEach, expect, test } from "vitest";
import { createSandbox, type Sandbox } from "../src/index.js";
import { call } from "./client.js";

const ANNA = 1001;
const BORIS = 1002;

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await createSandbox();
  sandbox.person(ANNA).sendText("/start");
  sandbox.person(BORIS).sendText("/start");
});

afterEach(() => sandbox.close());

function send(text: string, chat_id = ANNA) {
  return call(sandbox, "sendMessage", { chat_id, text });
}

function botTexts(): (string | undefined)[] {
  return sandbox.messages(ANNA).flatMap(({ from, text }) => (from?.is_bot ? [text] : []));
}

test("a 429 states how long to wait, in the body and in a header", async () => {
  sandbox.faults.add({ method: "sendMessage", answer: { type: "429", retryAfter: 3 } });
  const answer = await send("a");
  expect(answer).toMatchObject({
    status: 429,
    error_code: 429,
    description: "Too Many Requests: retry after 3",
    parameters: { retry_after: 3 },
  });
  expect(answer.headers.get("retry-after")).toBe("3");
  expect((await send("b")).ok).toBe(true);
  expect(botTexts()).toEqual(["b"]);
});

test("a fault applies as often as ordered, to its method and chat only, and can be cancelled", async () => {
  const description = "Forbidden: bot was blocked by the user";
  const fault = sandbox.faults.add({
    method: "sendMessage",
    chat: ANNA,
    times: 2,
    answer: { type: "status", code: 403, description },
  });
  expect((await send("other chat", BORIS)).ok).toBe(true);
  expect((await call(sandbox, "getMe")).ok).toBe(true);
  expect([await send("a"), await send("b"), await send("c")].map(({ status }) => status)).toEqual([
    403, 403, 200,
  ]);
  expect(fault.struck).toBe(2);
  const forever = sandbox.faults.add({
    matches: ({ params }) => params.text === "bad",
    times: Number.POSITIVE_INFINITY,
    answer: { type: "status", code: 500, description: "Internal Server Error" },
  });
  expect((await send("bad")).status).toBe(500);
  forever.cancel();
  expect((await send("bad")).status).toBe(200);
});

test("a 502 of a proxy is not JSON", async () => {
  const answer = { type: "status", code: 502, description: "Bad Gateway", body: "<html>502</html>" } as const;
  sandbox.faults.add({ method: "getMe", answer });
  const response = await fetch(`${sandbox.url}/bot${sandbox.token}/getMe`);
  expect([response.status, await response.text()]).toEqual([502, "<html>502</html>"]);
});

test("a fault breaks a connection before the work, or after it", async () => {
  sandbox.faults.add({ method: "sendMessage", answer: { type: "reset" } });
  await expect(send("before")).rejects.toThrow();
  expect(botTexts()).toEqual([]);
  sandbox.faults.add({ method: "sendMessage", answer: { type: "reset", when: "after" } });
  await expect(send("after")).rejects.toThrow();
  expect(botTexts()).toEqual(["after"]);
});

test("an answer that never arrives leaves the work done or undone, as ordered", async () => {
  sandbox.faults.add({ method: "sendMessage", answer: { type: "hang", when: "after" } });
  const abort = new AbortController();
  const url = `${sandbox.url}/bot${sandbox.token}/sendMessage?chat_id=${ANNA}&text=done`;
  const lost = fetch(url, { signal: abort.signal });
  await sandbox.waitForMessage(ANNA, "done");
  abort.abort();
  await expect(lost).rejects.toThrow();
});

test("a held method waits for its release, and other methods do not", async () => {
  const hold = sandbox.hold("sendMessage", ({ params }) => params.chat_id === ANNA);
  const held = send("held");
  await hold.arrived();
  expect((await send("free", BORIS)).ok).toBe(true);
  expect([hold.waiting, botTexts()]).toEqual([1, []]);
  hold.release();
  expect((await held).ok).toBe(true);
});

test("another process reads calls over HTTP", async () => {
  await call(sandbox, "getMe");
  const calls = await (await fetch(`${sandbox.url}/control/calls`)).json();
  expect(calls).toMatchObject([{ method: "getMe", status: 200 }]);
});

test("waits end when the sandbox closes or at their deadline, and report what arrived", async () => {
  await send("not this");
  const wait = sandbox.waitForMessage(ANNA, "that", { timeoutMs: 20 });
  await expect(wait).rejects.toThrow(/waited 20 ms: no message "that"[\s\S]*not this[\s\S]*sendMessage → ok/);
  const other = await createSandbox();
  const endless = other.waitForCall("sendMessage");
  const rejected = expect(endless).rejects.toThrow("closed while a test waited");
  await other.close();
  await rejected;
});

test("waitForCall returns the call with its answer", async () => {
  const waiting = sandbox.waitForCall("sendMessage", ({ params }) => params.text === "b");
  await send("a");
  await send("b");
  expect(await waiting).toMatchObject({ status: 200, params: { text: "b" }, result: { text: "b" } });
});
