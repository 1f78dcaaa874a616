import type { Update } from "grammy/types";
import { expect, test } from "vitest";
import { Inbox } from "../../../src/bot/inbox/inbox.js";
import type { FailPoint } from "../../../src/platform/fail-point.js";
import { brokenConnection, openBotWorld, refusal } from "../../support/bot-world.js";
import { isBeforeCommit } from "../../support/commit-points.js";
import { eventually } from "../../support/eventually.js";
import { sourceOver, suppliedIds, updateOf } from "../../support/inbox-source.js";
import { turnOfEvents } from "../../support/manual-clock.js";

const KILLER = 1;
const FRESH = 10;

/** Runs of the service on one database; every poll brings one new update, at once unless polls are held. */
function openRuns() {
  const { database, clock } = openBotWorld();
  let fresh = FRESH;
  const polls: number[] = [];
  let isHeld: Promise<void> = Promise.resolve();
  const getUpdates = async ({ timeout }: { timeout: number }, signal: AbortSignal) => {
    polls.push(timeout);
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(new Error("poll aborted"));
    signal.addEventListener("abort", abort, { once: true });
    await Promise.race([isHeld, aborted.promise]).finally(() => signal.removeEventListener("abort", abort));
    fresh += 1;
    return [updateOf(fresh)];
  };
  return {
    polls,
    /** From now on polls wait; answers with what lets them go. */
    holdPolls(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      isHeld = promise;
      return resolve;
    },
    inbox: new Inbox(database, clock),
    startRun() {
      const inbox = new Inbox(database, clock);
      const source = sourceOver(getUpdates, { inbox, clock });
      const supply = (signal?: AbortSignal) => suppliedIds(source, signal);
      /** Supplies until there is something, as the runner does. */
      const supplied = async () => {
        for (;;) {
          const ids = await supply();
          if (ids.length > 0) return ids;
        }
      };
      return { inbox, supply, supplied };
    },
  };
}

test("an update that crashes the process is dropped after three tries alone, and no other update with it", async () => {
  const { inbox, startRun } = openRuns();
  await inbox.receive([KILLER, 2, 3].map((id) => updateOf(id)));
  for (let start = 0; start < 2; start += 1) expect(await startRun().supply()).toEqual([KILLER, 2, 3]);

  // It ends the process a moment after it was begun: until then nobody else is taken up, however often asked.
  for (let start = 0; start < 3; start += 1) {
    const alone = startRun();
    expect(await alone.supply()).toEqual([KILLER]);
    for (let turn = 0; turn < 3; turn += 1) {
      const [fresh = 0] = await alone.supply();
      expect(fresh).toBeGreaterThan(FRESH);
      await alone.inbox.finish(fresh);
    }
  }

  const last = startRun();
  const begun: number[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const ids = await last.supply();
    begun.push(...ids.filter((id) => id < FRESH));
    await Promise.all(ids.map((id) => last.inbox.finish(id)));
  }
  expect(begun).toEqual([2, 3]);
  expect(last.inbox.isPending(KILLER)).toBe(false);
});

