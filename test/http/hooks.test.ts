import { describe, expect, onTestFinished, test } from "vitest";
import { HookLimit } from "../../src/http/hooks.js";
import { createManualClock } from "../support/manual-clock.js";
import { dial, startServer } from "./harness.js";

const CONTENT = "what the service says of a person";

test.each(["application/json", "text/plain", "application/octet-stream", undefined])(
  "/hooks/NAME answers 200 and nothing more, whatever it is sent as (%s), and logs no content",
  async (type) => {
    const { url, lines } = await startServer();
    const answer = await fetch(`${url}/hooks/kie?secret=${CONTENT}`, {
      method: "POST",
      body: Buffer.from(`{"not": "JSON, ${CONTENT}`),
      headers: type === undefined ? {} : { "content-type": type },
    });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    expect(JSON.stringify(lines)).not.toContain("person");
  },
);

test("/hooks/NAME refuses a body that is too large, declared or not, and serves on", async () => {
  const { url, taken } = await startHooks();
  const bytes = Buffer.alloc(2 * 1024 * 1024, "x");
  const whole = await fetch(`${url}/hooks/kie/${TOKEN}`, { method: "POST", body: bytes });
  expect(whole.status).toBe(413);
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
  const chunked = await fetch(`${url}/hooks/kie/${TOKEN}`, {
    method: "POST",
    body,
    duplex: "half",
  } as RequestInit);
  expect(chunked.status).toBe(413);
  expect(taken).toEqual([]);
  await post(`${url}/hooks/kie/${TOKEN}`);
  expect(taken).toEqual([["kie", TOKEN]]);
});

const TOKEN = "A-token_of_43_characters_that_nobody_knows0";

/** A server that notes what it passes on. */
async function startHooks(given: Partial<Parameters<typeof startServer>[0]> = {}) {
  const taken: [string, string][] = [];
  const dropped: string[] = [];
  const callbacks = {
    take: (service: string, token: string) => void taken.push([service, token]),
    drop: (service: string) => void dropped.push(service),
  };
  return { ...(await startServer({ callbacks, ...given })), taken, dropped };
}

async function post(address: string, init: RequestInit = {}): Promise<Response> {
  return fetch(address, { method: "POST", body: '{"status":"OK"}', ...init });
}

test("a call is passed on by its token, whatever its body, and the token is in no line of the log", async () => {
  const { url, taken, lines } = await startHooks();
  for (const body of ['{"status":"ERROR"}', "not JSON", "", null])
    await post(`${url}/hooks/fal/${TOKEN}`, { body });
  expect(taken).toEqual(Array.from({ length: 4 }, () => ["fal", TOKEN]));
  expect(JSON.stringify(lines)).not.toContain(TOKEN);
  expect(lines.filter(({ path }) => path === "/hooks/fal/[token]")).toHaveLength(4);
});

test("a look, and an address without a token, are passed on to nobody", async () => {
  const { url, taken, dropped } = await startHooks();
  for (const method of ["GET", "HEAD"])
    expect((await fetch(`${url}/hooks/kie/${TOKEN}`, { method })).status).toBe(200);
  expect((await post(`${url}/hooks/kie`)).status).toBe(200);
  expect((await post(`${url}/hooks/kie/${TOKEN}/more`)).status).toBe(404);
  expect([taken, dropped]).toEqual([[], []]);
});

test("an answer does not tell whether a token, or a service, is known, and comes before the call is heeded", async () => {
  const answered: number[] = [];
  const { url } = await startHooks({
    callbacks: { take: (_service, token) => void answered.push(token.length), drop: () => {} },
  });
  const shown = async (path: string) => {
    const answer = await post(`${url}/hooks/${path}`);
    const headers = Object.fromEntries(answer.headers);
    const { "x-request-id": _id, date: _date, ...rest } = headers;
    return { status: answer.status, text: await answer.text(), headers: rest };
  };
  const known = await shown(`fal/${TOKEN}`);
  expect(known).toMatchObject({ status: 200, text: "" });
  for (const path of ["fal/x", `nobody/${TOKEN}`, "fal/%00", `fal/${"x".repeat(5000)}`])
    expect(await shown(path)).toEqual(known);
  expect(answered).toHaveLength(5);
});

test("calls beyond the limit are answered as others are, counted and not passed on; the next window has room", async () => {
  const clock = createManualClock();
  const { url, taken, dropped } = await startHooks({ clock });
  for (let batch = 0; batch < 31; batch += 1) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => post(`${url}/hooks/fal/${TOKEN}`)));
    for (const { status } of answers) expect(status).toBe(200);
  }
  expect([taken.length, dropped.length]).toEqual([300, 10]);
  await clock.advance(10_000);
  await post(`${url}/hooks/fal/${TOKEN}`);
  expect(taken).toHaveLength(301);
});

