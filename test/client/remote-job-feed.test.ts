import { describe, expect, onTestFinished, test } from "vitest";
import type { User } from "../../src/accounts/account-store.js";
import { RemoteJobFeed, RemoteJobStore } from "../../src/client/remote-jobs.js";
import { ContractError } from "../../src/contract/errors.js";
import type { Job, JobId } from "../../src/contract/job.js";
import { CallFailedError } from "../../src/generation-api/answers.js";
import { integer } from "../../src/platform/integer.js";
import { PollStats } from "../../src/platform/poller.js";
import type { GatewayJob } from "../../src/ports/gateway.js";
import { eventually } from "../support/eventually.js";
import { recordingLogger } from "../support/log.js";
import { createManualClock } from "../support/manual-clock.js";
import { openDatabase } from "../support/test-database.js";

const ANN = { id: 7, name: "Ann" };
/** Has an account of his own. */
const BEN = { id: 8, name: "Ben" };
const MINUTE_MS = 60_000;

function jobOf(id: JobId, change: Partial<Job> = {}): Job {
  return {
    job_id: id,
    type: "image",
    status: "generating",
    model: null,
    model_title: null,
    cost_rub: 10,
    result: null,
    error: null,
    created_at: null,
    ...change,
  };
}
const done = (id: JobId) => jobOf(id, { status: "done", result: { url: "https://a.example/1", mime: null } });

const unknown = (): never => {
  throw new ContractError("job_not_found");
};

/** A feed on a real database, a clock that stands still, and a service that answers as `answers` says. */
function openFeed() {
  const clock = createManualClock();
  const { logger, lines } = recordingLogger("debug");
  const database = openDatabase();
  const jobs = new RemoteJobStore(database);
  const answers = new Map<JobId, () => Job>();
  const polls: JobId[] = [];
  const askedBy: User[] = [];
  const make = (pauseOfRefused?: () => number | undefined) =>
    new RemoteJobFeed({
      jobs,
      accounts: {
        ...(pauseOfRefused && { pauseOfRefused }),
        accountOf: ({ user }) => (user === BEN ? 2 : undefined),
        async readJob({ user }, id) {
          polls.push(id);
          askedBy.push(user);
          return (answers.get(id) ?? (() => jobOf(id)))();
        },
      },
      clock,
      logger,
      firstPauseMs: 5000,
      stats: new PollStats(),
    });
  const told: GatewayJob["status"][][] = [];
  const world = {
    clock,
    jobs,
    answers,
    polls,
    askedBy,
    lines,
    told,
    feed: make(),
    make,
    seen: [] as readonly GatewayJob[],
    /** The looks at the job 1 end with these faults, and then find it done. */
    failFirst(...faults: Error[]) {
      answers.set(1, () => {
        const fault = faults.shift();
        if (fault) throw fault;
        return done(1);
      });
    },
    /** What the listener does with what it is told. */
    take: async () => {},
    watch(ids: readonly JobId[]) {
      return world.feed.watch({ id: ids.join(), user: ANN, jobIds: ids }, async (given) => {
        told.push(given.map(({ status }) => status));
        world.seen = given;
        await world.take();
      });
    },
    async restart() {
      await world.feed.close(0);
      world.feed = make();
    },
    /** Moves time on until `isSo`, a minute at most. */
    async until(what: string, isSo: () => boolean, stepMs = 5000) {
      await eventually(what, async () => {
        if (!isSo()) await clock.advance(stepMs);
        return isSo();
      });
    },
  };
  onTestFinished(() => world.feed.close(0));
  return world;
}

test("the listener is told of all jobs together, once each was seen, and nothing is asked afterwards", async () => {
  const world = openFeed();
  world.answers.set(1, () => done(1));
  world.watch([1, 2]);
  await world.until("both were seen", () => world.told.length > 0);
  expect(world.told[0]).toEqual(["done", "generating"]);
  world.answers.set(2, () => jobOf(2, { status: "error", refunded: true }));
  await world.until("both have ended", () => world.told.at(-1)?.join() === "done,error");
  expect(world.seen[1]).toMatchObject({ refund: "made" });
  await world.until("no row is left", () => world.jobs.open() === 0, 0);
  const { length } = world.polls;
  await world.clock.advance(MINUTE_MS);
  expect(world.polls).toHaveLength(length);
});

