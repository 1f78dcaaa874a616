import type { Message } from "grammy/types";
import { describe, expect, onTestFinished, test } from "vitest";
import { cardData } from "../../../src/bot/card/callback-data.js";
import {
  copies,
  MESSAGES_PER_HOUR,
  TICKETS_PER_MINUTE,
  topics,
} from "../../../src/bot/features/support/support-store.js";
import type { BotModules } from "../../../src/bot/modules.js";
import type { Transaction } from "../../../src/database/database.js";
import { ANN, BORIS, GROUP, IN_GROUP, MAX, PHOTO } from "../../support/bot-harness.js";
import { brokenConnection, refusal } from "../../support/bot-world.js";
import { openDesk, VERA } from "../../support/desk-world.js";
import { t } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { BOT } from "../../support/fake-telegram.js";

const FORUM = -200;
const THREAD = 501;
const IN_FORUM = { chat: { id: FORUM, type: "supergroup", title: "Desk", is_forum: true } } as const;
const IN_TOPIC = { ...IN_FORUM, is_topic_message: true, message_thread_id: THREAD } as const;

type Bot = NonNullable<Parameters<typeof openDesk>[0]>["bot"];

function openSupport(bot: Bot = {}, hasTopics = true) {
  const desk = openDesk({ bot: { eventsChat: { chatId: FORUM, threadId: null }, ...bot } });
  const { telegram, parts } = desk;
  if (hasTopics) telegram.answer("createForumTopic", { message_thread_id: THREAD, name: "", icon_color: 0 });
  else telegram.refuse("createForumTopic", refusal(400, "Bad Request: the chat is not a forum"), () => true);
  let lastCopy = 9000;
  const copied = () => telegram.payloadsOf("copyMessage");
  telegram.answer("copyMessage", {
    get message_id() {
      lastCopy += 1;
      return lastCopy;
    },
  });
  const support = parts.support;
  if (!support) throw new Error("no support");
  support.desk.start();
  onTestFinished(() => support.desk.stop());
  const brought = () => eventually("all is brought", async () => support.store.waiting() === undefined);
  return {
    ...desk,
    support,
    copied,
    brought,
    /** A message in the group of operators. */
    inGroup: (content: Partial<Message>, from = MAX) => desk.send({ ...IN_FORUM, ...content } as never, from),
    inTopic: (content: Partial<Message>, from = MAX) => desk.send({ ...IN_TOPIC, ...content } as never, from),
    async ask(words: string, from = ANN) {
      await desk.say("/support", from);
      await desk.say(words, from);
      await brought();
    },
  };
}

/** The same where Ann has a question already. */
async function openAsked(hasTopics = true) {
  const desk = openSupport({}, hasTopics);
  await desk.ask("blue");
  return desk;
}

function eraseAnn(tx: Transaction, { parts }: { parts: BotModules }): void {
  for (const part of parts.ownData) part.eraseIn(tx, ANN.id);
}

const replyTo = (id: number) =>
  ({ reply_to_message: { message_id: id, from: BOT } }) as unknown as Partial<Message>;

