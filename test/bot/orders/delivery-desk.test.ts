import { describe, expect, test } from "vitest";
import type { Deliver, WriteUntilDone } from "../../../src/bot/orders/deliver.js";
import { DeliveryDesk } from "../../../src/bot/orders/delivery-desk.js";
import type { LastWords } from "../../../src/bot/orders/last-words.js";
import { ContractError } from "../../../src/contract/errors.js";
import { prepare, queryBuilder } from "../../../src/database/prepared.js";
import { brokenConnection, openBotWorld, refusal } from "../../support/bot-world.js";
import { eventually } from "../../support/eventually.js";
import { failOnce } from "../../support/fail-once.js";
import { recordingLogger } from "../../support/log.js";
import { turnOfEvents } from "../../support/manual-clock.js";

const HOUR_MS = 3600 * 1000;
const DAY_MS = 24 * HOUR_MS;

const qb = queryBuilder<{ last_words: { order_id: string; is_done: number } }>();
const owedWords = prepare<object, object>(() => qb.selectFrom("last_words").selectAll());

/** A desk whose sends end as the test says: an error is thrown, `undefined` is a success. */
function openDesk(world = openBotWorld()) {
  const outcomes: (Error | undefined)[] = [];
  const sent: { orderId: string; at: number }[] = [];
  const apologies: string[] = [];
  /** Orders whose last words were said, and whether something was made. */
  const lastWords: [string, boolean][] = [];
  /** Whether anything was made. */
  const made = { isDone: true };
  /** What the next sends wait for, while a test holds them. */
  const gate = { open: Promise.resolve() };
  const deliver = {
    async send({ orderId }: { orderId: string }, write: WriteUntilDone) {
      sent.push({ orderId, at: world.clock.now() });
      await gate.open;
      const outcome = outcomes.shift();
      if (outcome) throw outcome;
      await write(() => world.deliveries.saveFiles(orderId, []));
      return made.isDone;
    },
    async apologise({ orderId }: { orderId: string }) {
      apologies.push(orderId);
      throw new Error("its person cannot be reached");
    },
  } as unknown as Deliver;
  const { logger, lines } = recordingLogger();
  const { deliveries, clock } = world;
  const say = async (orderId: string, isDone: boolean) => {
    lastWords.push([orderId, isDone]);
  };
  const desk = new DeliveryDesk({
    deliveries,
    deliver,
    lastWords: { say } as unknown as LastWords,
    clock,
    logger,
  });
  const state = (id: string) => world.deliveries.find(id)?.state;
  const settled = (id: string, expected: string) =>
    eventually(`delivery ${id} ${expected}`, async () => state(id) === expected);
  const tried = (times: number) => eventually(`${times} tries`, async () => sent.length === times);
  return { ...world, desk, outcomes, sent, made, gate, apologies, lastWords, lines, state, settled, tried };
}

