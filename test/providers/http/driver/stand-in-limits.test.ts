import { createUpstreams, type Timing } from "@atelier/upstream-stand-ins";
import { describe, expect, onTestFinished, test } from "vitest";
import type { GenerationRequest } from "../../../../src/contract/request.js";
import type { UpstreamAdapter } from "../../../../src/providers/adapter.js";
import { fal } from "../../../../src/providers/services/fal.js";
import { kie } from "../../../../src/providers/services/kie.js";
import { polza } from "../../../../src/providers/services/polza.js";
import { catalogue, quote } from "../../../support/core.js";
import { createManualClock } from "../../../support/manual-clock.js";
import { openWorld, type Running } from "./harness.js";

const PICTURE: GenerationRequest = { type: "image", model_key: "grok-imagine", prompt: "a fox" };
const VIDEO: GenerationRequest = { type: "video", model_key: "kling-2-5-turbo", prompt: "a fox" };
const STEP_MS = 500;
const SOON: Timing = { queueMs: 2000, runMs: 6000 };
const NEVER: Timing = { queueMs: 1000, runMs: 24 * 3_600_000 };

/** A service as the catalogue has it, in front of its stand-in: both by a clock that the test moves. */
async function openStandIn(adapter: UpstreamAdapter, timing: Timing) {
  const clock = createManualClock();
  const stand = await createUpstreams({ clock, timing });
  onTestFinished(() => stand.close());
  const settings = catalogue.services[adapter.name];
  if (!settings) throw new Error(adapter.name);
  const mappings = new Map(
    catalogue.entries.map(({ model_key, mappings }) => [model_key, mappings[adapter.name]]),
  );
  const world = await openWorld(
    { root: new URL(stand.url) },
    { adapter, clock, settings, mappingsOf: (modelKey) => mappings.get(modelKey) ?? [] },
  );
  const run = (job: number, asked: GenerationRequest) => {
    const prompt = `${asked.prompt}, number ${job}`;
    return world.run(job, { request: quote({ ...asked, prompt }).request });
  };
  const mapping = (modelKey: string) => {
    const [first] = mappings.get(modelKey) ?? [];
    if (!first) throw new Error(modelKey);
    return first;
  };
  const polls = () => stand.calls.filter(({ kind, method }) => kind === "task" && method === "GET");
  /** Moves time on in steps until all jobs have ended. */
  const allEnded = async (jobs: readonly Running[], onStep: () => void = () => {}) => {
    while (jobs.some(({ hasEnded }) => !hasEnded)) {
      await world.move(STEP_MS);
      onStep();
    }
  };
  return { stand, world, settings, run, mapping, polls, allEnded };
}

