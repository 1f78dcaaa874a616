import { expect, test } from "vitest";
import { createManualClock } from "../support/manual-clock.js";
import { startServer } from "./harness.js";

const TOKEN = "A-token_of_43_characters_that_nobody_knows0";
const BODY = { type: "notification", event: "payment.succeeded", object: { id: "p1" } };

/** A server that notes what it passes on. */
async function startTillHooks() {
  const taken: unknown[][] = [];
  const tillHooks = { take: (...given: unknown[]) => void taken.push(given) };
  const server = await startServer({ tillHooks, clock: createManualClock() });
  const post = (body: string, path = `yookassa/${TOKEN}`) =>
    fetch(`${server.url}/hooks/tills/${path}`, { method: "POST", body });
  return { ...server, taken, post };
}

test("a notification is answered with 200 and passed on with its token", async () => {
  const { post, taken } = await startTillHooks();
  const answer = await post(JSON.stringify(BODY));
  expect([answer.status, await answer.text()]).toEqual([200, ""]);
  expect(taken).toEqual([["yookassa", TOKEN, BODY]]);
});

test.each(["", "not JSON", "{", '{"a":'])(
  "a body %j is answered with 200, and passed on to nobody",
  async (body) => {
    const { post, taken } = await startTillHooks();
    expect((await post(body)).status).toBe(200);
    expect(taken).toEqual([]);
  },
);

test("a body that is too large is answered with 200, passed on to nobody, and the server serves on", async () => {
  const { post, taken } = await startTillHooks();
  const answer = await post(JSON.stringify({ ...BODY, more: "x".repeat(1024 * 1024) }));
  expect(answer.status).toBe(200);
  expect(taken).toEqual([]);
  await post(JSON.stringify(BODY));
  expect(taken).toHaveLength(1);
});

test("a flood from one address is answered, and passed on in part", async () => {
  const { post, taken } = await startTillHooks();
  const body = JSON.stringify(BODY);
  for (let sent = 0; sent < 320; sent += 40)
    await Promise.all(Array.from({ length: 40 }, async () => expect((await post(body)).status).toBe(200)));
  expect(taken).toHaveLength(300);
});

test("only a POST with till and token is one", async () => {
  const { url, post, taken } = await startTillHooks();
  expect((await fetch(`${url}/hooks/tills/yookassa/${TOKEN}`)).status).toBe(405);
  expect((await post(JSON.stringify(BODY), `yookassa/${TOKEN}/more`)).status).toBe(404);
  expect(taken).toEqual([]);
});

test("a service without tills answers the same", async () => {
  const { url } = await startServer();
  const answer = await fetch(`${url}/hooks/tills/yookassa/${TOKEN}`, { method: "POST", body: "{}" });
  expect(answer.status).toBe(200);
});