describe("a message to support", () => {
  test("is copied into the person's topic with buttons, and the next one into the same", async () => {
    const desk = openSupport();
    await desk.ask("my picture is blue");
    expect(desk.said()).toContain(t("support-taken"));
    expect(desk.telegram.payloadsOf("createForumTopic")).toMatchObject([
      { chat_id: FORUM, name: `Ann · ${ANN.id}` },
    ]);
    expect(desk.copied()).toMatchObject([
      { chat_id: FORUM, from_chat_id: ANN.id, message_thread_id: THREAD },
    ]);
    expect([...desk.buttons().keys()]).toEqual([t("button-support-answer"), t("button-account")]);
    await desk.ask("and late");
    expect(desk.telegram.callsOf("createForumTopic")).toHaveLength(1);
    expect(desk.copied()).toHaveLength(2);
  });

  test("comes in the language of the chat, whatever an admin chooses for herself", async () => {
    const desk = openSupport();
    await desk.say("/start", MAX);
    await desk.tap(`l:ru:${MAX.id}`, 1, MAX);
    await desk.ask("my picture is blue");
    expect([...desk.buttons().keys()]).toEqual([t("button-support-answer"), t("button-account")]);
  });

  test("may be words after the command, a picture, each part of an album, and a reply to an answer", async () => {
    const desk = openSupport();
    await desk.say("/support it is blue");
    await desk.say("/support");
    for (let part = 0; part < 3; part += 1) await desk.send({ photo: PHOTO, media_group_id: "a" });
    await desk.brought();
    expect(desk.copied()).toHaveLength(4);
    await desk.inTopic({ text: "Look again" });
    const [answer] = desk.toldTo(ANN.id).slice(-1);
    expect(answer).toBe(`${t("support-answer")}\n\nLook again`);
    const sentId = desk.support.store.sections(ANN.id)[1]?.rows as { message_id: number }[];
    await desk.say("it works", ANN, replyTo(sentId[0]?.message_id ?? 0));
    await desk.brought();
    expect(desk.copied()).toHaveLength(5);
  });

  test.each([
    "/support where is my money",
    "/paysupport@atelier_bot",
    "где мои деньги? заказ 12 не пришёл",
    "I was charged twice",
  ])("may be the screenshot with the caption %j, which a tap passes on", async (caption) => {
    const desk = openSupport();
    await desk.say("/image a fox");
    const { parameters } = desk.card();
    const sent = desk.message({ photo: PHOTO, caption });
    await desk.handle({ message: sent as never });
    expect(desk.telegram.payloadsOf("sendMessage").at(-1)).toMatchObject({
      text: t("talk-to-support"),
      reply_parameters: { message_id: sent.message_id },
    });
    expect(desk.labels()).toEqual([t("button-pass"), "✖️"]);
    expect(desk.card()).toMatchObject({ parameters });
    await desk.press(t("button-pass"), ANN, { reply_to_message: sent as never });
    await desk.brought();
    expect(desk.copied()).toMatchObject([{ from_chat_id: ANN.id, message_id: sent.message_id }]);
  });

  test("may be an album of screenshots, each of which a tap passes on", async () => {
    const desk = openSupport();
    await desk.say("/image a fox");
    const { parameters } = desk.card();
    const shared = { photo: PHOTO, media_group_id: "a1" };
    for (const caption of ["I was charged twice", undefined])
      await desk.handle({ message: desk.message({ ...shared, ...(caption && { caption }) }) as never });
    const said = desk.telegram.payloadsOf("sendMessage").slice(-2);
    expect(said).toMatchObject([{ text: t("talk-to-support") }, { text: t("talk-to-support") }]);
    expect(desk.card()).toMatchObject({ parameters });
  });

  test("is for support whole, also beside a page of a card that asks", async () => {
    const desk = openSupport();
    await desk.say("/music a fox");
    const { id, messageId, revision } = desk.card();
    await desk.tap(cardData.encode({ draftId: id, revision, action: "write" }), messageId ?? 0);
    await desk.say("/support");
    const video = { file_id: "v", file_unique_id: "v", width: 1, height: 1, duration: 1 };
    for (let part = 0; part < 3; part += 1) await desk.send({ video, media_group_id: "a" });
    await desk.say("/support");
    for (const words of ["x".repeat(4096), "the end"]) await desk.say(words);
    await desk.brought();
    expect(desk.copied()).toHaveLength(5);
    expect(desk.card()).toMatchObject({ id, view: { kind: "text" }, text: "a fox" });
  });

  test("that is edited is not brought again, which its person is told", async () => {
    const desk = openSupport();
    await desk.say("/support");
    await desk.say("order 12", ANN, { message_id: 4000 });
    await desk.edit(4000, "order 21");
    expect(desk.said().at(-1)).toBe(t("support-edited"));
    await desk.edit(4001, "order 21");
    await desk.brought();
    expect(desk.copied()).toHaveLength(1);
    expect(desk.said().filter((text) => text === t("support-edited"))).toHaveLength(1);
  });

  test("is copied once, however often its update comes", async () => {
    const desk = openSupport();
    await desk.say("/support");
    await desk.say("blue", ANN, { message_id: 5000 });
    await desk.say("/support");
    await desk.say("blue", ANN, { message_id: 5000 });
    await desk.brought();
    expect(desk.copied()).toHaveLength(1);
  });

  test.each([
    ["cannot be reached", brokenConnection()],
    ["asks for a pause", refusal(429, "Too Many Requests: retry after 3", { retry_after: 3 })],
  ])("waits while Telegram %s, and is brought then", async (_how, fault) => {
    const desk = openSupport();
    desk.telegram.failNext("copyMessage", fault);
    await desk.say("/support");
    await desk.say("blue");
    await eventually("a try", async () => desk.copied().length === 1);
    expect(desk.support.store.waiting()).toBeDefined();
    await eventually("a second try", async () => {
      await desk.core.clock.advance(10_000);
      return desk.copied().length === 2;
    });
    await desk.brought();
  });

  test("too many within a minute are refused once in words, then silently; an album counts once", async () => {
    const desk = openSupport();
    for (let count = 0; count < TICKETS_PER_MINUTE; count += 1) await desk.say("/support it is blue");
    for (let count = 0; count < 3; count += 1) await desk.say("/support it is blue");
    await desk.brought();
    expect(desk.copied()).toHaveLength(TICKETS_PER_MINUTE);
    expect(desk.said().filter((text) => text === t("support-too-many"))).toHaveLength(1);
    await desk.say("/support");
    await desk.say("a red fox");
    expect(desk.card().text, "the question does not swallow an order").toBe("a red fox");
    await desk.core.clock.advance(61_000);
    await desk.ask("still blue");
    expect(desk.copied()).toHaveLength(TICKETS_PER_MINUTE + 1);
  });

  test("too many within an hour are refused, also where they are albums", async () => {
    const desk = openSupport();
    for (let album = 0; album * 10 <= MESSAGES_PER_HOUR; album += 1) {
      await desk.say("/support");
      for (let part = 0; part < 10; part += 1) await desk.send({ photo: PHOTO, media_group_id: `a${album}` });
      await desk.core.clock.advance(61_000);
    }
    await desk.brought();
    expect(desk.copied()).toHaveLength(MESSAGES_PER_HOUR);
    expect(desk.said()).toContain(t("support-too-many"));
  });

  test("too many before the clock was set back keep nobody from writing after that", async () => {
    const desk = openSupport();
    for (let count = 0; count < TICKETS_PER_MINUTE; count += 1) await desk.say("/support it is blue");
    await desk.brought();
    desk.core.clock.step(-3 * 3_600_000);
    await desk.ask("still blue");
    expect(desk.copied()).toHaveLength(TICKETS_PER_MINUTE + 1);
  });

  test("that Telegram does not copy is told of in words", async () => {
    const desk = openSupport();
    desk.telegram.failNext("copyMessage", refusal(400, "Bad Request: message can't be copied"));
    await desk.ask("blue");
    expect(desk.toldTo(FORUM).at(-1)).toBe(t("support-uncopied"));
  });

  test("is taken from banned people, and from people who are not let in", async () => {
    for (const bot of [{}, { allowedUsers: [MAX.id] }]) {
      const desk = openSupport(bot);
      await desk.say("/start");
      await desk.max(`/ban ${ANN.id}`);
      await desk.ask("let me in");
      expect(desk.copied()).toHaveLength(1);
      expect(desk.said()).toContain(t("support-taken"));
    }
  });
});

