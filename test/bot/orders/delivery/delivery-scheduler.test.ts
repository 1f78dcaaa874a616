import { describe, expect, test } from "vitest";
import type { Deliver, SendOutcome, WriteUntilDone } from "../../../../src/bot/orders/delivery/deliver.js";
import { DeliveryScheduler } from "../../../../src/bot/orders/delivery/delivery-scheduler.js";
import { UploadError } from "../../../../src/bot/orders/delivery/outgoing-file.js";
import type { Delivery } from "../../../../src/bot/orders/order-store.js";
import { ContractError } from "../../../../src/contract/errors.js";
import { table } from "../../../../src/database/table.js";
import { integer } from "../../../../src/platform/integer.js";
import { openBotGround } from "../../../support/bot-ground.js";
import {
  brokenConnection,
  openBotWorld,
  openFullDisk,
  refusal,
  refusedConnection,
} from "../../../support/bot-world.js";
import { eventually } from "../../../support/eventually.js";
import { failOnce } from "../../../support/fail-once.js";
import { recordingLogger } from "../../../support/log.js";
import { turnOfEvents } from "../../../support/manual-clock.js";

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A scheduler whose sends end as the test says: an error is thrown, `undefined` is a success. */
function openScheduler(world = openBotWorld()) {
  const outcomes: (Error | undefined)[] = [];
  const sent: { orderId: string; at: number }[] = [];
  const apologies: string[] = [];
  /** Orders whose persons were asked to write to the bot alone. */
  const asked: string[] = [];
  /** Orders whose final status was shown, and whether something was made. */
  const finalStatuses: [string, boolean][] = [];
  /** What came of what is sent. */
  const made = { outcome: "made" as SendOutcome };
  /** Whether Telegram answers at all. */
  const telegram = { isReached: true };
  /** What the next sends wait for, while a test holds them. */
  const gate = { open: Promise.resolve() };
  const deliver = {
    async send({ order_id: orderId }: Delivery, write: WriteUntilDone) {
      sent.push({ orderId, at: world.clock.now() });
      await gate.open;
      const fault = outcomes.shift();
      if (fault) throw fault;
      const { outcome } = made;
      const [state, isDone] = [outcome === "lost" ? "failed" : "sent", outcome === "made"] as const;
      await write(() => world.orders.saveFiles(orderId, [], 7));
      await write(() => world.orders.endDelivery(orderId, state, "told", isDone));
      return outcome;
    },
    isTelegramReached: async () => telegram.isReached,
    async askForPrivateChat({ order_id: orderId }: Delivery) {
      asked.push(orderId);
      throw new Error("the group cannot be reached");
    },
    async apologise({ order_id: orderId }: Delivery) {
      apologies.push(orderId);
      throw new Error("its person cannot be reached");
    },
  } as unknown as Deliver;
  const { logger, lines } = recordingLogger();
  const showFinal = async (orderId: string, isDone: boolean) => {
    finalStatuses.push([orderId, isDone]);
  };
  const uploadingTo = new Set<number>();
  const { clock, orders, finishedOrder } = world;
  const bot = openBotGround({ world }, { logger, orders });
  const scheduler = new DeliveryScheduler(bot, deliver, { showFinal }, uploadingTo);
  const row = (id = "one") => orders.findDelivery(id);
  const state = (id = "one") => row(id)?.state;
  const settled = (expected: string, id = "one") =>
    eventually(`delivery ${id} ${expected}`, () => state(id) === expected);
  const postponed = (times: number) => eventually(`pause ${times}`, () => row()?.attempts === times);
  return {
    ...world,
    scheduler,
    uploadingTo,
    outcomes,
    sent,
    made,
    telegram,
    gate,
    apologies,
    asked,
    finalStatuses,
    lines,
    row,
    state,
    settled,
    postponed,
    /** Begins to deliver an order, to its person or into this group. */
    async begin(groupId?: number) {
      await finishedOrder("one");
      if (groupId !== undefined) await orders.moveDelivery("one", groupId);
      scheduler.enqueue("one");
    },
    /** Waits until it was tried so often, and then as long as its pause is. */
    async pause(tries: number) {
      await postponed(tries);
      await clock.advance((row()?.next_try_at ?? 0) - clock.now());
    },
    /** How long it waited before each further try. */
    pauses: () => sent.slice(1).map(({ at }, n) => at - (sent[n]?.at ?? 0)),
    records: () => lines.filter(({ msg }) => String(msg).startsWith("order not delivered")),
  };
}

