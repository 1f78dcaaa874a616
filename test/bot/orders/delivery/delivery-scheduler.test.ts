import { describe, expect, test } from "vitest";
import type { Deliver, SendOutcome, WriteUntilDone } from "../../../../src/bot/orders/delivery/deliver.js";
import { DeliveryScheduler } from "../../../../src/bot/orders/delivery/delivery-scheduler.js";
import { UploadError } from "../../../../src/bot/orders/delivery/outgoing-file.js";
import type { Delivery } from "../../../../src/bot/orders/order-store.js";
import { ContractError } from "../../../../src/contract/errors.js";
import { prepare, qb } from "../../../../src/database/prepared.js";
import { integer } from "../../../../src/platform/integer.js";
import { openBotGround } from "../../../support/bot-ground.js";
import { brokenConnection, openBotWorld, refusal } from "../../../support/bot-world.js";
import { eventually } from "../../../support/eventually.js";
import { failOnce } from "../../../support/fail-once.js";
import { recordingLogger } from "../../../support/log.js";
import { turnOfEvents } from "../../../support/manual-clock.js";

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

const enqueuedStatuses = prepare<object, object>(() => qb.selectFrom("final_status").selectAll());

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
      const outcome = outcomes.shift();
      if (outcome) throw outcome;
      await write(() => world.orders.saveFiles(orderId, [], 7));
      return made.outcome;
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
  const bot = openBotGround({ world }, { logger, orders: world.orders });
  const scheduler = new DeliveryScheduler(bot, deliver, { showFinal }, uploadingTo);
  const state = (id: string) => world.orders.findDelivery(id)?.state;
  const settled = (id: string, expected: string) =>
    eventually(`delivery ${id} ${expected}`, async () => state(id) === expected);
  const tried = (times: number) => eventually(`${times} tries`, async () => sent.length === times);
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
    state,
    settled,
    tried,
  };
}

/** Lets sends wait, until the answer is called. */
function closeGate({ gate }: Pick<ReturnType<typeof openScheduler>, "gate">): () => void {
  let open = () => {};
  gate.open = new Promise((resolve) => {
    open = resolve;
  });
  return () => open();
}

