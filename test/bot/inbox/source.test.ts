import { expect, test } from "vitest";
import { Inbox } from "../../../src/bot/inbox/inbox.js";
import { inboxSource } from "../../../src/bot/inbox/source.js";
import type { Boundary } from "../../../src/platform/boundary.js";
import { brokenConnection, openBotWorld, refusal } from "../../support/bot-world.js";
import { eventually } from "../../support/eventually.js";
import { silentLogger } from "../../support/log.js";
import { turnOfEvents } from "../../support/manual-clock.js";

const KILLER = 1;
const FRESH = 10;

function update(update_id: number) {
  const chat = { id: update_id, type: "private" as const, first_name: "Ann" };
  return { update_id, message: { message_id: update_id, date: 1, chat, text: "hello" } } as never;
}

/** Runs of the service on one database; every poll brings one new update and takes no time. */
function openRuns() {
  const { database, clock } = openBotWorld();
  let fresh = FRESH;
  const polls: number[] = [];
  const getUpdates = async ({ timeout }: { timeout: number }) => {
    polls.push(timeout);
    fresh += 1;
    return [update(fresh)];
  };
  return {
    polls,
    inbox: new Inbox(database, clock),
    startRun() {
      const inbox = new Inbox(database, clock);
      const api = { getUpdates } as never;
      const source = inboxSource({ api, inbox, clock, logger: silentLogger(), onPolling() {} });
      const { signal } = new AbortController();
      const supply = async () =>
        (await source.supply(100, signal as never)).map(({ update_id }) => update_id);
      return { inbox, supply };
    },
  };
}

test("one update that ends the process is dropped after three tries, and no other with it", async () => {
  const { inbox, startRun } = openRuns();
  await inbox.receive([KILLER, 2, 3].map(update));
  for (let start = 0; start < 2; start += 1) expect(await startRun().supply()).toEqual([KILLER, 2, 3]);

  // It ends the process a moment after it was begun: until then nobody else is taken up, however often asked.
  const third = startRun();
  expect(await third.supply()).toEqual([KILLER]);
  for (let turn = 0; turn < 3; turn += 1) expect((await third.supply())[0]).toBeGreaterThan(FRESH);

  const fourth = startRun();
  const begun: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const ids = await fourth.supply();
    begun.push(...ids.filter((id) => id < FRESH));
    await Promise.all(ids.map((id) => fourth.inbox.finish(id)));
  }
  expect(begun).toEqual([2, 3]);
  expect(fourth.inbox.isPending(KILLER)).toBe(false);
});

test("suspects wait for one another behind short polls, and nothing waits for them", async () => {
  const { inbox, polls, startRun } = openRuns();
  await inbox.receive([2, 3].map(update));
  for (let start = 0; start < 2; start += 1) await startRun().supply();
  const run = startRun();
  expect(await run.supply()).toEqual([2]);
  expect(await run.supply()).toEqual([FRESH + 1]);
  await run.inbox.finish(2);
  expect(await run.supply()).toEqual([3]);
  expect(await run.supply()).toEqual([FRESH + 2]);
  expect(polls).toEqual([1, 30]);
});

/** A source on polls that end as the test says: with updates or with a fault. */
function openSource(boundary?: Boundary) {
  const { database, clock } = openBotWorld(boundary);
  const inbox = new Inbox(database, clock);
  const outcomes: (number[] | Error)[] = [];
  const offsets: number[] = [];
  const states: boolean[] = [];
  const getUpdates = async ({ offset }: { offset: number }) => {
    offsets.push(offset);
    const outcome = outcomes.shift() ?? [];
    if (outcome instanceof Error) throw outcome;
    return outcome.map(update);
  };
  const onPolling = (isPolling: boolean) => states.push(isPolling);
  const source = inboxSource({
    api: { getUpdates } as never,
    inbox,
    clock,
    logger: silentLogger(),
    onPolling,
  });
  const ending = new AbortController();
  const supply = async () =>
    (await source.supply(100, ending.signal as never)).map(({ update_id }) => update_id);
  const polled = (times: number) => eventually(`${times} polls`, () => offsets.length === times);
  return { clock, inbox, outcomes, offsets, states, ending, supply, polled };
}

test("an offset is confirmed only when its batch has been committed", async () => {
  let isBroken = true;
  const { clock, outcomes, offsets, supply, polled } = openSource((name) => {
    if (isBroken && name === "commit:before:inbox") throw new Error("disk full");
  });
  outcomes.push([5, 6], [5, 6]);
  const supplied = supply();
  await polled(1);
  await turnOfEvents();
  isBroken = false;
  await clock.advance(200);
  expect(await supplied).toEqual([5, 6]);
  await supply();
  expect(offsets).toEqual([0, 0, 7]);
});

test("a fault is waited out, as long as Telegram asks, and told until polling works again", async () => {
  const { clock, outcomes, offsets, states, supply, polled } = openSource();
  outcomes.push(refusal(429, "Too Many Requests", { retry_after: 3 }), brokenConnection(), [5]);
  const supplied = supply();
  await polled(1);
  await clock.advance(2999);
  expect([offsets.length, states]).toEqual([1, [false]]);
  await clock.advance(1);
  await polled(2);
  await clock.advance(400);
  expect(await supplied).toEqual([5]);
  expect(states).toEqual([false, false, true]);
});

test("a stop ends a poll, and no other follows", async () => {
  const { clock, outcomes, offsets, states, ending, supply } = openSource();
  outcomes.push(brokenConnection());
  ending.abort();
  await expect(supply()).rejects.toThrow();
  await clock.advance(60_000);
  expect([offsets.length, states]).toEqual([1, []]);
});