const GROUP = -100;
const NEW_GROUP = -100_123;
const blocked = refusal(403, "Forbidden: bot was blocked by the user");
const kicked = refusal(403, "Forbidden: bot was kicked from the supergroup chat");
const upgraded = refusal(400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: NEW_GROUP });
const wait = (seconds: number) =>
  refusal(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });

/** Lets sends wait, until the answer is called. */
function closeGate({ gate }: Pick<ReturnType<typeof openScheduler>, "gate">): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate.open = promise;
  return resolve;
}

describe("a delivery", () => {
  test.each<[SendOutcome, string, boolean]>([
    ["made", "sent", true],
    ["nothing_made", "sent", false],
    ["lost", "failed", false],
  ])("of which is %s ends as %s, with its order, and is not sent again", async (outcome, end, isDone) => {
    const { scheduler, uploadingTo, made, begin, settled, orders, sent, finalStatuses, database, records } =
      openScheduler();
    made.outcome = outcome;
    await begin();
    await settled(end);
    expect([orders.find("one")?.state, finalStatuses]).toEqual(["closed", [["one", isDone]]]);
    expect(table("final_status").all(database, {})).toEqual([{ order_id: "one", is_done: Number(isDone) }]);
    expect(records()).toMatchObject(outcome === "lost" ? [{ level: 50, order_id: "one", user_id: 7 }] : []);
    await eventually("rest", () => !uploadingTo.has(7));
    scheduler.enqueue("one");
    expect([uploadingTo.has(7), sent.length]).toEqual([false, 1]);
  });

  test("that an outage of Telegram kept for hours is made within a minute after it, with one line of the log", async () => {
    const { outcomes, begin, clock, settled, postponed, lines, sent } = openScheduler();
    outcomes.push(...Array.from({ length: 20 }, () => refusedConnection()));
    await begin();
    while (outcomes.length > 0) await clock.advance(60_000);
    await postponed(20);
    await clock.advance(60_000);
    await settled("sent");
    expect(sent).toHaveLength(21);
    const warnings = lines.filter(({ level }) => Number(level) >= 40);
    expect(warnings).toMatchObject([{ msg: "delivery failed", attempts: 1, order_id: "one" }]);
  });

  test("is tried within a minute of a start, however far the clock was set back before it", async () => {
    const { orders, scheduler, finishedOrder, clock, settled, sent } = openScheduler();
    const { id } = await finishedOrder("one");
    await orders.postpone(id, integer(clock.now() + 365 * DAY_MS), "fault on the way");
    scheduler.start();
    await clock.advance(59_000);
    expect(sent).toEqual([]);
    await clock.advance(1000);
    await settled("sent");
  });

  test.each([-25, -1, 1, 25])("waits as long as it should where the clock is set by %i h", async (hours) => {
    const { outcomes, begin, clock, settled, sent } = openScheduler();
    outcomes.push(brokenConnection());
    await begin();
    await eventually("the first try", () => sent.length === 1);
    await clock.advance(0);
    clock.step(hours * HOUR_MS);
    await clock.advance(2000);
    await settled("sent");
  });

  test.each<[string, Error | undefined, string, number | undefined, string, number]>([
    ["has reached its chat", undefined, "delivery-files", undefined, "sent", 7],
    ["was sent", undefined, "delivery-end", undefined, "sent", 7],
    ["is to wait", brokenConnection(), "delivery-postpone", undefined, "sent", 7],
    ["is parked", blocked, "delivery-park", undefined, "parked", 7],
    ["can never be made", refusal(400, "Bad Request: wrong file"), "delivery-end", undefined, "failed", 7],
    ["goes to its person instead", kicked, "delivery-move", GROUP, "sent", 7],
    ["goes to the new group", upgraded, "delivery-move", GROUP, "sent", NEW_GROUP],
  ])(
    "that %s is known to be so once the database takes writes, and sent once until then",
    async (...given) => {
      const [, fault, write, groupId, end, endChat] = given;
      const { disk, world } = openFullDisk(write, false);
      const { outcomes, begin, settled, sent, apologies, clock, row } = openScheduler(world);
      if (fault) outcomes.push(fault);
      await begin(groupId);
      disk.isFull = true;
      await eventually("failed writes", async () => {
        await clock.advance(10_000);
        return disk.refused >= 20;
      });
      expect(sent).toHaveLength(1);
      disk.isFull = false;
      await clock.advance(60_000);
      await settled(end);
      expect(sent).toHaveLength(fault && end === "sent" ? 2 : 1);
      expect([row()?.chat_id, apologies]).toEqual([endChat, end === "failed" ? ["one"] : []]);
    },
  );

  test("that could not be read is taken up when the database can be", async () => {
    const { orders, scheduler, finishedOrder, clock, settled, sent } = openScheduler();
    const { id } = await finishedOrder("one");
    const find = orders.findDelivery.bind(orders);
    orders.findDelivery = () => {
      throw new Error("disk I/O error");
    };
    scheduler.enqueue(id);
    expect(sent).toEqual([]);
    orders.findDelivery = find;
    await clock.advance(1000);
    await settled("sent");
  });

  test("is tried again exactly when a 429 says, also where it is asked for once more", async () => {
    const { scheduler, outcomes, begin, clock, sent, settled, postponed, pauses } = openScheduler();
    outcomes.push(wait(17));
    await begin();
    scheduler.enqueue("one");
    await postponed(1);
    await clock.advance(16_999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    await settled("sent");
    expect(pauses()).toEqual([17_000]);
  });

  test.each([
    ["a server fault", () => refusal(502, "Bad Gateway")],
    ["a refused token", () => refusal(401, "Unauthorized")],
    ["a refused connection", refusedConnection],
    ["a broken connection", brokenConnection],
    ["a file that cannot be read now", () => new Error("EIO")],
    ["a fault of the core", () => new ContractError("internal_error")],
    ["a job that is not found now", () => new ContractError("job_not_found")],
  ])("is tried again after %s, with growing pauses", async (_name, fault) => {
    const { outcomes, begin, pause, settled, pauses } = openScheduler();
    outcomes.push(fault(), fault(), fault());
    await begin();
    for (const tries of [1, 2, 3]) await pause(tries);
    await settled("sent");
    const [first = 0, second = 0, third = 0, ...others] = pauses();
    // Each pause has jitter over its upper half.
    expect([first >= 500, second >= 1000, third >= 2000, others]).toEqual([true, true, true, []]);
  });

  test("whose every answer is lost comes three times within forty seconds at most, and then each few minutes", async () => {
    const { outcomes, begin, pause, settled, pauses } = openScheduler();
    for (let times = 1; times <= 6; times += 1) outcomes.push(brokenConnection());
    await begin();
    for (let times = 1; times <= 6; times += 1) await pause(times);
    await settled("sent");
    const [first = 0, second = 0, third = 0, ...others] = pauses();
    expect([first <= 1000, second <= 8000, third >= 32_000]).toEqual([true, true, true]);
    expect(others.filter((pause) => pause >= 150_000 && pause <= 300_000)).toHaveLength(3);
  });

  test("that faults keep from being made ends after seven days and twenty-one tries, with a record", async () => {
    const {
      scheduler,
      outcomes,
      finishedOrder,
      settled,
      orders,
      apologies,
      finalStatuses,
      records,
      ...world
    } = openScheduler();
    await finishedOrder("one");
    // The service was down meanwhile: that it is old alone says nothing.
    await world.clock.advance(8 * DAY_MS);
    outcomes.push(...Array.from({ length: 21 }, () => refusal(502, "Bad Gateway")));
    scheduler.enqueue("one");
    for (let tries = 1; tries <= 20; tries += 1) {
      await world.postponed(tries);
      expect(world.state()).toBe("pending");
      await world.pause(tries);
    }
    await settled("expired");
    expect([orders.find("one")?.state, apologies, finalStatuses]).toEqual([
      "closed",
      ["one"],
      [["one", false]],
    ]);
    expect(records()).toHaveLength(1);
  });

  test("is not ended by an outage of Telegram, however long: its order stays open, and it arrives after it", async () => {
    const { scheduler, outcomes, telegram, finishedOrder, clock, orders, postponed, pause, settled } =
      openScheduler();
    await finishedOrder("one");
    await clock.advance(40 * DAY_MS);
    telegram.isReached = false;
    outcomes.push(...Array.from({ length: 30 }, () => brokenConnection()));
    scheduler.enqueue("one");
    for (let tries = 1; tries <= 30; tries += 1) {
      await postponed(tries);
      expect(orders.find("one")?.state).toBe("delivering");
      await pause(tries);
    }
    await settled("sent");
  });

  test("that is put off again and again ends after seven days, not before", async () => {
    const { outcomes, begin, pause, settled, sent } = openScheduler();
    outcomes.push(...Array.from({ length: 40 }, () => wait((6 * HOUR_MS) / 1000)));
    await begin();
    for (let tries = 1; tries <= 28; tries += 1) await pause(tries);
    await settled("expired");
    expect(sent).toHaveLength(29);
  });

  test("that has ended and is asked for again keeps none behind it waiting", async () => {
    const world = openScheduler();
    for (const id of ["ended", "under way", "behind"]) await world.finishedOrder(id);
    await world.orders.endDelivery("ended", "sent", "sent", true);
    const open = closeGate(world);
    for (const id of ["under way", "ended", "behind"]) world.scheduler.enqueue(id);
    open();
    await world.settled("sent", "behind");
    expect(world.sent.map(({ orderId }) => orderId)).toEqual(["under way", "behind"]);
  });

  test("is parked when its person has blocked the bot, and goes on with their next update", async () => {
    const { scheduler, outcomes, begin, clock, settled, sent } = openScheduler();
    outcomes.push(blocked);
    await begin();
    await settled("parked");
    await clock.advance(6 * DAY_MS);
    await scheduler.onContact(8);
    expect(sent).toHaveLength(1);
    await scheduler.onContact(7);
    await settled("sent");
    expect(sent).toHaveLength(2);
    // From now on an update of theirs writes nothing.
    expect(scheduler.onContact(7)).toBeUndefined();
  });

  test("that could not be taken up when its person came back is taken up at their next update", async () => {
    const world = openBotWorld(failOnce("commit:before", "delivery-unpark"));
    const { scheduler, outcomes, begin, settled, state } = openScheduler(world);
    outcomes.push(blocked);
    await begin();
    await settled("parked");
    await scheduler.onContact(7);
    expect(state()).toBe("parked");
    await scheduler.onContact(7);
    await settled("sent");
  });

  test("that is refused by its person, who comes back before the refusal is known, goes on at once", async () => {
    const world = openScheduler();
    world.outcomes.push(blocked, blocked);
    const open = closeGate(world);
    await world.begin();
    await world.scheduler.onContact(7);
    open();
    // Whoever is silent since the second try has shut the bot out indeed.
    await world.settled("parked");
    expect(world.sent).toHaveLength(2);
  });

  test("goes on when its person comes back while it is being parked, with nothing else of theirs parked", async () => {
    const { orders, scheduler, outcomes, begin, settled, sent } = openScheduler();
    outcomes.push(blocked);
    const park = orders.park.bind(orders);
    orders.park = async (orderId, outcome) => {
      const parked = await park(orderId, outcome);
      await scheduler.onContact(7);
      return parked;
    };
    await begin();
    await settled("sent");
    expect(sent).toHaveLength(2);
  });

  test("that is being parked while its person comes back goes on at once", async () => {
    const { orders, scheduler, outcomes, begin, finishedOrder, settled, sent } = openScheduler();
    outcomes.push(blocked, blocked);
    await begin();
    await settled("parked");
    // The update of the person comes while the second delivery is being written down: both are in one commit.
    const park = orders.park.bind(orders);
    orders.park = (orderId, outcome) => {
      const parked = park(orderId, outcome);
      void scheduler.onContact(7);
      return parked;
    };
    await finishedOrder("two");
    scheduler.enqueue("two");
    await settled("sent");
    await settled("sent", "two");
    expect(sent).toHaveLength(4);
  });

  test("that was parked, or that a restart interrupted, goes on after it", async () => {
    const first = openScheduler();
    first.outcomes.push(blocked);
    await first.begin();
    await first.settled("parked");
    await first.finishedOrder("interrupted", 8);
    const second = openScheduler(first);
    second.scheduler.start();
    await second.settled("sent", "interrupted");
    await second.scheduler.onContact(7);
    await second.settled("sent");
    expect(second.sent).toHaveLength(2);
  });

  test("that nobody comes back for ends after seven days: one apology and one record, however long until that is written", async () => {
    const { disk, world } = openFullDisk("delivery-end");
    const { scheduler, outcomes, begin, clock, settled, state, apologies, records } = openScheduler(world);
    outcomes.push(blocked);
    scheduler.start();
    await begin();
    await settled("parked");
    await clock.advance(7 * DAY_MS);
    expect([state(), apologies]).toEqual(["parked", []]);
    await clock.advance(3 * HOUR_MS);
    disk.isFull = false;
    await clock.advance(10_000);
    await settled("expired");
    expect([apologies, records().length]).toEqual([["one"], 1]);
  });

  test("to a person who is not found is parked, also from a group, and goes on when they write", async () => {
    const { scheduler, uploadingTo, outcomes, begin, settled, sent, apologies, asked, row } = openScheduler();
    outcomes.push(kicked, refusal(400, "Bad Request: chat not found"));
    await begin(GROUP);
    await settled("parked");
    await eventually("rest", () => !uploadingTo.has(7));
    expect([sent.length, apologies, asked]).toEqual([2, [], ["one"]]);
    await scheduler.onContact(7);
    await settled("sent");
    expect(row()?.chat_id).toBe(7);
  });

  test("whose upload Telegram does not take is tried eight times within half an hour at most", async () => {
    const { outcomes, begin, pause, settled, pauses } = openScheduler();
    for (let times = 1; times <= 7; times += 1) outcomes.push(new UploadError(times, brokenConnection()));
    await begin();
    for (let times = 1; times <= 7; times += 1) await pause(times);
    await settled("sent");
    // The first break is most likely a passing one.
    expect(pauses()[0]).toBeLessThanOrEqual(1000);
    const total = pauses().reduce((sum, pause) => sum + pause, 0);
    expect([total >= 10 * 60_000, total <= 30 * 60_000]).toEqual([true, true]);
  });

  test("whose jobs stay unknown over twenty tries ends, and its person is told where that is possible", async () => {
    const { outcomes, begin, pause, settled, apologies } = openScheduler();
    for (let tries = 0; tries <= 20; tries += 1) outcomes.push(new ContractError("job_not_found"));
    await begin();
    for (let tries = 1; tries <= 20; tries += 1) await pause(tries);
    await settled("failed");
    expect(apologies).toEqual(["one"]);
  });

  test.each([
    ["is gone", refusal(400, "Bad Request: chat not found")],
    ["takes no photos", refusal(400, "Bad Request: not enough rights to send photos to the chat")],
  ])("into a group that %s goes to its person instead", async (_what, fault) => {
    const { outcomes, begin, settled, apologies, row } = openScheduler();
    outcomes.push(fault);
    await begin(GROUP);
    await settled("sent");
    expect([row()?.chat_id, apologies]).toEqual([7, []]);
  });

  test("is one at a time in a chat, and waits for none into another", async () => {
    const world = openScheduler();
    for (const id of ["a", "b", "c"]) await world.finishedOrder(id);
    await world.finishedOrder("elsewhere", 8);
    const open = closeGate(world);
    for (const id of ["a", "b", "c", "a", "elsewhere"]) world.scheduler.enqueue(id);
    const sent = () => world.sent.map(({ orderId }) => orderId);
    expect([world.uploadingTo.has(7), sent()]).toEqual([true, ["a", "elsewhere"]]);
    open();
    for (const id of ["a", "b", "c", "elsewhere"]) await world.settled("sent", id);
    expect(sent()).toEqual(["a", "elsewhere", "b", "c"]);
    await eventually("rest", () => !world.uploadingTo.has(7));
  });

  test("that hangs keeps its place for five seconds, and 64 that hang keep all others waiting", async () => {
    const world = openScheduler();
    const ids = Array.from({ length: 100 }, (_, at) => `order-${at}`);
    for (const [at, id] of ids.entries()) await world.finishedOrder(id, 1000 + at);
    const open = closeGate(world);
    for (const id of ids) world.scheduler.enqueue(id);
    const begun = [world.sent.length];
    for (const ms of [4999, 1, 5000, 60_000, 60_000]) {
      await world.clock.advance(ms);
      begun.push(world.sent.length);
    }
    expect(begun).toEqual([8, 8, 16, 24, 64, 64]);
    open();
    for (const id of ids) await world.settled("sent", id);
  });

  test("that is under way when the service stops is brought to its end in each chat, and no other begun", async () => {
    const world = openScheduler();
    for (const id of ["a", "b"]) await world.finishedOrder(id);
    await world.finishedOrder("elsewhere", 8);
    const open = closeGate(world);
    for (const id of ["a", "b"]) world.scheduler.enqueue(id);
    const openElsewhere = closeGate(world);
    world.scheduler.enqueue("elsewhere");
    const stopped = world.scheduler.stop().then(() => ["a", "b", "elsewhere"].map(world.state));
    world.scheduler.enqueue("b");
    open();
    await world.settled("sent", "a");
    await turnOfEvents();
    openElsewhere();
    expect(await stopped).toEqual(["sent", "pending", "sent"]);
    expect(world.sent).toHaveLength(2);
  });

  test("that hangs is waited for by the stop for five seconds, and nothing is timed after it", async () => {
    const world = openScheduler();
    await world.finishedOrder("a");
    closeGate(world);
    world.scheduler.start();
    let isStopped = false;
    const stopped = world.scheduler.stop().then(() => {
      isStopped = true;
    });
    await world.clock.advance(4999);
    expect(isStopped).toBe(false);
    await world.clock.advance(1);
    await stopped;
    expect(world.clock.pending).toBe(0);
  });

  test("whose end cannot be written keeps the stop waiting for nothing, and has not failed", async () => {
    const { disk, world } = openFullDisk("delivery-");
    const { scheduler, begin, lines } = openScheduler(world);
    await begin();
    await eventually("a write that fails", () => disk.refused > 0);
    // The clock stands still: nothing but the stop ends the pause before the next try.
    await scheduler.stop();
    expect(lines.at(-1)?.msg).toBe("delivery outcome not written");
    expect(lines.map(({ msg }) => msg)).not.toContain("delivery failed");
  });
});