describe("a topic", () => {
  test.each(["TOPIC_DELETED", "message thread not found"])(
    "that is gone (%s) is made anew",
    async (fault) => {
      const desk = openSupport();
      await desk.ask("blue");
      desk.telegram.refuse("reopenForumTopic", refusal(400, `Bad Request: ${fault}`), () => true);
      desk.telegram.failNext("copyMessage", refusal(400, `Bad Request: ${fault}`));
      desk.telegram.answer("createForumTopic", { message_thread_id: 777, name: "", icon_color: 0 });
      await desk.ask("still");
      expect(desk.copied().at(-1)).toMatchObject({ message_thread_id: 777 });
    },
  );

  test("that admins closed is opened again by the next message", async () => {
    const desk = await openAsked();
    await desk.inTopic({ forum_topic_closed: {} } as never);
    await desk.ask("still");
    expect(desk.telegram.payloadsOf("reopenForumTopic")).toMatchObject([{ message_thread_id: THREAD }]);
    expect(desk.copied().at(-1)).toMatchObject({ message_thread_id: THREAD });
  });
});

describe("without topics", () => {
  test("the group gets a header that names the person, and a reply to the copy is the answer", async () => {
    const desk = await openAsked(false);
    expect(desk.copied()).toMatchObject([{ chat_id: FORUM }]);
    expect(desk.toldTo(FORUM).at(-1)).toContain(`id <code>${ANN.id}</code>`);
    await desk.inGroup({ text: "look again", ...replyTo(9001) });
    expect(desk.toldTo(ANN.id).at(-1)).toBe(`${t("support-answer")}\n\nlook again`);
    expect(desk.toldTo(FORUM).at(-1)).toBe(t("support-arrived"));
    const sent = desk.telegram
      .payloadsOf("sendMessage")
      .find(({ chat_id, text }) => chat_id === ANN.id && String(text).includes("look"));
    expect(sent?.reply_parameters).toBeDefined();
  });

  test.each([
    ["the group", {}, [FORUM]],
    ["each admin", { eventsChat: undefined, supportContact: undefined }, [MAX.id, VERA.id]],
  ])(
    "%s gets one header and one row of buttons for an album, of which each part can be answered",
    async (_who, bot, chats) => {
      const desk = openSupport(bot, false);
      await desk.say("/support");
      for (let part = 0; part < 3; part += 1) await desk.send({ photo: PHOTO, media_group_id: "a" });
      await desk.brought();
      for (const chat of chats) {
        const copies = desk.copied().filter(({ chat_id }) => chat_id === chat);
        expect(copies.map(({ reply_markup }) => reply_markup !== undefined)).toEqual([true, false, false]);
        expect(desk.toldTo(chat)).toHaveLength(1);
      }
      const last = desk.copied().length + 9000;
      expect(
        desk.support.store.addresseeOfReply({ chat_id: chats.at(-1) ?? 0, message_id: last })?.user_id,
      ).toBe(ANN.id);
    },
  );

  test("a part of an album that follows a message of somebody else has a header of its own", async () => {
    const desk = openSupport({}, false);
    await desk.say("/support");
    await desk.send({ photo: PHOTO, media_group_id: "a" });
    await desk.ask("red", BORIS);
    await desk.send({ photo: PHOTO, media_group_id: "a" });
    await desk.brought();
    expect(desk.toldTo(FORUM).map((text) => text.includes(String(ANN.id)))).toEqual([true, false, true]);
  });

  test("a chat that cannot be written to leaves the message to each admin", async () => {
    const desk = openSupport({}, false);
    const kicked = refusal(403, "Forbidden: bot was kicked");
    desk.telegram.refuse("sendMessage", kicked, ({ chat_id }) => chat_id === FORUM);
    await desk.ask("blue");
    expect(desk.copied().map(({ chat_id }) => chat_id)).toEqual([MAX.id, VERA.id]);
    await desk.say("look again", MAX, replyTo(9001));
    expect(desk.toldTo(ANN.id).at(-1)).toContain("look again");
  });

  test("without a chat the contact is named", async () => {
    const { say, said } = openSupport({ eventsChat: undefined });
    await say("/support");
    expect(said()).toEqual([t("support-contact", { contact: "@help" })]);
  });

  const passing = refusal(429, "Too Many Requests: retry after 3", { retry_after: 3 });
  const forGood = refusal(400, "Bad Request: MESSAGE_ID_INVALID");
  test.each([
    ["passes", [passing, passing], 1],
    ["of one passes", [passing, forGood], 1],
    ["stays", [forGood, forGood], 0],
  ])(
    "a message of which admins have the header alone is tried again where the fault %s",
    async (_how, faults, more) => {
      const desk = openSupport({ eventsChat: undefined, supportContact: undefined });
      desk.telegram.failNext("copyMessage", ...faults);
      await desk.say("/support");
      await desk.say("blue");
      await eventually("the tries", async () => desk.copied().length === 2);
      await eventually("the end", async () => {
        await desk.core.clock.advance(10_000);
        return desk.support.store.waiting() === undefined;
      });
      expect(desk.copied()).toHaveLength(2 + 2 * more);
    },
  );
});

