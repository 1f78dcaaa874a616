import { describe, expect, onTestFinished, test } from "vitest";
import { sleep } from "../../src/platform/clock.js";
import {
  Poller,
  type PollResult,
  type PollRow,
  type PollStore,
  pollPauseMs,
} from "../../src/platform/poller.js";
import fc from "../support/fast-check.js";
import { silentLogger } from "../support/log.js";
import { createManualClock } from "../support/manual-clock.js";

const FIRST_PAUSE_MS = 5000;
const CAP = 64;
const LATENCY_MS = 30;
const HOUR_MS = 3_600_000;

/** Of rows that the clock has left in the future. */
const PAUSE_MAX_MS = 30_000;

/** Rows in memory. Those of one due time keep their order. */
class PollRows implements PollStore<PollRow> {
  readonly rows = new Map<string, PollRow>();
  /** How many rows were read. */
  reads = 0;
  /** Rejects the next writes. */
  failingWrites = 0;

  add(row: PollRow): void {
    this.rows.delete(row.id);
    this.rows.set(row.id, row);
  }

  remove(id: string): void {
    this.rows.delete(id);
  }

  due(now: number, limit: number): PollRow[] {
    const due = [...this.rows.values()].filter(({ dueAt }) => dueAt <= now);
    const first = due.sort((one, other) => one.dueAt - other.dueAt).slice(0, limit);
    this.reads += first.length;
    return first;
  }

  nextDueAfter(now: number): number | undefined {
    let next: number | undefined;
    for (const { dueAt } of this.rows.values()) if (dueAt > now && dueAt < (next ?? dueAt + 1)) next = dueAt;
    return next;
  }

  async postpone(id: string, dueAt: number): Promise<void> {
    if (this.failingWrites > 0) {
      this.failingWrites -= 1;
      throw new Error("disk full");
    }
    const row = this.rows.get(id);
    if (row) this.add({ ...row, dueAt });
  }

  async rewind(now: number): Promise<void> {
    for (const row of [...this.rows.values()]) {
      if (row.since <= now && row.dueAt <= now + PAUSE_MAX_MS) continue;
      this.add({
        ...row,
        since: Math.min(row.since, now),
        dueAt: Math.min(row.dueAt, now + PAUSE_MAX_MS),
      });
    }
  }
}

type Host = (row: PollRow, signal: AbortSignal) => Promise<PollResult>;

