import { afterEach, expect, test } from "vitest";
import { EVENTS_LOOK_MS, EVENTS_PER_HOUR, EventChat } from "../../../src/bot/notices/event-chat.js";
import { EventStore } from "../../../src/bot/notices/event-store.js";
import type { EventNotice } from "../../../src/bot/notices/notice-text.js";
import { asKopecks } from "../../../src/contract/price.js";
import { openBotGround } from "../../support/bot-ground.js";
import { type BotWorld, brokenConnection, openBotWorld, refusal } from "../../support/bot-world.js";
import { FakeTelegram } from "../../support/fake-telegram.js";
import { recordingLogger } from "../../support/log.js";
import { turnOfEvents } from "../../support/manual-clock.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CHAT = -100_500;

interface Sent {
  chat_id: number;
  text: string;
  message_thread_id?: number;
  at: number;
}

let stop: () => Promise<void> = async () => {};
afterEach(() => stop());

const newPerson = (user: string): EventNotice => ({ kind: "new_person", user });
const failures = (model: string): EventNotice => ({ kind: "failures", model, count: 3 });
const sale = (rubles: number): EventNotice => ({
  kind: "sale",
  model: "Veo 4",
  kopecks: asKopecks(rubles * 100),
  origin: "bot",
});
const figures = {
  paid: null,
  returned: null,
  given: null,
  newPeople: 0,
  buyers: 0,
  orders: 0,
  income: asKopecks(0),
  refunds: null,
  cost: null,
  margin: null,
};
const report: EventNotice = {
  kind: "report",
  report: { day: "2026-01-01", now: figures, before: figures, models: [], isElsewhere: true },
};

/** Lets a look end that has sent a few messages: each waits for two commits. */
async function settled({ database }: BotWorld): Promise<void> {
  for (let commit = 0; commit < 8; commit += 1) {
    await database.write("test", () => {});
    await turnOfEvents();
  }
}

/** One start of the service. */
function openChat(world: BotWorld = openBotWorld(), threadId: number | null = null) {
  const sent: Sent[] = [];
  const telegram = new FakeTelegram();
  telegram.api.config.use(async (call, method, payload, signal) => {
    const answer = await call(method, payload, signal);
    if (answer.ok) sent.push({ ...(payload as Omit<Sent, "at">), at: world.clock.now() });
    return answer;
  });
  const lost: number[] = [];
  const { logger, lines } = recordingLogger("info");
  const store = new EventStore(world.database);
  const bot = openBotGround({ world, telegram }, { logger });
  const onLost = () => void lost.push(world.clock.now());
  const chat = new EventChat(bot, { chatId: CHAT, threadId }, onLost);
  stop = () => chat.looks.stop();
  chat.looks.start();
  return {
    world,
    store,
    sent,
    telegram,
    lost,
    lines,
    chat,
    failAlways: (fault: Error) => telegram.refuse("sendMessage", fault, () => true),
    recover: () => telegram.refuse("sendMessage", brokenConnection(), () => false),
    /** Records notices in one commit. */
    tell: async (...notices: EventNotice[]) => {
      await world.database.write("test", (tx) => {
        for (const notice of notices) store.record(tx, notice, world.clock.now());
      });
    },
    async look() {
      await world.clock.advance(EVENTS_LOOK_MS);
      await settled(world);
    },
  };
}

test("each event is told at once, as a message in the topic, in order, and what is recorded meanwhile right after it", async () => {
  const { world, tell, sent } = openChat(undefined, 45);
  await settled(world);
  await tell(newPerson("Ann"), sale(900), failures("Veo 4"));
  await tell(newPerson("Boris"));
  await settled(world);
  const place = { chat_id: CHAT, message_thread_id: 45, at: world.clock.now() };
  expect(sent).toMatchObject([place, place, place, place]);
  // What asks for a look comes before people and sales.
  expect(sent.map(({ text }) => text.slice(0, 2))).toEqual(["🔴", "👤", "💰", "👤"]);
  expect(sent[2]?.text).toBe("💰 900\u00a0₽: Veo 4.");
});

test("what asks for a look is told at once behind any number of people", async () => {
  const { tell, look, sent, store, world } = openChat();
  for (let person = 0; person < 20; person += 1) {
    await tell(newPerson("A"));
    await look();
  }
  await world.database.write("test", (tx) => {
    for (let person = 0; person < 1100; person += 1) store.record(tx, newPerson("A"), world.clock.now());
  });
  await look();
  const before = sent.length;
  await tell(failures("Veo 4"));
  await look();
  expect(sent.slice(before).map(({ text }) => text.slice(0, 2))).toEqual(["🔴"]);
});