describe("an answer", () => {
  test("that was cut off by a crash is sent when its update runs again", async () => {
    const desk = await openAsked();
    const message_id = 5000;
    await desk.support.store.beginAnswer({ chat_id: FORUM, message_id }, ANN.id, () => {});
    await desk.inTopic({ text: "look", message_id });
    expect(desk.toldTo(ANN.id).at(-1)).toContain("look");
  });

  test("of an admin arrives once, formatted as written, and is an act in the audit", async () => {
    const desk = await openAsked();
    const entities = [{ type: "bold" as const, offset: 0, length: 4 }];
    const answer = { text: "Look again", entities, message_id: 5000 };
    for (let run = 0; run < 2; run += 1) await desk.inTopic(answer);
    expect(desk.toldTo(ANN.id).filter((text) => text.includes("Look again"))).toHaveLength(1);
    const sent = desk.telegram.payloadsOf("sendMessage").find(({ text }) => String(text).includes("Look"));
    const offset = t("support-answer").length + 2;
    expect(sent?.entities).toContainEqual({ type: "bold", offset, length: 4 });
    expect(desk.acts()).toMatchObject([{ act: "support_answer", actor: `telegram:${MAX.id}` }]);
  });

  test("that is an album is announced to the person, and as arrived, once", async () => {
    const desk = await openAsked();
    const before = desk.copied().length;
    for (let part = 0; part < 3; part += 1) await desk.inTopic({ photo: [], media_group_id: "a" } as never);
    expect(desk.copied().slice(before)).toHaveLength(3);
    expect(desk.toldTo(ANN.id).filter((text) => text === t("support-answer"))).toHaveLength(1);
    expect(desk.toldTo(FORUM).filter((text) => text === t("support-arrived"))).toHaveLength(1);
  });

  test.each([
    ["has blocked the bot", refusal(403, "Forbidden: bot was blocked by the user"), "support-blocked"],
    ["is not reached", refusal(400, "Bad Request: ENTITY_TEXT_INVALID"), "support-refused"],
  ])("to somebody who %s is told as not delivered", async (_how, fault, words) => {
    const desk = await openAsked();
    desk.telegram.failNext("sendMessage", fault);
    await desk.inTopic({ text: "look" });
    expect(desk.toldTo(FORUM).at(-1)).toBe(t(words));
  });

  test("of others, of anonymous admins and of bots stays there, with one hint each", async () => {
    const desk = await openAsked();
    const before = desk.toldTo(ANN.id).length;
    const anonymous = { id: 1087968824, is_bot: true, first_name: "Group" } as never;
    for (let count = 0; count < 2; count += 1) {
      await desk.inTopic({ text: "spam" }, BORIS);
      await desk.inTopic({ text: "hi", sender_chat: IN_FORUM.chat }, anonymous);
      await desk.inTopic({ text: "beep" }, { ...BORIS, id: 77, is_bot: true } as never);
    }
    expect(desk.toldTo(ANN.id)).toHaveLength(before);
    expect(desk.toldTo(FORUM).slice(-2)).toEqual([t("support-not-admin"), t("support-anonymous")]);
    expect(desk.parts.people.find(BORIS.id)).toBeUndefined();
  });

  test("is not what is said elsewhere: in other groups, other topics, and commands", async () => {
    const desk = await openAsked();
    const before = desk.toldTo(ANN.id).length;
    await desk.inTopic({ text: "hello", message_thread_id: THREAD + 1 });
    await desk.inGroup({ text: "hello" });
    await desk.inTopic({ text: "hello", chat: GROUP });
    await desk.inTopic({ text: "/id", entities: [{ type: "bot_command", offset: 0, length: 3 }] });
    expect(desk.toldTo(ANN.id)).toHaveLength(before);
  });

  test("is asked for by the button, whose question is answered by a reply", async () => {
    const desk = await openAsked(false);
    await desk.tap(`sp:a:${ANN.id}`, 9001, BORIS, IN_FORUM);
    expect(desk.answered().at(-1)).toContain("no longer works");
    await desk.tap(`sp:a:${ANN.id}`, 9001, MAX, IN_FORUM);
    // Nobody but the admin who is mentioned is made to answer.
    expect(desk.telegram.payloadsOf("sendMessage").at(-1)).toMatchObject({
      text: expect.stringContaining(`<a href="tg://user?id=${MAX.id}">`),
      reply_markup: { force_reply: true, selective: true },
    });
    const message_id = desk.telegram.lastId;
    const asked = desk.support.store.addresseeOfReply({ chat_id: FORUM, message_id });
    expect(asked).toMatchObject({ user_id: ANN.id });
    await desk.inGroup({ text: "look again", ...replyTo(desk.telegram.lastId) });
    expect(desk.toldTo(ANN.id).at(-1)).toContain("look again");
  });
});

