import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { Inbox } from "../../../src/bot/inbox/inbox.js";
import { UpdateProcessor } from "../../../src/bot/inbox/update-processor.js";
import type { Clock } from "../../../src/platform/clock.js";
import { type BotWorld, brokenConnection, openBotWorld, refusal } from "../../support/bot-world.js";
import { isBeforeCommit } from "../../support/commit-points.js";
import { eventually } from "../../support/eventually.js";
import { sourceOver, suppliedIds, updateOf } from "../../support/inbox-source.js";
import { silentLogger } from "../../support/log.js";
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
    clock,
    inbox: new Inbox(database, clock),
    /** Suspects end as `handle` does. */
    startRun(handle: () => Promise<void> = () => new Promise(() => {})) {
      const inbox = new Inbox(database, clock);
      const begun: number[] = [];
      const handling = new UpdateProcessor({
        pass({ update_id }) {
          begun.push(update_id);
          return handle();
        },
        isKept: () => false,
        onDropped() {},
        inbox,
        clock,
        logger: silentLogger(),
        stopping: new AbortController().signal,
      });
      const onSuspects = (suspects: readonly number[], before: readonly number[]) =>
        void handling.startSuspects(suspects, before);
      const source = sourceOver(getUpdates, { inbox, clock, onSuspects });
      const supply = (signal?: AbortSignal) => suppliedIds(source, signal);
      const begins = (ids: number[]) => eventually(`${ids} begin`, () => isDeepStrictEqual(begun, ids));
      return { inbox, handling, begun, begins, supply };
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
    for (let turn = 0; turn < 3; turn += 1) {
      const [fresh = 0] = await alone.supply();
      expect(fresh).toBeGreaterThan(FRESH);
      await alone.begins([KILLER]);
      await alone.inbox.finish(fresh);
    }
    expect(alone.begun).toEqual([KILLER]);
  }

  const last = startRun(async () => {});
  await last.inbox.finish((await last.supply())[0] ?? 0);
  await last.begins([2, 3]);
  expect(last.inbox.isPending(KILLER)).toBe(false);
});

interface SourceTerms {
  world?: Pick<BotWorld, "database" | "clock">;
  after?: Clock["after"];
}

/** A source on polls that end as the test says: with updates or with a fault. */
function openSource({ world = openBotWorld(), after = world.clock.after }: SourceTerms = {}) {
  const { database, clock } = world;
  const outcomes: ((number | object)[] | Error)[] = [];
  const polls: { offset: number; timeout: number }[] = [];
  const states: boolean[] = [];
  const getUpdates = async (poll: { offset: number; timeout: number }) => {
    polls.push(poll);
    const outcome = outcomes.shift() ?? [];
    if (outcome instanceof Error) throw outcome;
    return outcome.map((one) => (typeof one === "number" ? updateOf(one) : one));
  };
  const source = sourceOver(getUpdates, {
    inbox: new Inbox(database, clock),
    clock: { ...clock, after },
    onPolling: (isPolling) => states.push(isPolling),
  });
  const supply = () => suppliedIds(source);
  const polled = (times: number) => eventually(`${times} polls`, () => polls.length === times);
  const offsets = () => polls.map(({ offset }) => offset);
  return { clock, outcomes, polls, offsets, states, supply, polled };
}

/** No pause is waited for; each is told. */
const atOnce =
  (told: number[] = []): Clock["after"] =>
  (delayMs, fire) => {
    told.push(delayMs);
    setImmediate(fire);
    return () => {};
  };

test("an idle bot polls as soon as its first poll could be answered, and again after a fault", async () => {
  const { outcomes, polls, states, supply } = openSource({ after: atOnce() });
  outcomes.push([], [], new Error("502"), [], [FRESH]);
  for (let turn = 0; turn < 4; turn += 1) await supply();
  expect(polls.map(({ timeout }) => timeout)).toEqual([0, 30, 30, 0, 30]);
  expect(states).toEqual([true, true, false, true, true]);
});