test("a refund is claimed only where the service says so", async () => {
  const world = openFeed();
  world.answers.set(1, () => jobOf(1, { status: "error" }));
  world.watch([1]);
  await world.until("it has ended", () => world.told.length > 0);
  expect(world.seen[0]).toMatchObject({ status: "error", refund: "unknown" });
});

test("a job is followed after a restart, and a listener that fails is told again", async () => {
  const world = openFeed();
  world.watch([1]);
  await world.until("it was seen", () => world.told.length > 0);
  await world.restart();
  world.answers.set(1, () => done(1));
  let faults = 1;
  world.take = async () => {
    faults -= 1;
    if (faults >= 0) throw new Error("disk full");
  };
  world.watch([1]);
  await world.until(
    "it was told twice",
    () => world.told.filter((one) => one.join() === "done").length === 2,
  );
});

test("a finished job without a link counts as unfinished until it has one", async () => {
  const world = openFeed();
  world.answers.set(1, () => jobOf(1, { status: "done", result: { url: null, mime: null } }));
  world.watch([1]);
  await world.until("it was seen", () => world.told.length > 0);
  expect(world.told).toEqual([["generating"]]);
  world.answers.set(1, () => done(1));
  await world.until("it is done", () => world.told.at(-1)?.join() === "done");
});

test("a job that never gets a link ends after an hour, with a record", async () => {
  const world = openFeed();
  world.answers.set(1, () => jobOf(1, { status: "done", result: null }));
  world.watch([1]);
  await world.until("it is done", () => world.told.at(-1)?.join() === "done", MINUTE_MS);
  expect(world.lines).toContainEqual(
    expect.objectContaining({ msg: "a finished job has no link", job_id: 1 }),
  );
});

test("a known job is lost only after three answers over ten minutes, also across a restart", async () => {
  const world = openFeed();
  world.answers.set(1, unknown);
  world.watch([1]);
  await world.until("it was asked for", () => world.polls.length > 0);
  const since = world.clock.now();
  await eventually(
    "the answer is written",
    () => world.jobs.due(integer(Number.MAX_SAFE_INTEGER), 1)[0]?.not_found_count,
  );
  await world.restart();
  world.watch([1]);
  await world.until("it is lost", () => world.told.length > 0, 30_000);
  expect(world.clock.now() - since).toBeGreaterThanOrEqual(10 * MINUTE_MS);
  expect(world.polls.length).toBeGreaterThanOrEqual(3);
  expect(world.seen[0]).toMatchObject({ status: "error", refund: "unknown" });
  expect(world.jobs.isLost("0:1")).toBe(true);
});

test("a known job that the service did not know for a minute is told within seconds of its end, logged once", async () => {
  const world = openFeed();
  let isKnown = false;
  world.answers.set(1, () => (isKnown ? done(1) : unknown()));
  world.watch([1]);
  const since = world.clock.now();
  while (world.clock.now() - since < MINUTE_MS) {
    const known = world.polls.length;
    await world.until("it is asked for again", () => world.polls.length > known, 1000);
    await eventually("it is postponed", () => world.jobs.nextDueAfter(world.clock.now()) !== undefined);
  }
  expect(world.told).toEqual([]);
  expect(world.polls.length).toBeGreaterThanOrEqual(8);
  isKnown = true;
  const knownAgain = world.clock.now();
  await world.until("it is done", () => world.told.at(-1)?.join() === "done", 1000);
  expect(world.clock.now() - knownAgain).toBeLessThanOrEqual(30_000);
  const warned = world.lines.filter(({ msg }) => String(msg).includes("does not know an accepted job"));
  expect(warned).toMatchObject([{ job_id: 1 }]);
});

test("a job that was lost before a restart holds up no other job of its order after it", async () => {
  const world = openFeed();
  world.answers.set(1, unknown);
  world.watch([1, 2]);
  await world.until("the first is lost", () => world.jobs.isLost("0:1"), 30_000);
  await world.restart();
  world.told.length = 0;
  world.answers.set(2, () => done(2));
  world.watch([1, 2]);
  await world.until("both are told", () => world.told.length > 0);
  expect(world.told[0]).toEqual(["error", "done"]);
});

test("a service that is down or throttles ends nothing", async () => {
  const world = openFeed();
  world.failFirst(
    new CallFailedError({}),
    new CallFailedError({ status: 429 }),
    new ContractError("invalid_api_key"),
  );
  world.watch([1]);
  await world.until("it is done", () => world.told.length > 0);
  expect(world.told).toEqual([["done"]]);
});