/** The most of these moments in any window of `perMs`. */
function mostIn(times: readonly number[], perMs: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  let first = 0;
  return sorted.reduce((most, at, index) => {
    while ((sorted[first] ?? at) <= at - perMs) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}

describe("under load", { timeout: 120_000 }, () => {
  test("kie gets at most 20 new tasks in 10 s and 10 polls a second, and makes all of them", async () => {
    const { stand, world, settings, run, polls, allEnded } = await openStandIn(kie, SOON);
    const jobs = Array.from({ length: 200 }, (_, index) => run(index + 1, PICTURE));
    await allEnded(jobs);
    for (const { outcome } of jobs) expect(outcome).toMatchObject({ files: [{}] });
    expect(stand.ledger).toHaveLength(200);
    // The stand-in refuses what is more, with a 429.
    expect(world.provider.service.stats.submits.get("throttled")).toBeUndefined();
    expect(
      mostIn(
        stand.ledger.map(({ at }) => at),
        10_000,
      ),
    ).toBeLessThanOrEqual(settings.submits?.count ?? 0);
    // They arrive up to half a second, a step of this test, after they are sent.
    const inSecond = mostIn(
      polls().map(({ at }) => at),
      500,
    );
    expect(inSecond).toBeLessThanOrEqual(settings.polls_per_sec ?? 0);
    expect(stand.breaches).toEqual([]);
  });

  test("fal has at most its concurrency of tasks, each polled first as soon as its schedule says", async () => {
    const { stand, world, settings, run, polls, allEnded } = await openStandIn(fal, SOON);
    const jobs = Array.from({ length: 120 }, (_, index) => run(index + 1, PICTURE));
    let most = 0;
    const inFlight = () => {
      const now = world.clock.now();
      return stand.tasks.filter(({ acceptedAt }) => now < acceptedAt + SOON.queueMs + SOON.runMs).length;
    };
    await allEnded(jobs, () => {
      most = Math.max(most, inFlight());
    });
    expect(most).toBe(settings.concurrency);
    const firstMs = settings.polls?.image?.[0]?.every_ms ?? 0;
    for (const { id, acceptedAt } of stand.tasks) {
      const first = polls().find(({ taskId }) => taskId === id);
      const waitMs = (first?.at ?? 0) - acceptedAt;
      expect(waitMs).toBeGreaterThanOrEqual(firstMs - 500);
      expect(waitMs).toBeLessThanOrEqual(firstMs + 1500);
    }
    expect(stand.ledger).toHaveLength(120);
    expect(stand.breaches).toEqual([]);
  });
});

describe.each<[string, UpstreamAdapter]>([
  ["fal", fal],
  ["kie", kie],
  ["polza", polza],
])("a task of %s past its deadline", (_name, adapter) => {
  test("ends its job once, is cancelled where that is possible, and polled rarely; what comes is kept", async () => {
    const { stand, world, run, mapping, polls } = await openStandIn(adapter, NEVER);
    const deadlineMs = mapping("grok-imagine").poll.deadline_sec * 1000;
    const running = run(1, PICTURE);
    await world.until("the job ends", () => running.hasEnded, { stepMs: 2000 });
    expect(running.outcome).toMatchObject({ failure: "timeout" });
    const acceptedAt = world.attempt()?.accepted_at ?? 0;
    expect(Math.abs(world.clock.now() - acceptedAt - deadlineMs)).toBeLessThan(5000);
    await world.move(1000);
    const cancels = stand.calls.filter(({ method }) => method === "PUT");
    expect(cancels).toHaveLength(adapter.cancel ? 1 : 0);
    const before = polls().length;
    await world.until("a deadline passes", () => world.clock.now() > acceptedAt + 2 * deadlineMs, {
      stepMs: 10_000,
    });
    const rarely = polls().length - before;
    expect(rarely).toBeGreaterThanOrEqual(2);
    expect(rarely).toBeLessThanOrEqual(deadlineMs / 60_000 + 1);
    stand.advance(NEVER.runMs);
    await world.until("it is kept", () => world.attempt()?.state === "stored", { stepMs: 10_000 });
    expect(world.attempt()).toMatchObject({ late: 1, flagged: 1 });
    expect(world.kept).toHaveLength(1);
    expect(stand.ledger).toHaveLength(1);
    expect(stand.breaches).toEqual([]);
  });
});

describe("a task that kie does not know", () => {
  test("just after its submit is waited for", async () => {
    const { stand, world, run } = await openStandIn(kie, SOON);
    stand.order({ fault: "late-record", service: "kie", times: 3 });
    const running = run(1, VIDEO);
    await world.until("the job ends", () => running.hasEnded);
    expect(running.outcome).toMatchObject({ files: [{}] });
  });

  test("for ten minutes is lost: its job fails before the deadline, and the operator has a record", async () => {
    const { stand, world, run, mapping } = await openStandIn(kie, NEVER);
    const running = run(1, VIDEO);
    await world.until("it is accepted", () => stand.tasks.length === 1);
    stand.forgetTasks("kie");
    const startedAt = world.clock.now();
    await world.until("the job ends", () => running.hasEnded, { stepMs: 2000 });
    expect(running.outcome).toMatchObject({ failure: "provider" });
    const waitedMs = world.clock.now() - startedAt;
    expect(waitedMs).toBeGreaterThanOrEqual(10 * 60_000);
    expect(waitedMs).toBeLessThan(mapping("kling-2-5-turbo").poll.deadline_sec * 1000);
    expect(world.attempt()).toMatchObject({ state: "failed", flagged: 1, late: 0 });
    expect(stand.ledger).toHaveLength(1);
  });
});