test("a button of the group sends the account to the admin's private chat", async () => {
  const desk = await openAsked();
  await desk.tap(`ad:send:${ANN.id}`, 9001, BORIS, IN_FORUM);
  expect(desk.toldTo(BORIS.id)).toEqual([]);
  await desk.tap(`ad:send:${ANN.id}`, 9001, MAX, IN_FORUM);
  expect(desk.toldTo(MAX.id).at(-1)).toContain(`id <code>${ANN.id}</code>`);
  expect(desk.answered().at(-1)).toBe(t("sent-to-private"));
});

test("who is forgotten has nothing left: rows, topic, and what stands outside of it", async () => {
  const desk = await openAsked();
  await desk.inTopic({ text: "look" });
  expect(desk.support.store.sections(ANN.id).map(({ rows }) => [...rows].length)).toEqual([1, 1]);
  const copy = { chat_id: FORUM, message_id: 4, thread_id: null };
  await desk.support.store.keepCopy({ ...copy, user_id: ANN.id, asked_id: null });
  await desk.database.write("erase", (tx) => eraseAnn(tx, desk));
  expect(desk.support.store.sections(ANN.id).map(({ rows }) => [...rows].length)).toEqual([0, 0]);
  await eventually("the deletions", async () => !copies.get(desk.database, { user_id: null }));
  expect(desk.telegram.payloadsOf("deleteForumTopic")).toMatchObject([{ message_thread_id: THREAD }]);
  expect(desk.telegram.payloadsOf("deleteMessage")).toMatchObject([{ chat_id: FORUM, message_id: 4 }]);
});