/** Lets sends wait, until the answer is called. */
function closeGate({ gate }: Pick<ReturnType<typeof openDesk>, "gate">): () => void {
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
    const { desk, sent, finishedOrder, settled, clock, lines } = openDesk(world);
    const { id } = await finishedOrder("one");
    const failures = () => lines.filter(({ msg }) => String(msg).includes("not written")).length;
    isFull = true;
    desk.kick(id);
    while (failures() < 20) await clock.advance(10_000);
    isFull = false;
    await clock.advance(10_000);
    await settled(id, "sent");
    expect(sent).toHaveLength(1);
  });

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
    const { desk, outcomes, finishedOrder, deliveries, settled, sent, apologies, clock } = openDesk(world);
    const { id } = await finishedOrder("one");
    if (chat !== 7) await deliveries.moveChat(id, chat);
    if (fault) outcomes.push(fault);
    isFull = true;
    desk.kick(id);
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
    const { desk, outcomes, finishedOrder, clock, settled, deliveries, orders } = openDesk();
    outcomes.push(refusal(code, words));
    const { id } = await finishedOrder("one");
    desk.kick(id);
    await eventually("the postponement", async () => deliveries.find(id)?.attempts === 1);
    expect([deliveries.find(id)?.state, orders.find(id)?.state]).toEqual(["pending", "delivering"]);
    await clock.advance(300_000);
    await settled(id, "sent");
  });

  test("that could not be read is taken up when the database can be", async () => {
    const { desk, finishedOrder, clock, settled, deliveries, sent } = openDesk();
    const { id } = await finishedOrder("one");
    const find = deliveries.find.bind(deliveries);
    deliveries.find = () => {
      throw new Error("disk I/O error");
    };
    desk.kick(id);
    expect(sent).toEqual([]);
    deliveries.find = find;
    await clock.advance(1000);
    await settled(id, "sent");
  });

  test("that succeeds closes its order, which ends with its last words, and is not sent again", async () => {
    const { desk, finishedOrder, settled, orders, sent, lastWords } = openDesk();
    const { id } = await finishedOrder("one");
    desk.kick(id);
    await settled(id, "sent");
    expect(orders.find(id)?.state).toBe("closed");
    expect(lastWords).toEqual([[id, true]]);
    await eventually("rest", async () => !desk.isDelivering(7));
    desk.kick(id);
    expect([desk.isDelivering(7), sent.length]).toEqual([false, 1]);
  });

  test("of an order of which nothing was made ends with words that say so, also after a crash", async () => {
    const { desk, made, finishedOrder, settled, lastWords, database } = openDesk();
    made.isDone = false;
    const { id } = await finishedOrder("one");
    desk.kick(id);
    await settled(id, "sent");
    expect(lastWords).toEqual([[id, false]]);
    expect(database.all(owedWords, {})).toEqual([{ order_id: id, is_done: 0 }]);
  });

  test("is tried again exactly when a 429 says, not before", async () => {
    const { desk, outcomes, finishedOrder, clock, sent, settled, deliveries, tried } = openDesk();
    outcomes.push(refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }));
    const { id } = await finishedOrder("one");
    const start = clock.now();
    desk.kick(id);
    await eventually("the postponement", async () => deliveries.find(id)?.attempts === 1);
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
    const { desk, outcomes, finishedOrder, clock, sent, settled, deliveries } = openDesk();
    outcomes.push(fault(), fault(), fault());
    const { id } = await finishedOrder("one");
    desk.kick(id);
    for (const attempts of [1, 2, 3]) {
      await eventually(
        `postponement ${attempts}`,
        async () => (deliveries.find(id)?.attempts ?? 0) >= attempts,
      );
      await clock.advance(10_000);
    }
    await settled(id, "sent");
    const [first = 0, second = 0, third = 0] = sent.slice(1).map(({ at }, n) => at - (sent[n]?.at ?? 0));
    // Each pause has jitter over its upper half.
    expect([first >= 500, second >= 1000, third >= 2000, sent.length]).toEqual([true, true, true, 4]);
  });

  test("that faults kept from being made for hours is made within a minute after them", async () => {
    const { desk, outcomes, finishedOrder, clock, settled, sent, deliveries } = openDesk();
    const { id } = await finishedOrder("one");
    desk.kick(id);
    for (let fault = 1; fault <= 20; fault += 1) outcomes.push(brokenConnection());
    while (outcomes.length > 0) await clock.advance(60_000);
    await eventually("the last postponement", async () => deliveries.find(id)?.attempts === 20);
    await clock.advance(60_000);
    await settled(id, "sent");
    expect(sent).toHaveLength(21);
  });

  test("that faults keep from being made ends after seven days and twenty-one tries, with a record", async () => {
    const world = openDesk();
    const { desk, outcomes, finishedOrder, settled, orders, apologies, lastWords, lines, clock, tried } =
      world;
    const { id } = await finishedOrder("one");
    // The service was down meanwhile: that it is old alone says nothing.
    await clock.advance(8 * DAY_MS);
    outcomes.push(...Array.from({ length: 21 }, () => refusal(502, "Bad Gateway")));
    desk.kick(id);
    for (let tries = 1; tries <= 20; tries += 1) {
      await tried(tries);
      await eventually("the pause", async () => world.deliveries.find(id)?.attempts === tries);
      expect(world.state(id)).toBe("pending");
      await clock.advance((world.deliveries.find(id)?.nextTryAt ?? 0) - clock.now());
    }
    await settled(id, "expired");
    expect([orders.find(id)?.state, apologies, lastWords]).toEqual(["closed", [id], [[id, false]]]);
    expect(lines.filter(({ order_id, level }) => order_id === id && level === 50)).toHaveLength(1);
  });

  test("that is put off again and again ends after seven days, not before", async () => {
    const { desk, outcomes, finishedOrder, clock, settled, sent, deliveries } = openDesk();
    const soon = { retry_after: (6 * HOUR_MS) / 1000 };
    const { id } = await finishedOrder("one");
    for (let time = 1; time <= 40; time += 1) outcomes.push(refusal(429, "Too Many Requests", soon));
    desk.kick(id);
    for (let time = 1; time <= 28; time += 1) {
      await eventually(`try ${time}`, async () => deliveries.find(id)?.attempts === time);
      await clock.advance(6 * HOUR_MS);
    }
    await settled(id, "expired");
    expect(sent).toHaveLength(29);
  });

  test("that was asked for once more while it was sent waits as long as a 429 says", async () => {
    const { desk, outcomes, finishedOrder, clock, sent, settled, deliveries } = openDesk();
    outcomes.push(refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }));
    const { id } = await finishedOrder("one");
    desk.kick(id);
    desk.kick(id);
    await eventually("the postponement", async () => deliveries.find(id)?.attempts === 1);
    await clock.advance(16_999);
    expect(sent).toHaveLength(1);
    await clock.advance(1);
    await settled(id, "sent");
  });

  test("that has ended and is asked for again keeps none behind it waiting", async () => {
    const world = openDesk();
    for (const id of ["ended", "under way", "behind"]) await world.finishedOrder(id);
    await world.deliveries.end("ended", "sent", "sent", true);
    const open = closeGate(world);
    for (const id of ["under way", "ended", "behind"]) world.desk.kick(id);
    open();
    await world.settled("behind", "sent");
    expect(world.sent.map(({ orderId }) => orderId)).toEqual(["under way", "behind"]);
  });

  test("is parked when its person has blocked the bot, and goes on with their next update", async () => {
    const { desk, outcomes, finishedOrder, clock, settled, sent } = openDesk();
    outcomes.push(refusal(403, "Forbidden: bot was blocked by the user"));
    const { id } = await finishedOrder("one");
    desk.kick(id);
    await settled(id, "parked");
    await clock.advance(6 * DAY_MS);
    await desk.onContact(8);
    expect(sent).toHaveLength(1);
    await desk.onContact(7);
    await settled(id, "sent");
    expect(sent).toHaveLength(2);
    // From now on an update of theirs writes nothing.
    expect(desk.onContact(7)).toBeUndefined();
  });

  test("that could not be taken up when its person came back is taken up at their next update", async () => {
    const { desk, outcomes, finishedOrder, settled, state } = openDesk(
      openBotWorld(failOnce("commit:before", "delivery-unpark")),
    );
    outcomes.push(refusal(403, "Forbidden: bot was blocked by the user"));
    const { id } = await finishedOrder("one");
    desk.kick(id);
    await settled(id, "parked");
    await desk.onContact(7);
    expect(state(id)).toBe("parked");
    await desk.onContact(7);
    await settled(id, "sent");
  });

  test("that is refused by its person, who comes back before the refusal is known, goes on at once", async () => {
    const world = openDesk();
    const blocked = refusal(403, "Forbidden: bot was blocked by the user");
    world.outcomes.push(blocked, blocked);
    const { id } = await world.finishedOrder("one");
    const open = closeGate(world);
    world.desk.kick(id);
    await world.desk.onContact(7);
    open();
    // Whoever is silent since the second try has shut the bot out indeed.
    await world.settled(id, "parked");
    expect(world.sent).toHaveLength(2);
  });

  test("goes on when its person comes back while it is being parked, with nothing else of theirs parked", async () => {
    const { desk, outcomes, finishedOrder, settled, deliveries, sent } = openDesk();
    outcomes.push(refusal(403, "Forbidden: bot was blocked by the user"));
    const { id } = await finishedOrder("one");
    const park = deliveries.park.bind(deliveries);
    deliveries.park = async (orderId, outcome) => {
      await park(orderId, outcome);
      await desk.onContact(7);
    };
    desk.kick(id);
    await settled(id, "sent");
    expect(sent).toHaveLength(2);
  });

  test("that is being parked while its person comes back goes on at once", async () => {
    const { desk, outcomes, finishedOrder, settled, deliveries, sent } = openDesk();
    const blocked = refusal(403, "Forbidden: bot was blocked by the user");
    outcomes.push(blocked, blocked);
    const one = await finishedOrder("one");
    const two = await finishedOrder("two");
    desk.kick(one.id);
    await settled(one.id, "parked");
    // The update of the person comes while the second delivery is being written down: both are in one commit.
    const park = deliveries.park.bind(deliveries);
    deliveries.park = (orderId, outcome) => {
      const parked = park(orderId, outcome);
      void desk.onContact(7);
      return parked;
    };
    desk.kick(two.id);
    await settled(one.id, "sent");
    await settled(two.id, "sent");
    expect(sent).toHaveLength(4);
  });

  test("that was parked goes on after a restart too", async () => {
    const first = openDesk();
    first.outcomes.push(refusal(403, "Forbidden: bot was blocked by the user"));
    const { id } = await first.finishedOrder("one");
    first.desk.kick(id);
    await first.settled(id, "parked");
    const second = openDesk(first);
    second.desk.start();
    await second.desk.onContact(7);
    await second.settled(id, "sent");
  });

  test("that nobody comes back for ends after seven days, with a record for admins", async () => {
    const { desk, outcomes, finishedOrder, clock, settled, state, lines } = openDesk();
    outcomes.push(refusal(403, "Forbidden: bot was blocked by the user"));
    const { id } = await finishedOrder("one");
    desk.start();
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
    const { desk, finishedOrder, deliveries, clock, settled, apologies } = openDesk(world);
    const { id } = await finishedOrder("one");
    await deliveries.park(id, "blocked");
    isFull = true;
    desk.start();
    await clock.advance(7 * DAY_MS + 3 * HOUR_MS);
    expect(apologies).toEqual([id]);
    isFull = false;
    await clock.advance(10_000);
    await settled(id, "expired");
    expect(apologies).toEqual([id]);
    await desk.stop();
  });

  test("to a chat that does not exist ends, with a record", async () => {
    const { desk, outcomes, finishedOrder, settled, sent, lines } = openDesk();
    outcomes.push(refusal(400, "Bad Request: chat not found"));
    const { id } = await finishedOrder("one");
    desk.kick(id);
    await settled(id, "failed");
    expect(sent).toHaveLength(1);
    expect(lines.some(({ outcome }) => outcome === "chat not found")).toBe(true);
  });

  test.each([
    ["that Telegram will never take", refusal(400, "Bad Request: IMAGE_PROCESS_FAILED")],
    ["whose jobs are kept no more", new ContractError("job_not_found")],
  ])("%s ends, and its person is told where that is possible", async (_which, fault) => {
    const { desk, outcomes, finishedOrder, settled, apologies } = openDesk();
    outcomes.push(fault);
    const { id } = await finishedOrder("one");
    desk.kick(id);
    await settled(id, "failed");
    expect(apologies).toEqual([id]);
  });

  test("follows a group that became a supergroup", async () => {
    const { desk, outcomes, finishedOrder, settled, deliveries } = openDesk();
    outcomes.push(refusal(400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: -100123 }));
    const { id } = await finishedOrder("one");
    desk.kick(id);
    await settled(id, "sent");
    expect(deliveries.find(id)?.chatId).toBe(-100123);
  });

  test.each([
    ["has shut the bot out", refusal(403, "Forbidden: bot was kicked from the supergroup chat")],
    ["is gone", refusal(400, "Bad Request: chat not found")],
    ["takes no photos", refusal(400, "Bad Request: not enough rights to send photos to the chat")],
  ])("into a group that %s goes to its person instead", async (_what, fault) => {
    const { desk, outcomes, finishedOrder, settled, deliveries, apologies } = openDesk();
    outcomes.push(fault);
    const { id } = await finishedOrder("one");
    await deliveries.moveChat(id, -100123);
    desk.kick(id);
    await settled(id, "sent");
    expect(deliveries.find(id)?.chatId).toBe(7);
    expect(apologies).toEqual([]);
  });

  test("that a restart interrupted is taken up again", async () => {
    const first = openDesk();
    const { id } = await first.finishedOrder("one");
    const second = openDesk(first);
    second.desk.start();
    await second.settled(id, "sent");
    expect(second.sent).toHaveLength(1);
  });

  test("is one at a time in a chat", async () => {
    const world = openDesk();
    for (const id of ["a", "b", "c"]) await world.finishedOrder(id);
    for (const id of ["a", "b", "c", "a"]) world.desk.kick(id);
    expect(world.desk.isDelivering(7)).toBe(true);
    for (const id of ["a", "b", "c"]) await world.settled(id, "sent");
    expect(world.sent.map(({ orderId }) => orderId)).toEqual(["a", "b", "c"]);
    await eventually("rest", async () => !world.desk.isDelivering(7));
  });

  test("into one chat keeps those into other chats waiting for nothing", async () => {
    const world = openDesk();
    for (const [id, userId] of [
      ["a", 7],
      ["b", 7],
      ["c", 8],
    ] as const)
      await world.finishedOrder(id, userId);
    const open = closeGate(world);
    for (const id of ["a", "b", "c"]) world.desk.kick(id);
    expect(world.sent.map(({ orderId }) => orderId)).toEqual(["a", "c"]);
    open();
    for (const id of ["a", "b", "c"]) await world.settled(id, "sent");
  });

  test("that hangs keeps its place for five seconds, and 64 that hang keep all others waiting", async () => {
    const world = openDesk();
    const ids = Array.from({ length: 100 }, (_, at) => `order-${at}`);
    for (const [at, id] of ids.entries()) await world.finishedOrder(id, 1000 + at);
    const open = closeGate(world);
    for (const id of ids) world.desk.kick(id);
    const begun = [world.sent.length];
    for (const ms of [4999, 1, 5000, 60_000, 60_000]) {
      await world.clock.advance(ms);
      begun.push(world.sent.length);
    }
    expect(begun).toEqual([8, 8, 16, 24, 64, 64]);
    open();
    for (const id of ids) await world.settled(id, "sent");
    await eventually("rest", async () => ids.every((_, at) => !world.desk.isDelivering(1000 + at)));
    // Those that had left their places did not leave them once more at their end.
    const more = ids.slice(0, 20).map((id) => `more-${id}`);
    for (const [at, id] of more.entries()) await world.finishedOrder(id, 1000 + at);
    const openAgain = closeGate(world);
    for (const id of more) world.desk.kick(id);
    expect(world.sent.length - ids.length).toBe(8);
    openAgain();
    for (const id of more) await world.settled(id, "sent");
  });

  test("that is under way when the service stops is brought to its end, and no other begun", async () => {
    const world = openDesk();
    for (const id of ["a", "b"]) await world.finishedOrder(id);
    const open = closeGate(world);
    for (const id of ["a", "b"]) world.desk.kick(id);
    const stopped = world.desk.stop().then(() => ["a", "b"].map(world.state));
    world.desk.kick("b");
    open();
    expect(await stopped).toEqual(["sent", "pending"]);
    expect(world.sent).toHaveLength(1);
  });

  test("into another chat than the one that has ended is waited for by the stop too", async () => {
    const world = openDesk();
    await world.finishedOrder("a", 7);
    await world.finishedOrder("b", 8);
    const openA = closeGate(world);
    world.desk.kick("a");
    const openB = closeGate(world);
    world.desk.kick("b");
    const stopped = world.desk.stop().then(() => ["a", "b"].map(world.state));
    openA();
    await world.settled("a", "sent");
    await turnOfEvents();
    openB();
    expect(await stopped).toEqual(["sent", "sent"]);
  });

  test("that hangs is waited for by the stop for five seconds, and nothing is timed after it", async () => {
    const world = openDesk();
    await world.finishedOrder("a");
    closeGate(world);
    world.desk.start();
    let isStopped = false;
    const stopped = world.desk.stop().then(() => {
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
    const { desk, finishedOrder, lines } = openDesk(world);
    const { id } = await finishedOrder("one");
    isFull = true;
    desk.kick(id);
    const failures = () => lines.filter(({ msg }) => String(msg).includes("not written, trying again"));
    await eventually("a write that fails", () => failures().length > 0);
    // The clock stands still: nothing but the stop ends the pause before the next try.
    await desk.stop();
    expect(lines.at(-1)?.msg).toBe("delivery outcome not written");
  });
});
