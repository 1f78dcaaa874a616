import { expect, onTestFinished, test } from "vitest";
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