test.each(["createForumTopic", "copyMessage"])(
  "who is forgotten during %s, while a message is brought, has nothing left either",
  async (method) => {
    const desk = openSupport();
    const release = desk.telegram.hold(method);
    await desk.say("/support");
    await desk.say("blue");
    await eventually("the call", async () => desk.telegram.callsOf(method).length === 1);
    await desk.database.write("erase", (tx) => eraseAnn(tx, desk));
    release();
    await eventually("the deletion", async () => desk.telegram.callsOf("deleteForumTopic").length === 1);
    await eventually("the end", async () => !topics.get(desk.database, { user_id: null }));
    expect(topics.get(desk.database, { user_id: ANN.id, chat_id: FORUM })).toBeUndefined();
    expect(desk.support.store.addresseeOfReply({ chat_id: FORUM, message_id: 9001 })).toBeUndefined();
  },
);

test("who is forgotten while a message is brought, and writes again, is heard", async () => {
  const desk = openSupport();
  const release = desk.telegram.hold("copyMessage");
  await desk.say("/support blue");
  await eventually("the call", async () => desk.copied().length === 1);
  await desk.database.write("erase", (tx) => eraseAnn(tx, desk));
  await desk.say("/support green");
  desk.telegram.answer("createForumTopic", { message_thread_id: THREAD + 1, name: "", icon_color: 0 });
  release();
  await desk.brought();
  expect(desk.copied().map(({ message_thread_id }) => message_thread_id)).toEqual([THREAD, THREAD + 1]);
});

test("a group gets neither the question nor payments, only a link to the private chat", async () => {
  const desk = openSupport();
  await desk.say("/paysupport@atelier_bot", ANN, IN_GROUP);
  expect(String(desk.said().at(-1))).toContain(t("support-private"));
  await desk.say("/start support");
  expect(String(desk.said().at(-1))).toContain(t("support-ask"));
});

test("/support names the numbers of the newest orders, which people can quote", async () => {
  const desk = openSupport();
  const { number } = await desk.finishedOrder("one");
  await desk.say("/support");
  expect(String(desk.said().at(-1))).toContain(`${t("order-number", { number: String(number) })} · `);
});