describe("a delivery", () => {
  test("is sent once however long the database takes no writes, and its end is written behind that", async () => {
    let isFull = false;
    const world = openBotWorld((name) => {
      if (isFull && name.startsWith("commit:before")) throw new Error("database or disk is full");
    });
    const { scheduler, sent, finishedOrder, settled, clock, lines } = openScheduler(world);
    const { id } = await finishedOrder("one");
    const failures = () => lines.filter(({ msg }) => String(msg).includes("not written")).length;
    isFull = true;
    scheduler.enqueue(id);
    while (failures() < 20) await clock.advance(10_000);
    isFull = false;
    await clock.advance(10_000);
    await settled(id, "sent");
    expect(sent).toHaveLength(1);
  });

  test("that waits out an outage of Telegram is one line of the log, however often it is tried", async () => {
    const { scheduler, outcomes, finishedOrder, state, clock, lines, sent } = openScheduler();
    const { id } = await finishedOrder("one");
    outcomes.push(...Array.from({ length: 10 }, () => brokenConnection()));
    scheduler.enqueue(id);
    while (state(id) !== "sent") await clock.advance(60_000);
    expect(sent).toHaveLength(11);
    const warnings = lines.filter(({ level }) => Number(level) >= 40);
    expect(warnings).toMatchObject([{ msg: "delivery failed", attempts: 1, order_id: id }]);
  });

  test("of files that are all gone ends as failed, with a record for admins", async () => {
    const { scheduler, made, finishedOrder, settled, orders, finalStatuses, lines } = openScheduler();
    const { id } = await finishedOrder("one");
    made.outcome = "lost";
    scheduler.enqueue(id);
    await settled(id, "failed");
    expect(orders.find(id)?.state).toBe("closed");
    expect(finalStatuses).toEqual([[id, false]]);
    expect(lines.filter(({ level }) => Number(level) >= 50)).toMatchObject([
      { order_id: id, user_id: 7, msg: "order not delivered: its files are gone" },
    ]);
  });

  test("is tried within a minute of a start, however far the clock was set back before it", async () => {
    const { orders, scheduler, finishedOrder, clock, settled, sent } = openScheduler();
    const { id } = await finishedOrder("one");
    await orders.postpone(id, integer(clock.now() + 365 * DAY_MS), "fault on the way");
    scheduler.start();
    await clock.advance(59_000);
    expect(sent).toEqual([]);
    await clock.advance(1000);
    await settled(id, "sent");
  });

  test.each([-25, -1, 1, 25])(
    "waits as long as it should where the clock is set by %i h meanwhile",
    async (hours) => {
      const { scheduler, outcomes, finishedOrder, clock, settled, sent } = openScheduler();
      const { id } = await finishedOrder("one");
      outcomes.push(brokenConnection());
      scheduler.enqueue(id);
      await eventually("the first try", () => sent.length === 1);
      await clock.advance(0);
      clock.step(hours * 3_600_000);
      await clock.advance(2000);
      await settled(id, "sent");
    },
  );

  const kicked = refusal(403, "Forbidden: bot was kicked from the supergroup chat");
  const upgraded = refusal(400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: -100123 });
  test.each<[string, Error | undefined, string, number, string]>([
    ["was sent", undefined, "delivery-end", 7, "sent"],
    ["is to wait", brokenConnection(), "delivery-postpone", 7, "sent"],
    ["is parked", refusal(403, "Forbidden: bot was blocked by the user"), "delivery-park", 7, "parked"],
    ["can never be made", refusal(400, "Bad Request: IMAGE_PROCESS_FAILED"), "delivery-end", 7, "failed"],
    ["goes to its person instead", kicked, "delivery-move", -100, "sent"],
    ["goes to the new group", upgraded, "delivery-move", -100, "sent"],
  ])("that %s is known to be so once the database takes writes", async (_what, fault, label, chat, end) => {
    let failures = 0;
    let isFull = false;
    const world = openBotWorld((name) => {
      if (!isFull || !name.includes(`before:${label}`)) return;
      failures += 1;
      throw new Error("database or disk is full");
    });
    const { orders, scheduler, outcomes, finishedOrder, settled, sent, apologies, clock } =
      openScheduler(world);
    const { id } = await finishedOrder("one");
    if (chat !== 7) await orders.moveDelivery(id, chat);
    if (fault) outcomes.push(fault);
    isFull = true;
    scheduler.enqueue(id);
    await eventually("failed writes", async () => {
      await clock.advance(10_000);
      return failures >= 3;
    });
    expect(sent).toHaveLength(1);
    isFull = false;
    await clock.advance(60_000);
    await settled(id, end);
    expect(sent).toHaveLength(fault && end === "sent" ? 2 : 1);
    expect(apologies).toEqual(end === "failed" ? [id] : []);
  });

  test.each([
    [401, "Unauthorized"],
    [404, "Not Found"],
  ])("waits while Telegram refuses the token with %i", async (code, words) => {
    const { scheduler, outcomes, finishedOrder, clock, settled, orders } = openScheduler();
    outcomes.push(refusal(code, words));
    const { id } = await finishedOrder("one");
    scheduler.enqueue(id);
    await eventually("the postponement", async () => orders.findDelivery(id)?.attempts === 1);
    expect([orders.findDelivery(id)?.state, orders.find(id)?.state]).toEqual(["pending", "delivering"]);
    await clock.advance(300_000);
    await settled(id, "sent");
  });

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
    await settled(id, "sent");
  });

  test("that succeeds closes its order, which ends with its final status, and is not sent again", async () => {
    const { scheduler, uploadingTo, finishedOrder, settled, orders, sent, finalStatuses } = openScheduler();
    const { id } = await finishedOrder("one");
    scheduler.enqueue(id);
    await settled(id, "sent");
    expect(orders.find(id)?.state).toBe("closed");
    expect(finalStatuses).toEqual([[id, true]]);
    await eventually("rest", async () => !uploadingTo.has(7));
    scheduler.enqueue(id);
    expect([uploadingTo.has(7), sent.length]).toEqual([false, 1]);
  });

  test("of an order of which nothing was made ends with words that say so, also after a crash", async () => {
    const { scheduler, made, finishedOrder, settled, finalStatuses, database } = openScheduler();
    made.outcome = "nothing_made";
    const { id } = await finishedOrder("one");
    scheduler.enqueue(id);
    await settled(id, "sent");
    expect(finalStatuses).toEqual([[id, false]]);
    expect(database.all(enqueuedStatuses, {})).toEqual([{ order_id: id, is_done: 0 }]);
  });

  test("is tried again exactly when a 429 says, not before", async () => {
    const { orders, scheduler, outcomes, finishedOrder, clock, sent, settled, tried } = openScheduler();
    outcomes.push(refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }));
    const { id } = await finishedOrder("one");
    const start = clock.now();
    scheduler.enqueue(id);
    await eventually("the postponement", async () => orders.findDelivery(id)?.attempts === 1);
    await clock.advance(16_999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    await tried(2);
    await settled(id, "sent");
    expect(sent.map(({ at }) => at - start)).toEqual([0, 17_000]);
  });

  test.each([
    ["a server fault", () => refusal(502, "Bad Gateway")],
    ["a broken connection", brokenConnection],
    ["a file that cannot be read now", () => new Error("EIO")],
    ["a fault of the core", () => new ContractError("internal_error")],
  ])("is tried again after %s, with growing pauses", async (_name, fault) => {
    const { orders, scheduler, outcomes, finishedOrder, clock, sent, settled } = openScheduler();
    outcomes.push(fault(), fault(), fault());
    const { id } = await finishedOrder("one");
    scheduler.enqueue(id);
    for (const attempts of [1, 2, 3]) {
      await eventually(
        `postponement ${attempts}`,
        async () => (orders.findDelivery(id)?.attempts ?? 0) >= attempts,
      );
      await clock.advance(10_000);
    }
    await settled(id, "sent");
    const [first = 0, second = 0, third = 0] = sent.slice(1).map(({ at }, n) => at - (sent[n]?.at ?? 0));
    // Each pause has jitter over its upper half.
    expect([first >= 500, second >= 1000, third >= 2000, sent.length]).toEqual([true, true, true, 4]);
  });

  test("that faults kept from being made for hours is made within a minute after them", async () => {
    const { orders, scheduler, outcomes, finishedOrder, clock, settled, sent } = openScheduler();
    const { id } = await finishedOrder("one");
    scheduler.enqueue(id);
    for (let fault = 1; fault <= 20; fault += 1) outcomes.push(brokenConnection());
    while (outcomes.length > 0) await clock.advance(60_000);
    await eventually("the last postponement", async () => orders.findDelivery(id)?.attempts === 20);
    await clock.advance(60_000);
    await settled(id, "sent");
    expect(sent).toHaveLength(21);
  });

  test("that faults keep from being made ends after seven days and twenty-one tries, with a record", async () => {
    const world = openScheduler();
    const {
      scheduler,
      outcomes,
      finishedOrder,
      settled,
      orders,
      apologies,
      finalStatuses,
      lines,
      clock,
      tried,
    } = world;
    const { id } = await finishedOrder("one");
    // The service was down meanwhile: that it is old alone says nothing.
    await clock.advance(8 * DAY_MS);
    outcomes.push(...Array.from({ length: 21 }, () => refusal(502, "Bad Gateway")));
    scheduler.enqueue(id);
    for (let tries = 1; tries <= 20; tries += 1) {
      await tried(tries);
      await eventually("the pause", async () => world.orders.findDelivery(id)?.attempts === tries);
      expect(world.state(id)).toBe("pending");
      await clock.advance((world.orders.findDelivery(id)?.next_try_at ?? 0) - clock.now());
    }
    await settled(id, "expired");
    expect([orders.find(id)?.state, apologies, finalStatuses]).toEqual(["closed", [id], [[id, false]]]);
    expect(lines.filter(({ order_id, level }) => order_id === id && level === 50)).toHaveLength(1);
  });

  test("is not ended by an outage of Telegram, however long: its order stays open, and it arrives after it", async () => {
    const { scheduler, outcomes, telegram, finishedOrder, clock, orders, state, settled } = openScheduler();
    const { id } = await finishedOrder("one");
    await clock.advance(40 * DAY_MS);
    telegram.isReached = false;
    outcomes.push(...Array.from({ length: 30 }, () => brokenConnection()));
    scheduler.enqueue(id);
    for (let tries = 1; tries <= 30; tries += 1) {
      await eventually("the pause", async () => orders.findDelivery(id)?.attempts === tries);
      expect([state(id), orders.find(id)?.state]).toEqual(["pending", "delivering"]);
      await clock.advance((orders.findDelivery(id)?.next_try_at ?? 0) - clock.now());
    }
    await settled(id, "sent");
  });

  test("that is put off again and again ends after seven days, not before", async () => {
    const { orders, scheduler, outcomes, finishedOrder, clock, settled, sent } = openScheduler();
    const soon = { retry_after: (6 * HOUR_MS) / 1000 };
    const { id } = await finishedOrder("one");
    for (let time = 1; time <= 40; time += 1) outcomes.push(refusal(429, "Too Many Requests", soon));
    scheduler.enqueue(id);
    for (let time = 1; time <= 28; time += 1) {
      await eventually(`try ${time}`, async () => orders.findDelivery(id)?.attempts === time);
      await clock.advance(6 * HOUR_MS);
    }
    await settled(id, "expired");
    expect(sent).toHaveLength(29);
  });

  test("that was asked for once more while it was sent waits as long as a 429 says", async () => {
    const { orders, scheduler, outcomes, finishedOrder, clock, sent, settled } = openScheduler();
    outcomes.push(refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }));
    const { id } = await finishedOrder("one");
    scheduler.enqueue(id);
    scheduler.enqueue(id);
    await eventually("the postponement", async () => orders.findDelivery(id)?.attempts === 1);
    await clock.advance(16_999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    await settled(id, "sent");
  });

  test("that has ended and is asked for again keeps none behind it waiting", async () => {
    const world = openScheduler();
    for (const id of ["ended", "under way", "behind"]) await world.finishedOrder(id);
    await world.orders.endDelivery("ended", "sent", "sent", true);
    const open = closeGate(world);
    for (const id of ["under way", "ended", "behind"]) world.scheduler.enqueue(id);
    open();
    await world.settled("behind", "sent");
    expect(world.sent.map(({ orderId }) => orderId)).toEqual(["under way", "behind"]);
  });

  test("is parked when its person has blocked the bot, and goes on with their next update", async () => {
    const { scheduler, outcomes, finishedOrder, clock, settled, sent } = openScheduler();
    outcomes.push(refusal(403, "Forbidden: bot was blocked by the user"));
    const { id } = await finishedOrder("one");
    scheduler.enqueue(id);
    await settled(id, "parked");
    await clock.advance(6 * DAY_MS);
    await scheduler.onContact(8);
    expect(sent).toHaveLength(1);
    await scheduler.onContact(7);
    await settled(id, "sent");
    expect(sent).toHaveLength(2);
    // From now on an update of theirs writes nothing.
    expect(scheduler.onContact(7)).toBeUndefined();
  });

  test("that could not be taken up when its person came back is taken up at their next update", async () => {
    const { scheduler, outcomes, finishedOrder, settled, state } = openScheduler(
      openBotWorld(failOnce("commit:before", "delivery-unpark")),
    );
    outcomes.push(refusal(403, "Forbidden: bot was blocked by the user"));
    const { id } = await finishedOrder("one");
    scheduler.enqueue(id);
    await settled(id, "parked");
    await scheduler.onContact(7);
    expect(state(id)).toBe("parked");
    await scheduler.onContact(7);
    await settled(id, "sent");
  });

  test("that is refused by its person, who comes back before the refusal is known, goes on at once", async () => {
    const world = openScheduler();
    const blocked = refusal(403, "Forbidden: bot was blocked by the user");
    world.outcomes.push(blocked, blocked);
    const { id } = await world.finishedOrder("one");
    const open = closeGate(world);
    world.scheduler.enqueue(id);
    await world.scheduler.onContact(7);
    open();
    // Whoever is silent since the second try has shut the bot out indeed.
    await world.settled(id, "parked");
    expect(world.sent).toHaveLength(2);
  });

  test("goes on when its person comes back while it is being parked, with nothing else of theirs parked", async () => {
    const { orders, scheduler, outcomes, finishedOrder, settled, sent } = openScheduler();
    outcomes.push(refusal(403, "Forbidden: bot was blocked by the user"));
    const { id } = await finishedOrder("one");
    const park = orders.park.bind(orders);
    orders.park = async (orderId, outcome) => {
      const parked = await park(orderId, outcome);
      await scheduler.onContact(7);
      return parked;
    };
    scheduler.enqueue(id);
    await settled(id, "sent");
    expect(sent).toHaveLength(2);
  });

  test("that is being parked while its person comes back goes on at once", async () => {
    const { orders, scheduler, outcomes, finishedOrder, settled, sent } = openScheduler();
    const blocked = refusal(403, "Forbidden: bot was blocked by the user");
    outcomes.push(blocked, blocked);
    const one = await finishedOrder("one");
    const two = await finishedOrder("two");
    scheduler.enqueue(one.id);
    await settled(one.id, "parked");
    // The update of the person comes while the second delivery is being written down: both are in one commit.
    const park = orders.park.bind(orders);
    orders.park = (orderId, outcome) => {
      const parked = park(orderId, outcome);
      void scheduler.onContact(7);
      return parked;
    };
    scheduler.enqueue(two.id);
    await settled(one.id, "sent");
    await settled(two.id, "sent");
    expect(sent).toHaveLength(4);
  });

  test("that was parked goes on after a restart too", async () => {
    const first = openScheduler();
    first.outcomes.push(refusal(403, "Forbidden: bot was blocked by the user"));
    const { id } = await first.finishedOrder("one");
    first.scheduler.enqueue(id);
    await first.settled(id, "parked");
    const second = openScheduler(first);
    second.scheduler.start();
    await second.scheduler.onContact(7);
    await second.settled(id, "sent");
  });

  test("that nobody comes back for ends after seven days, with a record for admins", async () => {
    const { scheduler, outcomes, finishedOrder, clock, settled, state, lines } = openScheduler();
    outcomes.push(refusal(403, "Forbidden: bot was blocked by the user"));
    const { id } = await finishedOrder("one");
    scheduler.start();
    await settled(id, "parked");
    await clock.advance(7 * DAY_MS);
    expect(state(id)).toBe("parked");
    await clock.advance(HOUR_MS);
    await settled(id, "expired");
    expect(lines.filter(({ order_id, level }) => order_id === id && level === 50)).toHaveLength(1);
  });

  test("that nobody came back for is apologised for once, however long its end cannot be written", async () => {
    let isFull = false;
    const world = openBotWorld((name) => {
      if (isFull && name.includes("before:delivery-end")) throw new Error("database or disk is full");
    });
    const { orders, scheduler, finishedOrder, clock, settled, apologies } = openScheduler(world);
    const { id } = await finishedOrder("one");
    await orders.park(id, "blocked");
    isFull = true;
    scheduler.start();
    await clock.advance(7 * DAY_MS + 3 * HOUR_MS);
    expect(apologies).toEqual([id]);
    isFull = false;
    await clock.advance(10_000);
    await settled(id, "expired");
    expect(apologies).toEqual([id]);
    await scheduler.stop();
  });

  test.each([
    ["who is not found", "Bad Request: chat not found"],
    [
      "who has blocked the bot, says the error of an album",
      'Bad Request: failed to send message #1 with the error message "USER_IS_BLOCKED"',
    ],
    [
      "who has no chat with the bot, says the error of an album",
      'Bad Request: failed to send message #1 with the error message "PEER_ID_INVALID"',
    ],
  ])("to a person %s is parked, also from a group, and goes on when they write", async (_who, words) => {
    const { orders, scheduler, uploadingTo, outcomes, finishedOrder, settled, sent, apologies, asked } =
      openScheduler();
    outcomes.push(refusal(403, "Forbidden: bot was kicked from the supergroup chat"), refusal(400, words));
    const { id } = await finishedOrder("one");
    await orders.moveDelivery(id, -100123);
    scheduler.enqueue(id);
    await settled(id, "parked");
    await eventually("rest", async () => !uploadingTo.has(7));
    expect([sent.length, apologies, asked]).toEqual([2, [], [id]]);
    await scheduler.onContact(7);
    await settled(id, "sent");
    expect(orders.findDelivery(id)?.chat_id).toBe(7);
  });

  test("of an album waits exactly as long as the error of its message says", async () => {
    const { orders, scheduler, outcomes, finishedOrder, clock, sent, settled } = openScheduler();
    const words =
      'Bad Request: failed to send message #2 with the error message "Too Many Requests: retry after 8"';
    outcomes.push(refusal(400, words));
    const { id } = await finishedOrder("one");
    scheduler.enqueue(id);
    await eventually("the postponement", async () => orders.findDelivery(id)?.attempts === 1);
    await clock.advance(7999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    await settled(id, "sent");
  });

  test("whose upload Telegram does not take is tried eight times within half an hour at most", async () => {
    const { orders, scheduler, outcomes, finishedOrder, clock, sent, settled } = openScheduler();
    const { id } = await finishedOrder("one");
    for (let times = 1; times <= 7; times += 1) outcomes.push(new UploadError(times, brokenConnection()));
    scheduler.enqueue(id);
    for (let times = 1; times <= 7; times += 1) {
      await eventually(`pause ${times}`, async () => orders.findDelivery(id)?.attempts === times);
      await clock.advance((orders.findDelivery(id)?.next_try_at ?? 0) - clock.now());
    }
    await settled(id, "sent");
    const pauses = sent.slice(1).map(({ at }, n) => at - (sent[n]?.at ?? 0));
    // The first break is most likely a passing one.
    expect(pauses[0]).toBeLessThanOrEqual(1000);
    const total = pauses.reduce((sum, pause) => sum + pause, 0);
    expect([total >= 10 * 60_000, total <= 30 * 60_000]).toEqual([true, true]);
  });

  test.each([
    ["that Telegram will never take", refusal(400, "Bad Request: IMAGE_PROCESS_FAILED")],
    ["whose jobs are kept no more", new ContractError("job_not_found")],
  ])("%s ends, and its person is told where that is possible", async (_which, fault) => {
    const { scheduler, outcomes, finishedOrder, settled, apologies } = openScheduler();
    outcomes.push(fault);
    const { id } = await finishedOrder("one");
    scheduler.enqueue(id);
    await settled(id, "failed");
    expect(apologies).toEqual([id]);
  });

  test("follows a group that became a supergroup", async () => {
    const { orders, scheduler, outcomes, finishedOrder, settled } = openScheduler();
    outcomes.push(refusal(400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: -100123 }));
    const { id } = await finishedOrder("one");
    scheduler.enqueue(id);
    await settled(id, "sent");
    expect(orders.findDelivery(id)?.chat_id).toBe(-100123);
  });

  test.each([
    ["has shut the bot out", refusal(403, "Forbidden: bot was kicked from the supergroup chat")],
    ["is gone", refusal(400, "Bad Request: chat not found")],
    ["takes no photos", refusal(400, "Bad Request: not enough rights to send photos to the chat")],
  ])("into a group that %s goes to its person instead", async (_what, fault) => {
    const { orders, scheduler, outcomes, finishedOrder, settled, apologies } = openScheduler();
    outcomes.push(fault);
    const { id } = await finishedOrder("one");
    await orders.moveDelivery(id, -100123);
    scheduler.enqueue(id);
    await settled(id, "sent");
    expect(orders.findDelivery(id)?.chat_id).toBe(7);
    expect(apologies).toEqual([]);
  });

  test("that a restart interrupted is taken up again", async () => {
    const first = openScheduler();
    const { id } = await first.finishedOrder("one");
    const second = openScheduler(first);
    second.scheduler.start();
    await second.settled(id, "sent");
    expect(second.sent).toHaveLength(1);
  });

  test("is one at a time in a chat", async () => {
    const world = openScheduler();
    for (const id of ["a", "b", "c"]) await world.finishedOrder(id);
    for (const id of ["a", "b", "c", "a"]) world.scheduler.enqueue(id);
    expect(world.uploadingTo.has(7)).toBe(true);
    for (const id of ["a", "b", "c"]) await world.settled(id, "sent");
    expect(world.sent.map(({ orderId }) => orderId)).toEqual(["a", "b", "c"]);
    await eventually("rest", async () => !world.uploadingTo.has(7));
  });

  test("into one chat keeps those into other chats waiting for nothing", async () => {
    const world = openScheduler();
    for (const [id, userId] of [
      ["a", 7],
      ["b", 7],
      ["c", 8],
    ] as const)
      await world.finishedOrder(id, userId);
    const open = closeGate(world);
    for (const id of ["a", "b", "c"]) world.scheduler.enqueue(id);
    expect(world.sent.map(({ orderId }) => orderId)).toEqual(["a", "c"]);
    open();
    for (const id of ["a", "b", "c"]) await world.settled(id, "sent");
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
    for (const id of ids) await world.settled(id, "sent");
    await eventually("rest", async () => ids.every((_, at) => !world.uploadingTo.has(1000 + at)));
    // Those that had left their places did not leave them once more at their end.
    const more = ids.slice(0, 20).map((id) => `more-${id}`);
    for (const [at, id] of more.entries()) await world.finishedOrder(id, 1000 + at);
    const openAgain = closeGate(world);
    for (const id of more) world.scheduler.enqueue(id);
    expect(world.sent.length - ids.length).toBe(8);
    openAgain();
    for (const id of more) await world.settled(id, "sent");
  });

  test("that is under way when the service stops is brought to its end, and no other begun", async () => {
    const world = openScheduler();
    for (const id of ["a", "b"]) await world.finishedOrder(id);
    const open = closeGate(world);
    for (const id of ["a", "b"]) world.scheduler.enqueue(id);
    const stopped = world.scheduler.stop().then(() => ["a", "b"].map(world.state));
    world.scheduler.enqueue("b");
    open();
    expect(await stopped).toEqual(["sent", "pending"]);
    expect(world.sent).toHaveLength(1);
  });

  test("into another chat than the one that has ended is waited for by the stop too", async () => {
    const world = openScheduler();
    await world.finishedOrder("a", 7);
    await world.finishedOrder("b", 8);
    const openA = closeGate(world);
    world.scheduler.enqueue("a");
    const openB = closeGate(world);
    world.scheduler.enqueue("b");
    const stopped = world.scheduler.stop().then(() => ["a", "b"].map(world.state));
    openA();
    await world.settled("a", "sent");
    await turnOfEvents();
    openB();
    expect(await stopped).toEqual(["sent", "sent"]);
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

  test("whose end cannot be written keeps the stop waiting for nothing", async () => {
    let isFull = false;
    const world = openBotWorld((name) => {
      if (isFull && name.startsWith("commit:before")) throw new Error("database or disk is full");
    });
    const { scheduler, finishedOrder, lines } = openScheduler(world);
    const { id } = await finishedOrder("one");
    isFull = true;
    scheduler.enqueue(id);
    const failures = () => lines.filter(({ msg }) => String(msg).includes("not written, trying again"));
    await eventually("a write that fails", () => failures().length > 0);
    // The clock stands still: nothing but the stop ends the pause before the next try.
    await scheduler.stop();
    expect(lines.at(-1)?.msg).toBe("delivery outcome not written");
  });
});