/** A repeatable series of numbers from 0 to 1. */
function series(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function openWorld() {
  const clock = createManualClock();
  const rows = new PollRows();
  const random = series();
  const facts: { kind: PollResult["kind"]; latenessMs: number }[] = [];
  /** When polls were begun, and at what. */
  const polls: { at: number; id: string }[] = [];
  let inFlightMax = 0;
  let inFlight = 0;
  const world = {
    clock,
    rows,
    random,
    facts,
    polls,
    host: (async () => {
      await sleep(clock, LATENCY_MS);
      return { kind: "open" };
    }) as Host,
    get inFlightMax() {
      return inFlightMax;
    },
    add: (id: string, dueInMs = 0, ageMs = 0) =>
      rows.add({ id, since: clock.now() - ageMs, dueAt: clock.now() + dueInMs }),
    open(): Poller<PollRow> {
      const poller = new Poller<PollRow>({
        store: rows,
        async poll(row, signal) {
          polls.push({ at: clock.now(), id: row.id });
          inFlight += 1;
          inFlightMax = Math.max(inFlightMax, inFlight);
          try {
            return await world.host(row, signal);
          } finally {
            inFlight -= 1;
          }
        },
        clock,
        logger: silentLogger(),
        inFlightMax: CAP,
        firstPauseMs: FIRST_PAUSE_MS,
        random,
        stats: { note: (kind, latenessMs) => facts.push({ kind, latenessMs }) },
      });
      // The clock stands still by then: nothing that waits for it ends.
      onTestFinished(() => void poller.close(0));
      poller.wake();
      return poller;
    },
    seen: (from: number) => new Set(polls.filter(({ at }) => at >= from).map(({ id }) => id)),
    pollsAt: (id: string) => polls.filter((poll) => poll.id === id).map(({ at }) => at),
  };
  return world;
}

/** 20 000 rows of up to an hour, whose due times are spread over half a minute. */
function openCrowd() {
  const world = openWorld();
  for (let n = 0; n < 20_000; n += 1) {
    world.add(`${n}`, Math.round(world.random() * 30_000), HOUR_MS);
  }
  return world;
}

function p99(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? 0;
}

test("20 000 rows are each polled every half minute, on time, and never scanned", async () => {
  const world = openCrowd();
  const poller = world.open();
  await world.clock.advance(60_000);
  expect(world.seen(world.clock.now() - 30_500).size).toBe(20_000);
  expect(p99(world.facts.map(({ latenessMs }) => latenessMs))).toBeLessThan(200);
  expect(world.inFlightMax).toBeLessThanOrEqual(CAP);
  // Rows in flight are read again with the due ones.
  expect(world.rows.reads).toBeLessThan(world.polls.length * 5);
  await poller.close(1000);
}, 60_000);

test("an outage gets one request a second; afterwards all rows are polled within 30 s, never above the cap", async () => {
  const world = openCrowd();
  const answering = world.host;
  world.open();
  await world.clock.advance(20_000);
  const from = world.polls.length;
  let knownFrom: number | undefined;
  world.host = async () => {
    await Promise.resolve();
    knownFrom ??= world.polls.length;
    return { kind: "failed" };
  };
  await world.clock.advance(60_000);
  // Only what was begun in the moment of the first failure comes on top.
  const known = world.polls.slice(knownFrom);
  expect(known.length).toBeLessThanOrEqual(60);
  expect(known.length).toBeGreaterThanOrEqual(55);
  expect(world.polls.length - from).toBeLessThanOrEqual(60 + CAP);
  world.host = answering;
  const end = world.clock.now();
  await world.clock.advance(30_000);
  expect(world.seen(end).size).toBe(20_000);
  expect(world.inFlightMax).toBeLessThanOrEqual(CAP);
}, 60_000);

test("a 429 pauses the host for the requested time, and the rate recovers step by step", async () => {
  const world = openWorld();
  for (let n = 0; n < 500; n += 1) world.add(`${n}`);
  let isThrottled = true;
  world.host = async () => {
    await sleep(world.clock, 1000);
    return isThrottled ? { kind: "throttled", retryAfterMs: 7000 } : { kind: "open" };
  };
  world.open();
  await world.clock.advance(1000);
  expect(world.polls).toHaveLength(1);
  await world.clock.advance(6999);
  expect(world.polls).toHaveLength(1);
  isThrottled = false;
  const started: number[] = [];
  for (let second = 0; second < 6; second += 1) {
    const before = world.polls.length;
    await world.clock.advance(1000);
    started.push(world.polls.length - before);
  }
  // After a throttled first request the limit grows by about one a round.
  expect(started[0]).toBeLessThanOrEqual(3);
  for (const [second, count] of started.entries()) expect(count).toBeLessThanOrEqual(second + 4);
  expect(started.at(-1)).toBeGreaterThan(started[0] ?? 0);
});

test("429s without Retry-After are retried after growing pauses", async () => {
  const world = openWorld();
  for (let n = 0; n < 50; n += 1) world.add(`${n}`);
  world.host = async () => ({ kind: "throttled" });
  world.open();
  await world.clock.advance(120_000);
  expect(world.polls.length).toBeLessThan(12);
  const gaps = world.polls.slice(1).map(({ at }, place) => at - (world.polls[place]?.at ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(500);
  expect(Math.max(...gaps)).toBeGreaterThan(15_000);
});

test("a slow, a broken and a throwing row delay no other", async () => {
  const world = openWorld();
  const { host } = world;
  for (let n = 0; n < 200; n += 1) world.add(`${n}`, n * 20, HOUR_MS);
  for (const id of ["slow", "broken", "throwing"]) world.add(id, 0, HOUR_MS);
  world.host = async (row, signal) => {
    if (row.id === "throwing") throw new Error("unreadable row");
    if (row.id === "slow") await sleep(world.clock, 20_000, signal);
    if (row.id === "slow" || row.id === "broken") return { kind: "failed" };
    return host(row, signal);
  };
  world.open();
  // Until then it is not known which rows are the bad ones.
  await world.clock.advance(10_000);
  world.facts.length = 0;
  await world.clock.advance(290_000);
  const others = world.facts.filter(({ kind }) => kind === "open").map(({ latenessMs }) => latenessMs);
  expect(others.length).toBeGreaterThan(200 * 9);
  expect(p99(others)).toBeLessThanOrEqual(1100);
  const failing = world.pollsAt("broken").length;
  expect(failing).toBeGreaterThan(15);
  expect(failing).toBeLessThan(45);
  expect(world.pollsAt("throwing").length).toBeGreaterThan(15);
}, 60_000);

test("an ended row is not polled again, and a new one is polled when due", async () => {
  const world = openWorld();
  world.add("old");
  world.host = async ({ id }) => {
    world.rows.remove(id);
    return { kind: "ended" };
  };
  const poller = world.open();
  await world.clock.advance(60_000);
  world.add("new", 1000);
  poller.wake();
  await world.clock.advance(60_000);
  expect(world.polls.map(({ id }) => id)).toEqual(["old", "new"]);
  expect(world.clock.pending).toBe(0);
});

test("polling of a row continues after a failed write and a failed read", async () => {
  const world = openWorld();
  world.add("a");
  world.rows.failingWrites = 2;
  const read = world.rows.due.bind(world.rows);
  let failingReads = 2;
  world.rows.due = (now, limit) => {
    failingReads -= 1;
    if (failingReads >= 0) throw new Error("SQLITE_IOERR");
    return read(now, limit);
  };
  world.open();
  await world.clock.advance(30_000);
  expect(world.polls.length).toBeGreaterThanOrEqual(4);
});

test("polling continues after a restart, with the same due times", async () => {
  const world = openCrowd();
  const first = world.open();
  await world.clock.advance(15_000);
  const closed = first.close(1000);
  await world.clock.advance(1000);
  await closed;
  const due = new Map([...world.rows.rows].map(([id, { dueAt }]) => [id, dueAt]));
  const before = world.polls.length;
  await world.clock.advance(5000);
  expect(world.polls).toHaveLength(before);
  world.open();
  const restart = world.clock.now();
  await world.clock.advance(31_000);
  expect(world.seen(restart).size).toBe(20_000);
  const early = world.polls.slice(before, before + 20_000).filter(({ at, id }) => at < (due.get(id) ?? 0));
  expect(early).toEqual([]);
}, 60_000);

test("closing aborts requests in flight and waits for them until the deadline", async () => {
  const world = openWorld();
  world.add("polite");
  world.host = async (_row, signal) => {
    await sleep(world.clock, 20_000, signal);
    return { kind: "failed" };
  };
  const polite = world.open();
  await world.clock.advance(100);
  const due = world.rows.rows.get("polite")?.dueAt;
  await polite.close(3000);
  expect(world.rows.rows.get("polite")?.dueAt).toBe(due);

  world.host = () => new Promise(() => {});
  const deaf = world.open();
  await world.clock.advance(100);
  let isClosed = false;
  const closed = deaf.close(3000).then(() => {
    isClosed = true;
  });
  await world.clock.advance(2999);
  expect(isClosed).toBe(false);
  await world.clock.advance(1);
  await closed;
});

test("for any responses, no row is polled twice at once or forgotten, and the cap holds", async () => {
  const kinds = fc.constantFrom<PollResult["kind"]>("open", "open", "open", "ended", "throttled", "failed");
  const answer = fc.record({
    kind: kinds,
    afterMs: fc.nat(20_000),
    latencyMs: fc.nat(3000),
    throws: fc.nat(9),
  });
  const property = fc.asyncProperty(
    fc.array(answer, { minLength: 20, maxLength: 200 }),
    fc.integer({ min: 1, max: 150 }),
    async (answers, count) => {
      const world = openWorld();
      for (let n = 0; n < count; n += 1) world.add(`${n}`, n * 10);
      const inFlight = new Set<string>();
      let turn = 0;
      world.host = async ({ id }) => {
        const given = answers[turn];
        turn += 1;
        expect(inFlight.has(id)).toBe(false);
        inFlight.add(id);
        await sleep(world.clock, given?.latencyMs ?? 10);
        inFlight.delete(id);
        if (!given) return { kind: "open" };
        if (given.throws === 0) throw new Error("broken");
        if (given.kind === "ended") world.rows.remove(id);
        if (given.kind === "open") return { kind: "open", afterMs: given.afterMs };
        return { kind: given.kind };
      };
      const poller = world.open();
      await world.clock.advance(600_000);
      const recent = world.seen(world.clock.now() - 90_000);
      expect([...world.rows.rows.keys()].filter((id) => !recent.has(id))).toEqual([]);
      expect(world.inFlightMax).toBeLessThanOrEqual(CAP);
      void poller.close(0);
    },
  );
  await fc.assert(property, { numRuns: 15 });
}, 120_000);

test("many polls in flight may each listen for the stop, without a warning of Node", async () => {
  const world = openWorld();
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on("warning", note);
  onTestFinished(() => void process.off("warning", note));
  world.host = async (_row, signal) => {
    signal.addEventListener("abort", () => {}, { once: true });
    await sleep(world.clock, LATENCY_MS);
    return { kind: "open" };
  };
  for (let id = 0; id < 200; id += 1) world.add(String(id));
  world.open().wake();
  await world.clock.advance(2000);
  expect(world.inFlightMax).toBeGreaterThan(20);
  expect(warnings).toEqual([]);
});

test("rows that cannot be corrected delay no others, and are tried again", async () => {
  const world = openWorld();
  world.add("future", HOUR_MS);
  world.add("due");
  const rewind = world.rows.rewind.bind(world.rows);
  let failures = 2;
  world.rows.rewind = async (now) => {
    failures -= 1;
    if (failures >= 0) throw new Error("disk full");
    await rewind(now);
  };
  world.open();
  await world.clock.advance(500);
  expect(world.pollsAt("due")).toHaveLength(1);
  await world.clock.advance(PAUSE_MAX_MS + 10_000);
  expect(world.pollsAt("future").length).toBeGreaterThan(0);
});

test("a row that becomes due while the due ones are read is asked about", async () => {
  const world = openWorld();
  const due = world.rows.due.bind(world.rows);
  world.rows.due = (now, limit) => {
    const read = due(now, limit);
    // The wall clock ticks during the read.
    if (world.polls.length === 0) world.clock.step(1);
    return read;
  };
  world.add("1", 1);
  world.open();
  await world.clock.advance(1000);
  expect(world.pollsAt("1")).toHaveLength(1);
});

describe("a wake is not lost where the rows were read at the same moment", () => {
  /** A poll that lasts until rows may be read again, and is followed by a read at its end. */
  const LONG_MS = 60;

  test("and a row in flight is due again at once", async () => {
    const world = openWorld();
    world.add("1");
    const poller = world.open();
    world.host = async () => {
      if (world.polls.length > 1) return { kind: "ended" };
      await sleep(world.clock, LONG_MS);
      poller.wake();
      return { kind: "open", afterMs: 0 };
    };
    await world.clock.advance(1000);
    expect(world.pollsAt("1")).toHaveLength(2);
  });

  test("and another row, due since then, is written after it", async () => {
    const world = openWorld();
    world.add("1");
    world.add("hurried", HOUR_MS);
    const poller = world.open();
    world.host = async ({ id }) => {
      if (id === "hurried") return { kind: "ended" };
      await sleep(world.clock, LONG_MS);
      poller.wake();
      void hurry(world.clock.now());
      return { kind: "open" };
    };
    async function hurry(dueAt: number): Promise<void> {
      // Until the poll has ended.
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      await world.rows.postpone("hurried", dueAt);
      poller.wake();
    }
    await world.clock.advance(1000);
    expect(world.pollsAt("hurried").length).toBeGreaterThan(0);
  });
});

test.each([
  ["new", 0, 5_000],
  ["a minute old", 60_000, 6_000],
  ["five minutes old", 300_000, 30_000],
  ["an hour old", HOUR_MS, 30_000],
  ["a day old", 24 * HOUR_MS, 120_000],
  ["a month old", 720 * HOUR_MS, 900_000],
])("a row that is %s waits", (_name, ageMs, expected) => {
  expect(pollPauseMs(ageMs, 5_000, () => 0)).toBe(expected);
});

test("jitter shortens a pause by at most a fifth, and a long first pause is kept", () => {
  const property = fc.property(
    fc.nat(1000 * HOUR_MS),
    fc.integer({ min: 100, max: 60_000 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
    (ageMs, firstMs, random) => {
      const full = pollPauseMs(ageMs, firstMs, () => 0);
      const pauseMs = pollPauseMs(ageMs, firstMs, () => random);
      expect(full).toBeGreaterThanOrEqual(firstMs);
      expect(pauseMs).toBeLessThanOrEqual(full);
      expect(pauseMs).toBeGreaterThanOrEqual(Math.floor(full * 0.8));
    },
  );
  fc.assert(property);
});