test("two pollers with one token back off further each time", async () => {
  const pauses: number[] = [];
  const { outcomes, polls, supply } = openSource({ after: atOnce(pauses) });
  // The other one ends each poll that waits, and lets those through that do not.
  outcomes.shift = () => (polls.at(-1)?.timeout === 0 ? [] : new Error("409: Conflict"));
  while (polls.length < 20) await supply();
  expect(Math.max(...pauses)).toBeGreaterThan(5000);
});

test("a bot counts as not polling for a minute after another poller was noticed", async () => {
  const { clock, outcomes, states, supply } = openSource();
  outcomes.push([], refusal(409, "Conflict: terminated by other getUpdates request"));
  await supply();
  const next = supply();
  await clock.advance(1000);
  await next;
  await supply();
  expect(states).toEqual([true, false, false, false]);
  await clock.advance(58_999);
  expect(states).toHaveLength(4);
  await clock.advance(1);
  expect(states.at(-1)).toBe(true);
});

test("the next suspect starts when the previous one ends, while polling continues", async () => {
  const { inbox, clock, polls, startRun, holdPolls } = openRuns();
  await inbox.receive([2, 3, 4].map((id) => updateOf(id)));
  for (let start = 0; start < 2; start += 1) await startRun().supply();
  const answerPoll = holdPolls();
  const run = startRun();
  const polled = run.supply();
  await run.begins([2]);
  await run.inbox.finish(2);
  await run.begins([2, 3]);
  answerPoll();
  expect(await polled).toEqual([FRESH + 1]);
  expect(polls).toEqual([0]);
  const drained = run.handling.drain();
  await clock.advance(5000);
  await drained;
  await run.inbox.finish(3);
  await turnOfEvents();
  expect(run.begun, "none begins during a stop").toEqual([2, 3]);
});

test("the end of the run aborts the poll", async () => {
  const { startRun, holdPolls } = openRuns();
  holdPolls();
  const end = new AbortController();
  const polled = startRun().supply(end.signal);
  await turnOfEvents();
  end.abort();
  await expect(polled).rejects.toThrow("poll aborted");
});

test("an offset is confirmed only after its batch is committed", async () => {
  let isFull = true;
  const world = openBotWorld((name) => {
    if (isFull && isBeforeCommit(name, "inbox")) throw new Error("disk full");
  });
  const { clock, outcomes, offsets, supply, polled } = openSource({ world });
  outcomes.push([5, 6], [5, 6]);
  const supplied = supply();
  await polled(1);
  await turnOfEvents();
  isFull = false;
  await clock.advance(200);
  expect(await supplied).toEqual([5, 6]);
  await supply();
  expect(offsets()).toEqual([0, 0, 7]);
});

test.each([
  ["null", null],
  ["no number", { message: { text: "x" } }],
  ["a broken number", { update_id: 7.5 }],
  ["a number beyond all", { update_id: 2 ** 60 }],
])("an update that is %s hides no other of its batch", async (_name, odd) => {
  const { outcomes, offsets, supply } = openSource();
  outcomes.push([5, odd as object, 6, odd as object]);
  expect(await supply()).toEqual([5, 6]);
  await supply();
  expect(offsets()).toEqual([0, 7]);
});

test("a batch of which nothing can be read is a fault, and not asked for without end", async () => {
  const { clock, outcomes, polls, states, supply, polled } = openSource();
  outcomes.push([null as never], [null as never], [5]);
  const supplied = supply();
  await polled(1);
  await turnOfEvents();
  expect([polls.length, states.at(-1)]).toEqual([1, false]);
  await clock.advance(200);
  await polled(2);
  await clock.advance(400);
  expect(await supplied).toEqual([5]);
});

test("a fault is waited out for as long as Telegram asks, and reported until polling works again", async () => {
  const { clock, outcomes, polls, states, supply, polled } = openSource();
  outcomes.push(refusal(429, "Too Many Requests", { retry_after: 3 }), brokenConnection(), [5]);
  const supplied = supply();
  await polled(1);
  await clock.advance(2999);
  expect([polls.length, states]).toEqual([1, [false]]);
  await clock.advance(1);
  await polled(2);
  await clock.advance(400);
  expect(await supplied).toEqual([5]);
  expect(states).toEqual([false, false, true]);
});