test("a service that asks for a day's pause is asked again after a minute", async () => {
  const world = openFeed();
  world.failFirst(new CallFailedError({ status: 429, retryAfterMs: 86_400_000 }));
  world.watch([1]);
  await world.until("it was asked", () => world.polls.length > 0);
  await world.clock.advance(2 * MINUTE_MS);
  await world.until("it is done", () => world.told.length > 0, 0);
});

test("a row whose order has ended is dropped without a request", async () => {
  const world = openFeed();
  const unsubscribe = world.watch([1]);
  await eventually("the row is written", () => world.jobs.open() === 1);
  unsubscribe();
  await world.until("the row is gone", () => world.jobs.open() === 0);
  expect(world.polls).toEqual([]);
});

test("an order whose own key is refused waits apart, and goes on as soon as there is another key", async () => {
  const world = openFeed();
  world.feed = world.make(() => 10 * MINUTE_MS);
  world.answers.set(1, () => {
    throw new ContractError("invalid_api_key");
  });
  world.answers.set(2, () => done(2));
  world.watch([1]);
  await world.until("it was refused", () => world.polls.length > 0);
  world.watch([2]);
  const since = world.clock.now();
  await world.until("the other one is done", () => world.told.length > 0, 1000);
  expect(world.clock.now() - since).toBeLessThan(10_000);
  await world.clock.advance(5 * MINUTE_MS);
  expect(world.polls).toEqual([1, 2]);
  world.answers.set(1, () => done(1));
  await world.feed.pollNow(ANN.id);
  await world.until("it is done", () => world.told.length === 2, 100);
});

test("an order whose key was not renewed for too long ends, and is not asked for again", async () => {
  const world = openFeed();
  world.feed = world.make(() => undefined);
  world.answers.set(1, () => {
    throw new CallFailedError({ status: 401 });
  });
  world.watch([1]);
  await world.until("it has ended", () => world.told.length > 0);
  expect(world.seen[0]).toMatchObject({ status: "error", refund: "unknown" });
  expect(world.jobs.isLost("0:1")).toBe(true);
});

describe("one job id of two open orders", () => {
  /** What each of two listeners heard last. */
  function watchTwo(world: ReturnType<typeof openFeed>, second: User) {
    const heard: Record<string, string | undefined> = {};
    for (const [id, user] of Object.entries({ first: ANN, second }))
      world.feed.watch({ id, user, jobIds: [1] }, async ([job]) => {
        heard[id] = job?.status;
      });
    return heard;
  }

  test("is two jobs where the accounts differ, each asked for with its own key", async () => {
    const world = openFeed();
    const heard = watchTwo(world, BEN);
    await world.until("both were seen", () => Object.keys(heard).length === 2);
    expect(new Set(world.askedBy)).toEqual(new Set([ANN, BEN]));
    world.answers.set(1, () => done(1));
    await world.until("both have ended", () => heard.first === "done" && heard.second === "done");
    await world.until("no row is left", () => world.jobs.open() === 0, 0);
  });

  test("ends both where they share the account, also after one is followed no more", async () => {
    const world = openFeed();
    world.watch([1])();
    const heard = watchTwo(world, ANN);
    world.watch([1])();
    world.answers.set(1, () => done(1));
    await world.until("both have ended", () => heard.first === "done" && heard.second === "done");
  });
});

describe.each([-25, -1, 1, 25])("a clock that is set by %i h", (hours) => {
  const stepMs = hours * 60 * MINUTE_MS;

  test("delays no poll, in the running process and at a start", async () => {
    const world = openFeed();
    world.watch([1]);
    await world.until("it was asked for", () => world.polls.length > 0);
    world.clock.step(stepMs);
    const polls = world.polls.length;
    await world.until("it is asked for again", () => world.polls.length > polls, 100);
    await world.feed.close(0);
    world.clock.step(stepMs);
    await world.restart();
    world.answers.set(1, () => done(1));
    world.watch([1]);
    await world.until("it is done", () => world.told.at(-1)?.join() === "done", 100);
  });

  test("has no job given up that the service did not know for a moment", async () => {
    const world = openFeed();
    world.answers.set(1, unknown);
    world.watch([1]);
    await world.until("it was asked for", () => world.polls.length > 0);
    world.clock.step(stepMs);
    await world.clock.advance(9 * MINUTE_MS);
    expect(world.told).toEqual([]);
    await world.until("it is lost", () => world.told.length > 0, 30_000);
  });
});
