import { expect, test } from "vitest";
import { exchange, retryAfterMs } from "../../src/platform/http-exchange.js";
import type { OutgoingAgent } from "../../src/platform/outgoing-agent.js";
import { DAY_MS } from "../../src/platform/units.js";
import { createManualClock } from "../support/manual-clock.js";

type Handler = Parameters<OutgoingAgent["dispatch"]>[1];

/** An exchange whose answer comes as the test says. */
function openExchange(room: () => Promise<void>) {
  const calls: string[] = [];
  const controller = {
    abort: () => calls.push("abort"),
    pause: () => calls.push("pause"),
    resume: () => calls.push("resume"),
  } as never;
  let handler: Handler = {};
  const dispatcher = {
    dispatch(_options: unknown, given: Handler) {
      handler = given;
      handler.onRequestStart?.(controller, {});
      handler.onResponseStart?.(controller, 200, {});
      return true;
    },
  } as unknown as OutgoingAgent;
  const url = new URL("http://127.0.0.1/");
  const clock = createManualClock();
  const limits = { timeoutMs: 1000, bodyBytesMax: 32_000_000, room };
  const answered = exchange({ dispatcher, clock, method: "GET", url, headers: {}, ...limits });
  const give = (megabytes: number) =>
    handler.onResponseData?.(controller, Buffer.alloc(megabytes * 1e6, "a"));
  return { calls, clock, answered, give, end: () => handler.onResponseEnd?.(controller, {}) };
}

test("the rest of a large answer is not read before there is room, which is asked for once", async () => {
  const gate = Promise.withResolvers<void>();
  let asked = 0;
  const { calls, answered, give, end } = openExchange(() => {
    asked += 1;
    return gate.promise;
  });
  give(8);
  expect(asked).toBe(0);
  give(1);
  expect([asked, calls]).toEqual([1, ["pause"]]);
  gate.resolve();
  await gate.promise;
  expect(calls).toEqual(["pause", "resume"]);
  give(9);
  end();
  expect(asked).toBe(1);
  const { text, fault } = await answered;
  expect([text.length, fault]).toEqual([18_000_000, undefined]);
});

test("an answer that waits for room is late at its time", async () => {
  const { clock, answered, give } = openExchange(() => new Promise(() => {}));
  give(9);
  await clock.advance(1000);
  expect((await answered).fault?.message).toBe("not answered within 1000 ms");
});

const NOW = Date.UTC(2026, 10, 23, 12);

test.each<[string | undefined, number | undefined]>([
  [undefined, undefined],
  ["0", 0],
  ["7", 7000],
  ["9999999", DAY_MS],
  ["99999999999999999999", DAY_MS],
  ["Mon, 23 Nov 2026 12:00:30 GMT", 30_000],
  ["Monday, 23-Nov-26 12:00:30 GMT", 30_000],
  ["Fri, 01 Jan 2100 00:00:00 GMT", DAY_MS],
  ["Mon, 23 Nov 2026 11:59:59 GMT", undefined],
  ["-5", undefined],
  ["-0", undefined],
  ["+5", undefined],
  ["1.5", undefined],
  ["2026-11-24", undefined],
  ["soon", undefined],
  ["", undefined],
])("Retry-After %j is a wait of %j ms", (value, waitMs) => {
  expect(retryAfterMs(value, NOW)).toBe(waitMs);
});
