import { once } from "node:events";
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { HttpError } from "grammy";
import { expect, test } from "vitest";
import { eventually } from "../../support/eventually.js";
import { startBotServer } from "../../support/listen.js";

const silence: RequestListener = () => {};

/** Long enough for this process to read what it has just sent to itself. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

test("fetch joins an answer that arrives in chunks, even when a chunk ends inside a character", async () => {
  const body = Buffer.from(JSON.stringify({ ok: true, result: { message_id: 7, text: "ж" } }));
  const cut = body.indexOf("ж") + 1;
  const { api } = await startBotServer((_request, response) => {
    response.write(body.subarray(0, cut), () => {
      void someTurns().then(() => response.end(body.subarray(cut)));
    });
  });
  expect(await api.sendMessage(5, "x")).toEqual({ message_id: 7, text: "ж" });
});

test("an answer of many updates is whole where its connection closes with it", async () => {
  const texts = Array.from({ length: 100 }, (_, place) => `${place} ${"x".repeat(4000)}`);
  const { api } = await startBotServer((_request, response) => {
    response.setHeader("connection", "close");
    response.end(JSON.stringify({ ok: true, result: texts }));
  });
  expect(await api.getUpdates()).toEqual(texts);
});

test.each([200, 403, 502])(
  "an answer with status %i from a proxy is not an answer of the Bot API",
  async (status) => {
    const { api } = await startBotServer((_request, response) => {
      response.statusCode = status;
      response.end("<html>");
    });
    for (const call of [() => api.answerCallbackQuery("1"), () => api.sendChatAction(1, "typing")])
      await expect(call()).rejects.toThrow(HttpError);
  },
);

test("a broken connection and a missing answer are HttpErrors", async () => {
  const { api } = await startBotServer((request) => request.socket.destroy());
  await expect(api.sendMessage(1, "x")).rejects.toThrow(HttpError);
});

test("a call without an answer fails at its deadline", async () => {
  const { api } = await startBotServer(silence, 0.05);
  await expect(api.sendMessage(1, "x")).rejects.toThrow(HttpError);
});

test("fetch aborts a call in flight, a call that waits for a connection and a call before it starts", async () => {
  let received = 0;
  const { api } = await startBotServer(() => {
    received += 1;
  }, 10);
  const abort = new AbortController();
  const { signal } = abort;
  const calls = Array.from({ length: 500 }, () => api.sendMessage(1, "x", {}, signal as never));
  const outcomes = Promise.allSettled(calls);
  await eventually("every connection has a call", () => received === 384);
  abort.abort();
  expect((await outcomes).every(({ status }) => status === "rejected")).toBe(true);
  await expect(api.sendMessage(1, "x", {}, signal as never)).rejects.toThrow(HttpError);
  expect(received).toBe(384);
});

test("a connection that the server closed while idle is not reused", async () => {
  const { api, server } = await startBotServer((_request, response) => {
    response.end(JSON.stringify({ ok: true, result: true }));
  });
  let peer: Socket | undefined;
  server.once("connection", (socket) => {
    peer = socket;
  });
  await api.deleteMessage(1, 1);
  if (!peer) throw new Error("the call came over no connection");
  const closed = once(peer, "close");
  await someTurns();
  server.closeIdleConnections();
  await closed;
  await someTurns();
  expect(await api.deleteMessage(1, 1)).toBe(true);
});