test("an idle bot polls as soon as its first poll could be answered, and again after a fault", async () => {
  const { database, clock } = openBotWorld();
  const heard: boolean[] = [];
  const timeouts: number[] = [];
  const { signal } = new AbortController();
  const impatient = (_delayMs: number, fire: () => void) => {
    setImmediate(fire);
    return () => {};
  };
  const answers = [[], [], new Error("502"), [], [updateOf(FRESH)]];
  const getUpdates = async ({ timeout }: { timeout: number }) => {
    timeouts.push(timeout);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const inbox = new Inbox(database, clock);
  const source = sourceOver(getUpdates, {
    inbox,
    clock: { ...clock, after: impatient },
    onPolling: (isPolling) => heard.push(isPolling),
  });
  for (let turn = 0; turn < 4; turn += 1) await source.supply(100, signal as never);
  expect(timeouts).toEqual([0, 30, 30, 0, 30]);
  expect(heard).toEqual([true, true, false, true, true]);
});

test("two pollers with one token back off further each time", async () => {
  const { database, clock } = openBotWorld();
  const pauses: number[] = [];
  const { signal } = new AbortController();
  let polls = 0;
  // The other one ends each poll that waits, and lets those through that do not.
  const getUpdates = async ({ timeout }: { timeout: number }) => {
    polls += 1;
    if (timeout > 0) throw new Error("409: Conflict");
    return [];
  };
  const patient = (delayMs: number, fire: () => void) => {
    pauses.push(delayMs);
    setImmediate(fire);
    return () => {};
  };
  const inbox = new Inbox(database, clock);
  const source = sourceOver(getUpdates, { inbox, clock: { ...clock, after: patient } });
  while (polls < 20) await source.supply(100, signal as never);
  expect(Math.max(...pauses)).toBeGreaterThan(5000);
});

test("a bot counts as not polling for a minute after another poller was noticed", async () => {
  const { database, clock } = openBotWorld();
  const { signal } = new AbortController();
  const heard: boolean[] = [];
  const conflict = refusal(409, "Conflict: terminated by other getUpdates request");
  const answers: (Error | Update[])[] = [[], conflict, [], []];
  const getUpdates = async () => {
    const answer = answers.shift() ?? [];
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const inbox = new Inbox(database, clock);
  const source = sourceOver(getUpdates, { inbox, clock, onPolling: (isPolling) => heard.push(isPolling) });
  await source.supply(100, signal as never);
  const next = source.supply(100, signal as never);
  await clock.advance(1000);
  await next;
  await source.supply(100, signal as never);
  expect(heard).toEqual([true, false, false, false]);
  await clock.advance(58_999);
  expect(heard).toHaveLength(4);
  await clock.advance(1);
  expect(heard.at(-1)).toBe(true);
});

test("the next suspect starts when the previous one ends, while polling continues", async () => {
  const { inbox, polls, startRun, holdPolls } = openRuns();
  await inbox.receive([2, 3, 4].map((id) => updateOf(id)));
  for (let start = 0; start < 2; start += 1) await startRun().supply();
  const answerPoll = holdPolls();
  const run = startRun();
  expect(await run.supply()).toEqual([2]);
  for (const suspect of [2, 3]) {
    const next = run.supplied();
    await run.inbox.finish(suspect);
    expect(await next).toEqual([suspect + 1]);
  }
  const next = run.supplied();
  answerPoll();
  expect(await next).toEqual([FRESH + 1]);
  expect(polls).toEqual([0]);
});

test("the end of the run aborts a poll that an earlier call started", async () => {
  const { inbox, startRun, holdPolls } = openRuns();
  await inbox.receive([2, 3].map((id) => updateOf(id)));
  for (let start = 0; start < 2; start += 1) await startRun().supply();
  holdPolls();
  const run = startRun();
  expect(await run.supply()).toEqual([2]);
  const supplied = run.supplied();
  await run.inbox.finish(2);
  expect(await supplied).toEqual([3]);
  await run.inbox.finish(3);
  const end = new AbortController();
  const last = run.supply(end.signal);
  end.abort();
  await expect(last).rejects.toThrow("poll aborted");
});

/** A source on polls that end as the test says: with updates or with a fault. */
function openSource(failPoint?: FailPoint) {
  const { database, clock } = openBotWorld(failPoint);
  const inbox = new Inbox(database, clock);
  const outcomes: (number[] | Error | Promise<number[]>)[] = [];
  const offsets: number[] = [];
  const states: boolean[] = [];
  const getUpdates = async ({ offset }: { offset: number }) => {
    offsets.push(offset);
    const outcome = (await outcomes.shift()) ?? [];
    if (outcome instanceof Error) throw outcome;
    return outcome.map((one) => (typeof one === "number" ? updateOf(one) : one));
  };
  const onPolling = (isPolling: boolean) => states.push(isPolling);
  const ending = new AbortController();
  const restart = () => {
    const source = sourceOver(getUpdates, { inbox, clock, onPolling });
    return { supply: () => suppliedIds(source, ending.signal) };
  };
  const polled = (times: number) => eventually(`${times} polls`, () => offsets.length === times);
  return { clock, inbox, outcomes, offsets, states, ending, polled, ...restart(), restart };
}

test("an offset is confirmed only after its batch is committed", async () => {
  let isBroken = true;
  const { clock, outcomes, offsets, supply, polled } = openSource((name) => {
    if (isBroken && isBeforeCommit(name, "inbox")) throw new Error("disk full");
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

test.each([
  ["null", null],
  ["no number", { message: { text: "x" } }],
  ["a number that is none", { update_id: "7" }],
  ["a broken number", { update_id: 7.5 }],
  ["a number beyond all", { update_id: 2 ** 60 }],
])("an update that is %s hides no other of its batch", async (_name, odd) => {
  const { outcomes, offsets, supply } = openSource();
  outcomes.push([5, odd as never, 6, odd as never]);
  expect(await supply()).toEqual([5, 6]);
  await supply();
  expect(offsets).toEqual([0, 7]);
});

test("a batch of which nothing can be read is a fault, and not asked for without end", async () => {
  const { clock, outcomes, offsets, states, supply, polled } = openSource();
  outcomes.push([null as never], [null as never], [5]);
  const supplied = supply();
  await polled(1);
  await turnOfEvents();
  expect([offsets.length, states.at(-1)]).toEqual([1, false]);
  await clock.advance(200);
  await polled(2);
  await clock.advance(400);
  expect(await supplied).toEqual([5]);
});

test("a fault is waited out for as long as Telegram asks, and reported until polling works again", async () => {
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

test("a stop aborts the poll, and no other follows", async () => {
  const { clock, outcomes, offsets, states, ending, supply } = openSource();
  outcomes.push(brokenConnection());
  ending.abort();
  await expect(supply()).rejects.toThrow();
  await clock.advance(60_000);
  expect([offsets.length, states]).toEqual([1, []]);
});