test("bodies that never end delay nobody else", async () => {
  const { url, taken } = await startHooks();
  const sockets = Array.from({ length: 200 }, () => dial(url));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  for (const socket of sockets) {
    socket.on("error", () => {});
    socket.write(
      `POST /hooks/fal/${TOKEN} HTTP/1.1\r\nhost: a\r\ncontent-length: 200000\r\n\r\n${"x".repeat(1000)}`,
    );
  }
  expect((await post(`${url}/hooks/kie/${TOKEN}`)).status).toBe(200);
  expect(taken).toEqual([["kie", TOKEN]]);
});

describe("a notification of a till", () => {
  const BODY = { type: "notification", event: "payment.succeeded", object: { id: "p1" } };

  async function startTillHooks() {
    const taken: unknown[][] = [];
    const tillHooks = { take: (...given: unknown[]) => void taken.push(given) };
    const server = await startServer({ tillHooks, clock: createManualClock() });
    const send = (body: string, path = `yookassa/${TOKEN}`) =>
      post(`${server.url}/hooks/tills/${path}`, { body });
    return { ...server, taken, send };
  }

  test("is answered with 200 and passed on with its token", async () => {
    const { send, taken } = await startTillHooks();
    const answer = await send(JSON.stringify(BODY));
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
    expect(taken).toEqual([["yookassa", TOKEN, BODY]]);
  });

  test.each(["", "not JSON", "{", '{"a":'])(
    "a body %j is answered with 200, and passed on to nobody",
    async (body) => {
      const { send, taken } = await startTillHooks();
      expect((await send(body)).status).toBe(200);
      expect(taken).toEqual([]);
    },
  );

  test("that is too large is answered with 200, passed on to nobody, and the server serves on", async () => {
    const { send, taken } = await startTillHooks();
    const answer = await send(JSON.stringify({ ...BODY, more: "x".repeat(1024 * 1024) }));
    expect(answer.status).toBe(200);
    expect(taken).toEqual([]);
    await send(JSON.stringify(BODY));
    expect(taken).toHaveLength(1);
  });

  test("a flood from one address is answered, and passed on in part", async () => {
    const { send, taken } = await startTillHooks();
    const body = JSON.stringify(BODY);
    for (let sent = 0; sent < 320; sent += 40)
      await Promise.all(Array.from({ length: 40 }, async () => expect((await send(body)).status).toBe(200)));
    expect(taken).toHaveLength(300);
  });

  test("only a POST with till and token is one", async () => {
    const { url, send, taken } = await startTillHooks();
    expect((await fetch(`${url}/hooks/tills/yookassa/${TOKEN}`)).status).toBe(405);
    expect((await send(JSON.stringify(BODY), `yookassa/${TOKEN}/more`)).status).toBe(404);
    expect(taken).toEqual([]);
  });

  test("a service without tills answers the same", async () => {
    const { url } = await startServer();
    expect((await post(`${url}/hooks/tills/yookassa/${TOKEN}`)).status).toBe(200);
  });
});

function taken(limit: HookLimit, count: number, address: (index: number) => string): number {
  return Array.from({ length: count }, (_, index) => limit.take(address(index))).filter((isTaken) => isTaken)
    .length;
}

test("one address has three hundred calls in ten seconds, and takes nothing from another, also where the clock is set back", async () => {
  const clock = createManualClock();
  const limit = new HookLimit(clock);
  expect(taken(limit, 5000, () => "198.51.100.1")).toBe(300);
  expect(taken(limit, 5000, () => "::ffff:198.51.100.1")).toBe(0);
  expect(taken(limit, 10, () => "198.51.100.2")).toBe(10);
  clock.step(-3_600_000);
  await clock.advance(9999);
  expect(limit.take("198.51.100.1")).toBe(false);
  await clock.advance(1);
  expect(limit.take("198.51.100.1")).toBe(true);
});

test("all addresses together have a thousand, and a network of IPv6 counts as one", () => {
  const clock = createManualClock();
  expect(taken(new HookLimit(clock), 5000, (index) => `203.0.${index >> 8}.${index & 255}`)).toBe(1000);
  expect(taken(new HookLimit(clock), 5000, (index) => `2001:db8:1:2::${index.toString(16)}`)).toBe(300);
});
