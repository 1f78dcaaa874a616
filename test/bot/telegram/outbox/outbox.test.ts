import { expect, test } from "vitest";
import { Outbox } from "../../../../src/bot/telegram/outbox.js";
import { type BotWorld, brokenConnection, openBotWorld, refusal } from "../../../support/bot-world.js";
import { FakeTelegram } from "../../../support/fake-telegram.js";
import { silentLogger } from "../../../support/log.js";

const GROUP = { chatId: -1001, threadId: null, userId: 7 };
const FLOOD = refusal(429, "Too Many Requests: retry after 40", { retry_after: 40 });

function openOutbox(world: BotWorld = openBotWorld()) {
  const telegram = new FakeTelegram();
  const { database, clock } = world;
  const outbox = new Outbox(telegram.api, database, clock, silentLogger());
  const said = () => telegram.payloadsOf("sendMessage").map(({ text }) => text);
  return { ...world, telegram, outbox, said };
}

test("a message to a group in flood wait is said when the wait is over, before later ones", async () => {
  const { telegram, outbox, clock, said } = openOutbox();
  telegram.failNext("sendMessage", FLOOD);
  await outbox.say(GROUP, { text: "first" });
  await outbox.say(GROUP, { text: "second" });
  expect(said()).toEqual(["first"]);
  await clock.advance(39_999);
  expect(said()).toEqual(["first"]);
  await clock.advance(1);
  expect(said()).toEqual(["first", "first", "second"]);
  await outbox.say(GROUP, { text: "third" });
  expect(said().at(-1)).toBe("third");
});

test("what waits is said after a restart with its buttons, in its topic, and in the group where that is gone", async () => {
  const before = openOutbox();
  before.telegram.failNext("sendMessage", brokenConnection());
  const keyboard = { inline_keyboard: [[{ text: "Again", callback_data: "o:1" }]] };
  await before.outbox.say({ ...GROUP, threadId: 5 }, { text: "<b>news</b>", keyboard });
  before.outbox.stop();
  const { outbox, telegram, clock } = openOutbox(before);
  telegram.failNext("sendMessage", refusal(400, "Bad Request: message thread not found"));
  outbox.start();
  await clock.advance(0);
  const sent = { chat_id: -1001, text: "<b>news</b>", parse_mode: "HTML", reply_markup: keyboard };
  expect(telegram.payloadsOf("sendMessage")).toEqual([{ ...sent, message_thread_id: 5 }, sent]);
  outbox.stop();
  const { outbox: next, said } = openOutbox(before);
  next.start();
  await clock.advance(3_600_000);
  expect(said()).toEqual([]);
});

const KICKED = refusal(403, "Forbidden: bot was kicked from the supergroup chat");
const BLOCKED = refusal(403, "Forbidden: bot was blocked by the user");

test("what a group never takes is said to its person, at once or when its turn has come", async () => {
  const { telegram, outbox, clock } = openOutbox();
  const said = () => telegram.payloadsOf("sendMessage").map(({ chat_id, text }) => `${chat_id}: ${text}`);
  telegram.failNext("sendMessage", KICKED);
  await outbox.say({ ...GROUP, threadId: 5 }, { text: "a" });
  expect(said()).toEqual(["-1001: a", "7: a"]);
  expect(telegram.payloadsOf("sendMessage").at(-1)).not.toHaveProperty("message_thread_id");
  telegram.failNext("sendMessage", FLOOD, KICKED, brokenConnection());
  await outbox.say(GROUP, { text: "b" });
  telegram.refuse("sendMessage", KICKED, ({ chat_id }) => chat_id === -1001);
  await clock.advance(45_000);
  expect(said().slice(2)).toEqual(["-1001: b", "-1001: b", "7: b", "-1001: b", "7: b"]);
});

test("a refusal by the person too is thrown at once, and ends a message that waits", async () => {
  const { telegram, outbox, clock, said } = openOutbox();
  telegram.failNext("sendMessage", KICKED, BLOCKED);
  await expect(outbox.say(GROUP, { text: "a" })).rejects.toThrow("blocked");
  telegram.failNext("sendMessage", FLOOD, KICKED, BLOCKED);
  await outbox.say(GROUP, { text: "b" });
  await outbox.say(GROUP, { text: "c" });
  await clock.advance(40_000);
  expect(said()).toEqual(["a", "a", "b", "b", "b", "c"]);
});

test("a message that no group takes for a day is given up", async () => {
  const { telegram, outbox, clock, said } = openOutbox();
  telegram.failNext("sendMessage", ...Array.from({ length: 5000 }, () => FLOOD));
  await outbox.say(GROUP, { text: "old" });
  await clock.advance(25 * 3_600_000);
  telegram.recover();
  const before = said().length;
  await outbox.say(GROUP, { text: "new" });
  await clock.advance(60_000);
  expect(said().slice(before)).toEqual(["new"]);
});

test("a message to a person is sent at once, and its fault is the caller's", async () => {
  const { telegram, outbox, said, clock } = openOutbox();
  telegram.failNext("sendMessage", FLOOD);
  await expect(outbox.say({ ...GROUP, chatId: 7 }, { text: "hello" })).rejects.toThrow("Too Many");
  await clock.advance(100_000);
  expect(said()).toEqual(["hello"]);
});

test("what was sent is not sent again while its row cannot be deleted", async () => {
  const { telegram, outbox, clock, said, database } = openOutbox();
  telegram.failNext("sendMessage", FLOOD);
  await outbox.say(GROUP, { text: "once" });
  const { write } = database;
  database.write = () => Promise.reject(new Error("the disk is full"));
  await clock.advance(600_000);
  expect(said()).toEqual(["once", "once"]);
  database.write = write;
  await clock.advance(600_000);
  expect(said()).toEqual(["once", "once"]);
  await outbox.say(GROUP, { text: "next" });
  expect(said().slice(2)).toEqual(["next"]);
});
