import { describe, expect, onTestFinished, test, vi } from "vitest";
import { asKopecks } from "../../src/contract/price.js";
import type { OrderTerms } from "../../src/ports/gateway.js";
import { eventually } from "../support/eventually.js";
import { reset } from "../support/faulty-service.js";
import { createManualClock } from "../support/manual-clock.js";
import { endOf, KEY, MODEL, ORDER, openShared, REQUEST } from "./harness.js";

const MINUTE_MS = 60_000;

/** A gateway on a clock that stands still, to a service that honours keys and loses the answers to POSTs. */
async function openGateway({ isAccepting = true } = {}) {
  // No jitter: the back-off ends exactly when a test says.
  vi.spyOn(Math, "random").mockReturnValue(1);
  const clock = createManualClock();
  const { service, lines, ...shared } = await openShared({ clock });
  service.retentionSec = 86_400;
  const world = Object.assign(shared.world, { isLosing: true });
  world.onPost = (response, request, body) => {
    if (!world.isLosing) return service.serve(response, request, body);
    if (isAccepting) service.accept(request, body);
    reset(request);
  };
  const connect = async (apiKey = KEY) => {
    const { gateway, remote } = await shared.connect(apiKey);
    const stop = async () => {
      const stopping = remote.stop();
      await clock.advance(10_000);
      await stopping;
    };
    onTestFinished(stop);
    // The first answer tells that keys are honoured.
    await gateway.models();
    return { gateway, stop };
  };
  const doubts: number[] = [];
  const terms = (more: Partial<OrderTerms> = {}): OrderTerms => ({
    id: ORDER,
    quotedKopecks: asKopecks(1000),
    onDoubt: (until) => doubts.push(until),
    ...more,
  });
  const repeats = () => lines.filter(({ msg }) => String(msg).includes("will be repeated")).length;
  /** Waits until the nth repeat waits for its time. */
  const waits = (nth: number) => eventually(`repeat ${nth} waits`, () => repeats() >= nth);
  /** Lets the nth repeat begin. The answers of the network take no time of this clock. */
  const repeat = async (nth: number) => {
    await waits(nth);
    await clock.advance(Math.min(MINUTE_MS, 1000 * 2 ** (nth - 1)));
  };
  return { service, world, clock, connect, terms, doubts, waits, repeat };
}

describe("a POST in doubt at a service that honours keys", () => {
  test.each([5, 20])("is not repeated at another price (%i), and is uncertain", async (price_rub) => {
    const { service, world, connect, terms, waits, repeat } = await openGateway({ isAccepting: false });
    const { gateway } = await connect();
    const end = endOf(gateway.submit(REQUEST, terms()));
    await waits(1);
    Object.assign(world, { models: [{ ...MODEL, price_rub }], isLosing: false });
    await repeat(1);
    expect(await end).toBe("UncertainOutcome");
    expect([service.posts.length, service.jobs.size]).toEqual([1, 0]);
  });

  test("is repeated where its model is listed no more: the answer settles it", async () => {
    const { service, world, connect, terms, waits, repeat } = await openGateway();
    const { gateway } = await connect();
    const end = endOf(gateway.submit(REQUEST, terms()));
    await waits(1);
    Object.assign(world, { models: [], isLosing: false });
    await repeat(1);
    expect(await end).toBe(1000);
    expect(service.jobs.size).toBe(1);
  });

  test("is told of after two minutes, once, with the time at which the repeats end", async () => {
    const { world, clock, connect, terms, doubts, waits, repeat } = await openGateway();
    const { gateway } = await connect();
    const sentAt = clock.now();
    const end = endOf(gateway.submit(REQUEST, terms()));
    let nth = 1;
    for (; clock.now() < sentAt + 2 * MINUTE_MS; nth += 1) {
      expect(doubts).toEqual([]);
      await repeat(nth);
    }
    expect(doubts).toEqual([sentAt + 0.9 * 86_400_000]);
    await waits(nth);
    world.isLosing = false;
    await repeat(nth);
    expect(await end).toBe(1000);
    expect(doubts).toHaveLength(1);
  });

  test("ends at the caller's signal, and nothing is sent any more", async () => {
    const { service, clock, connect, terms, waits } = await openGateway();
    const { gateway } = await connect();
    const ending = new AbortController();
    const end = endOf(gateway.submit(REQUEST, terms({ signal: ending.signal })));
    await waits(1);
    ending.abort();
    expect(await end).toBe("SubmissionInterruptedError");
    await clock.advance(10 * MINUTE_MS);
    expect(service.posts).toHaveLength(1);
  });

  test("whose repeat is on its way at that signal still takes its answer: the ids of jobs are not lost", async () => {
    const { service, world, connect, terms, waits, repeat } = await openGateway();
    const { gateway } = await connect();
    const ending = new AbortController();
    const end = endOf(gateway.submit(REQUEST, terms({ signal: ending.signal })));
    await waits(1);
    world.isLosing = false;
    let answer = () => {};
    const { behave } = service;
    service.behave = (response, request, body) => {
      if (request.method !== "POST") return behave(response, request, body);
      answer = () => behave(response, request, body);
    };
    await repeat(1);
    await eventually("the repeat has arrived", () => service.posts.length === 2);
    ending.abort();
    answer();
    expect(await end).toBe(1000);
  });

  test("goes on after a restart, is told of again where it is old, and is charged once", async () => {
    const { service, world, clock, connect, terms, doubts, waits, repeat } = await openGateway();
    const first = await connect();
    const cut = endOf(first.gateway.submit(REQUEST, terms()));
    await waits(1);
    await first.stop();
    expect(await cut).toBe("SubmissionInterruptedError");
    await clock.advance(10 * MINUTE_MS);
    const second = await connect();
    const end = endOf(second.gateway.submit(REQUEST, terms()));
    await clock.advance(0);
    await waits(2);
    expect(doubts).toHaveLength(1);
    world.isLosing = false;
    await repeat(1);
    expect(await end).toBe(1000);
    expect([doubts.length, service.jobs.size]).toEqual([1, 1]);
  });
});

test.each([
  ["with the key of another account", "key-of-another-account", 0],
  ["where the clock is set back meanwhile: nobody knows its age", KEY, -10 * MINUTE_MS],
])("a POST in doubt is not repeated %s", async (_where, key, stepMs) => {
  const { service, clock, connect, terms, waits } = await openGateway();
  const first = await connect();
  const cut = endOf(first.gateway.submit(REQUEST, terms()));
  await waits(1);
  await first.stop();
  await cut;
  clock.step(stepMs);
  const { gateway } = await connect(key);
  expect(await endOf(gateway.submit(REQUEST, terms()))).toBe("UncertainOutcome");
  await clock.advance(MINUTE_MS);
  expect(service.posts).toHaveLength(1);
});