test("a flood is summed up, and never more than 20 messages are sent in an hour", async () => {
  const { tell, look, sent, world, store } = openChat();
  for (let minute = 0; minute < 100; minute += 1) {
    await tell(newPerson("A"), newPerson("B"), sale(600));
    if (minute % 10 === 0) await tell(failures(`Model ${minute}`));
    await look();
    await world.clock.advance(MINUTE_MS - EVENTS_LOOK_MS);
  }
  const inHourFrom = (at: number) => sent.filter((one) => one.at >= at && one.at < at + HOUR_MS).length;
  expect(Math.max(...sent.map(({ at }) => inHourFrom(at)))).toBeLessThanOrEqual(EVENTS_PER_HOUR);
  const summaries = sent.filter(({ text }) => text.startsWith("🗂"));
  expect(summaries.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/\d{2} new people\n.*\d{2} sales, [\d,]+\u00a0₽/),
  );
  // What asks for a look waited for nothing.
  const told = sent.filter(({ text }) => text.startsWith("🔴"));
  expect(told).toHaveLength(10);
  await world.clock.advance(HOUR_MS);
  await look();
  expect(store.waiting()).toEqual([]);
});

test("the hour is counted over restarts", async () => {
  const { tell, look, sent, world, chat } = openChat();
  for (let index = 0; index < EVENTS_PER_HOUR; index += 1) {
    await tell(failures(`Model ${index}`));
    await look();
  }
  expect(sent).toHaveLength(EVENTS_PER_HOUR);
  await chat.looks.stop();
  const next = openChat(world);
  await next.tell(failures("Late"));
  await next.look();
  expect(next.sent).toEqual([]);
  await world.clock.advance(HOUR_MS);
  await settled(world);
  expect(next.sent.map(({ text }) => text)).toEqual([expect.stringContaining("Late")]);
});

test("what was being sent when the process died is told again, but for a report", async () => {
  const { world, store, chat, tell } = openChat();
  await chat.looks.stop();
  await tell(report, failures("Veo 4"));
  const ids = store.waiting().map(({ id }) => id);
  await store.sending(ids, world.clock.now());
  const next = openChat(world);
  await next.look();
  await next.look();
  expect(next.sent.map(({ text }) => text)).toEqual([expect.stringContaining("Veo 4")]);
  expect(store.waiting()).toEqual([]);
});

test("a chat that the bot was thrown out of is one log line and one word to the admins, until it is back", async () => {
  const opened = openChat();
  const { tell, look, sent, failAlways, lost, lines, world, store } = opened;
  failAlways(refusal(403, "Forbidden: bot was kicked from the supergroup chat"));
  for (let hour = 0; hour < 4; hour += 1) {
    await tell(newPerson(`Ann ${hour}`));
    await look();
    await world.clock.advance(HOUR_MS);
  }
  expect(lost).toHaveLength(1);
  expect(lines.filter(({ msg }) => msg === "the bot cannot write to the event chat")).toHaveLength(1);
  await opened.chat.looks.stop();
  // A restart says it no second time.
  const next = openChat(world);
  next.failAlways(refusal(400, "Bad Request: chat not found"));
  await next.look();
  await next.look();
  expect(next.lost).toEqual([]);
  next.recover();
  await world.clock.advance(HOUR_MS + EVENTS_LOOK_MS);
  expect([...sent, ...next.sent].map(({ text }) => text)).toEqual([1, 2, 3, 4].map(() => expect.any(String)));
  expect(store.chat(CHAT).lost_since).toBeNull();
  next.failAlways(refusal(403, "Forbidden: bot was kicked from the supergroup chat"));
  await next.tell(newPerson("Boris"));
  await next.look();
  await next.look();
  expect(next.lost).toHaveLength(1);
});

test("an event without words, such as one of another version, holds up no other", async () => {
  const { tell, look, sent, store } = openChat();
  await tell({ kind: "of_another_version" } as never, failures("Veo 4"));
  await look();
  await look();
  expect(sent.map(({ text }) => text)).toEqual([expect.stringContaining("Veo 4")]);
  expect(store.waiting()).toEqual([]);
});

test("news that could not be told for a day is dropped", async () => {
  const { tell, look, failAlways, world, store } = openChat();
  failAlways(refusal(403, "Forbidden: bot was kicked"));
  await tell(newPerson("Ann"));
  await look();
  await world.clock.advance(25 * HOUR_MS);
  expect(store.waiting()).toEqual([]);
});

test("a group that became a supergroup is told under its new id, over restarts too", async () => {
  const { tell, look, sent, telegram, world, chat } = openChat();
  const upgraded = refusal(400, "Bad Request: group chat was upgraded", { migrate_to_chat_id: -100_700 });
  telegram.failNext("sendMessage", upgraded);
  await tell(newPerson("Ann"));
  await look();
  await look();
  expect(sent.map(({ chat_id }) => chat_id)).toEqual([-100_700]);
  await chat.looks.stop();
  const next = openChat(world);
  await next.tell(newPerson("Boris"));
  await next.look();
  await next.look();
  expect(next.sent.map(({ chat_id }) => chat_id)).toEqual([-100_700]);
});

test("a Telegram that cannot be reached loses nothing, and its failures are no messages of the hour", async () => {
  const { tell, look, sent, failAlways, recover, world, lost } = openChat();
  failAlways(brokenConnection());
  await tell(failures("Veo 4"));
  await world.clock.advance(6 * HOUR_MS);
  recover();
  await world.clock.advance(15 * MINUTE_MS);
  await tell(...Array.from({ length: EVENTS_PER_HOUR - 1 }, (_, index) => failures(`Model ${index}`)));
  await look();
  await look();
  expect(lost).toEqual([]);
  expect(sent).toHaveLength(EVENTS_PER_HOUR);
});
