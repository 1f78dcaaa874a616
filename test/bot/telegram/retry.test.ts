import type { Api } from "grammy";
import { describe, expect, test } from "vitest";
import { retryCalls } from "../../../src/bot/telegram/failure.js";
import { brokenConnection, refusal, refusedConnection } from "../../support/bot-world.js";
import { FakeTelegram } from "../../support/fake-telegram.js";
import { createManualClock, turnOfEvents } from "../../support/manual-clock.js";

const START = createManualClock().now();
const BROKEN = brokenConnection();
const refused = (code: number, parameters?: object) => refusal(code, "refused", parameters);

/** An API whose server fails so often. */
function openApi(fault: Error, times = 1000) {
  const clock = createManualClock();
  const stopping = new AbortController();
  const telegram = new FakeTelegram();
  const { api, calls } = telegram;
  for (const method of ["sendMessage", "editMessageText", "answerCallbackQuery"])
    telegram.failNext(method, ...Array.from({ length: times }, () => fault));
  api.config.use(retryCalls(clock, stopping.signal));
  return { api, clock, stopping, calls };
}

describe("a call from a handler", () => {
  const moved = refused(400, { migrate_to_chat_id: -100 });

  test.each([
    ["a group that became a supergroup is repeated there, at once", 0, 0, moved],
    [
      "a server that asks to wait is repeated after exactly that",
      7000,
      7000,
      refused(429, { retry_after: 7 }),
    ],
    ["a server that fails is repeated after a back-off", 150, 300, refused(502)],
    ["a connection that broke is repeated after a back-off", 150, 300, BROKEN],
  ])("to %s", async (_what, earliestMs, latestMs, answer) => {
    const { api, clock, calls } = openApi(answer, 1);
    const chat = answer === moved ? -5 : 5;
    const sent = api.sendMessage(chat, "x");
    if (earliestMs > 0) {
      await clock.advance(earliestMs - 1);
      expect(calls).toHaveLength(1);
      await clock.advance(latestMs - earliestMs + 1);
    }
    await sent;
    expect(calls.map(({ payload }) => payload.chat_id)).toEqual([chat, answer === moved ? -100 : chat]);
  });

  test.each([
    ["asks to wait longer", refused(429, { retry_after: 25 }), 0],
    ["asks for short waits again and again", refused(429, { retry_after: 2 }), 5000],
    ["does not answer", BROKEN, 5000],
  ])("to a group that %s ends within five seconds", async (_what, fault, withinMs) => {
    const { api, clock } = openApi(fault);
    const sent = expect(api.sendMessage(-5, "x")).rejects.toThrow();
    for (let passedMs = 0; passedMs < withinMs; passedMs += 500) await clock.advance(500);
    await sent;
  });

  test.each<[string, Error, (api: Api) => Promise<unknown>, number]>([
    ["that is refused", refused(400), (api) => api.sendMessage(5, "x"), 1],
    ["that a person cannot wait for", refused(429, { retry_after: 31 }), (api) => api.sendMessage(5, "x"), 1],
    ["with a wrong token", refused(401), (api) => api.sendMessage(5, "x"), 1],
    ["that is too late to matter", refused(502), (api) => api.answerCallbackQuery("1"), 1],
    ["about a message of the former group", moved, (api) => api.editMessageText(-5, 7, "x"), 1],
    ["to a group that has moved again and again", moved, (api) => api.sendMessage(-5, "x"), 4],
  ])("%s ends at once", async (_what, answer, call, times) => {
    const { api, calls } = openApi(answer);
    await expect(call(api)).rejects.toThrow("refused");
    expect(calls).toHaveLength(times);
  });

  test.each<[string, (api: Api) => Promise<unknown>, boolean]>([
    [
      "a message may be a copy, and is sent seven times in two minutes at most",
      (api) => api.sendMessage(5, "x"),
      true,
    ],
    ["an edit is none, and is made as often as before", (api) => api.editMessageText(5, 7, "x"), false],
  ])("whose answers are lost: %s", async (_what, call, isRare) => {
    const { api, clock, calls } = openApi(BROKEN);
    const ended = expect(call(api)).rejects.toThrow();
    while (clock.now() < START + 125_000) await clock.advance(1000);
    await ended;
    expect(calls.length).toBeGreaterThanOrEqual(4);
    expect(calls.length <= 7).toBe(isRare);
  });

  test.each([
    ["a server that fails", refused(502)],
    ["an odd answer", refused(420)],
    ["a connection that is not taken", refusedConnection()],
  ])("waits for %s up to two minutes", async (_what, fault) => {
    const { api, clock, calls } = openApi(fault);
    const sent = api.sendMessage(5, "x").then(
      () => "sent",
      () => "given up",
    );
    let outcome: string | undefined;
    void sent.then((value) => {
      outcome = value;
    });
    while (clock.now() < START + 105_000) await clock.advance(1000);
    expect([outcome, calls.length > 10]).toEqual([undefined, true]);
    while (clock.now() < START + 125_000) await clock.advance(1000);
    expect(outcome).toBe("given up");
  });

  test("is tried once more on shutdown, without the rest of the wait", async () => {
    const { api, stopping, calls } = openApi(refused(429, { retry_after: 7 }));
    const sent = expect(api.sendMessage(5, "x")).rejects.toThrow("refused");
    await turnOfEvents();
    stopping.abort();
    await sent;
    expect(calls).toHaveLength(2);
  });
});
