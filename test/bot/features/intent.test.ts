import type { Message } from "grammy/types";
import { describe, expect, onTestFinished, test } from "vitest";
import { tickets } from "../../../src/bot/features/support/support-store.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { refusal } from "../../support/bot-world.js";
import { openDesk } from "../../support/desk-world.js";
import { texts, withText } from "../../support/drafts.js";
import { sharedAccount } from "../../support/fake-accounts.js";
import { BOT } from "../../support/fake-telegram.js";
import { keepResults } from "../../support/kept-results.js";
import { OFFER } from "../../support/payments.js";

const { t } = texts.in("en");
const BORIS = { ...ANN, id: 8, first_name: "Boris" };
const GROUP = { id: -100, type: "supergroup", title: "Friends" } as const;
const MINUTE = 60_000;
const RESULT = 50;
const photo = [{ file_id: "photo-1", file_unique_id: "p", width: 90, height: 90 }];

type Options = Parameters<typeof openBotHarness>[0];

function open(options: Options = {}) {
  const harness = openBotHarness(options);
  const { drafts, telegram } = harness;
  const card = (chatId: number = ANN.id) => withText(drafts.composing(ANN.id, chatId));
  /** Taps the button of the last keyboard, under a message that replies to words. */
  const press = (label: string, words = "", from = ANN) => {
    const data = [...harness.buttons()].find(([text]) => text.startsWith(label))?.[1];
    if (data === undefined) throw new Error(`no button ${label}: ${[...harness.buttons().keys()].join()}`);
    const replied = telegram.payloadsOf("sendMessage").at(-1)?.reply_parameters as { message_id: number };
    const reply_to_message = { message_id: replied?.message_id ?? 1, text: words, from: ANN } as never;
    const messageId = label === t("button-new-image") ? card()?.messageId : telegram.lastId;
    return harness.tap(data, messageId ?? 0, from, words === "" ? {} : { reply_to_message });
  };
  const labels = () => [...harness.buttons().keys()];
  return { ...harness, card, press, labels };
}

/** The bot after it has sent a picture of a fox to a chat. */
async function openAfterPicture(chatId: number = ANN.id) {
  const bot = open();
  await bot.finishedOrder("order-1", ANN.id, [1]);
  keepResults(bot.gateway);
  const file = { index: 0, track: 0, messageId: RESULT, fileId: "photo-0", as: "photo" as const };
  await bot.orders.saveFiles("order-1", [file], chatId);
  if (chatId !== ANN.id) await bot.orders.moveDelivery("order-1", chatId);
  return bot;
}

const noPrice = (labels: readonly string[]) => labels.every((label) => !label.includes("₽"));

describe("after a result", () => {
  test.each(["еще", "another one please"])(
    "«%s» offers 🎲 with its price, which orders once",
    async (words) => {
      const { say, said, card, press, labels, telegram, fakeService, gateway } = await openAfterPicture();
      gateway.kopecks = asKopecks(500_00);
      await say(words);
      expect(said()).toEqual([t("talk-more")]);
      expect(card()).toBeUndefined();
      expect(labels()[0]).toBe(t("button-another", { count: 1, price: "10\u00a0₽" }));
      expect(telegram.payloadsOf("sendMessage")[0]?.reply_parameters).toMatchObject({ message_id: RESULT });
      const data = [...telegram.buttons().values()][0] ?? "";
      await press(labels()[0] ?? "");
      await press("", words).catch(() => {});
      expect(data).toContain("order-1");
      expect(fakeService.submissions).toMatchObject([{ request: { prompt: "a fox" } }]);
    },
  );

  test("a quarter of an hour later there is nothing to repeat or to change", async () => {
    const { say, said, card, clock } = await openAfterPicture();
    await clock.advance(15 * MINUTE);
    await say("еще");
    await say("а можно ночью?");
    expect(said()).toEqual([t("talk-describe"), t("talk-unsure")]);
    expect(card()).toBeUndefined();
  });

  test("a change opens a card that quotes it, with the way to a new picture beside", async () => {
    const { say, card, press, telegram, labels } = await openAfterPicture();
    await say("а можно ночью?");
    expect(card()).toMatchObject({ text: "а можно ночью?", parameters: { reference_urls: ["result:1"] } });
    expect(telegram.payloadsOf("sendMessage").at(-1)?.reply_parameters).toMatchObject({ message_id: RESULT });
    expect(labels()).toContain(t("button-new-image"));
    await press(t("button-new-image"));
    expect(card()?.text).toBe("а можно ночью?");
    expect(card()?.parameters.reference_urls).toBeUndefined();
    expect(labels()).not.toContain(t("button-new-image"));
  });

  test("a description opens a card of its own", async () => {
    const { say, card } = await openAfterPicture();
    await say("рыжий кот в очках");
    expect(card()).toMatchObject({ text: "рыжий кот в очках" });
    expect(card()?.parameters.reference_urls).toBeUndefined();
  });

  test("«оживи» offers 🎬, which opens the card of a video of it", async () => {
    const { say, said, card, press } = await openAfterPicture();
    await say("оживи");
    expect(said()).toEqual([t("talk-animate")]);
    expect(card()).toBeUndefined();
    await press(t("button-animate"));
    expect(card()).toMatchObject({ type: "video", parameters: { start_frame_url: "result:1" } });
  });

  test("a follow-up that replies to it counts however old it is", async () => {
    const { say, said, clock } = await openAfterPicture();
    await clock.advance(60 * MINUTE);
    const reply_to_message = {
      message_id: RESULT,
      date: 1,
      chat: { id: ANN.id, type: "private" },
      from: BOT,
      photo,
    };
    await say("еще", ANN, { reply_to_message } as unknown as Partial<Message>);
    expect(said()).toEqual([t("talk-more")]);
  });
});

describe("a card with a photo", () => {
  test.each(["make a video of this", "оживи это"])(
    "becomes a video without a description by «%s»",
    async (words) => {
      const { send, say, card, labels } = open();
      await send({ photo });
      await say(words);
      expect(card()).toMatchObject({
        type: "video",
        text: null,
        parameters: { start_frame_url: "telegram:photo-1" },
      });
      expect(noPrice(labels().filter((label) => label.startsWith("✅")))).toBe(true);
    },
  );

  test("is of the kind that the caption names, and asks where that describes nothing", async () => {
    const { send, card } = open();
    await send({ photo, caption: "оживи это" });
    expect(card()).toMatchObject({ type: "video", text: null });
    await send({ photo, caption: "/image" });
    await send({ photo, caption: "где мои деньги?" });
    expect(card()).toMatchObject({ type: "image", text: null });
    await send({ photo, caption: "in a hat" });
    expect(card()?.text).toBe("in a hat");
  });
});

describe("about the card or the result", () => {
  test("a question about the price is answered with that of the open card", async () => {
    const { say, said } = open();
    await say("a red fox in the snow");
    await say("how much is it?");
    expect(said().at(-1)).toBe(t("talk-price-card", { price: "10\u00a0₽" }));
  });

  test("“meh” after a picture asks what to change", async () => {
    const { say, said } = await openAfterPicture();
    await say("meh");
    expect(said()).toEqual([t("talk-what-to-change")]);
  });
});

describe("words of doubt", () => {
  test("are asked about without a price, and a tap opens the card with them after a restart", async () => {
    const before = open();
    await before.say("кот?");
    expect(before.said()).toEqual([t("talk-unsure")]);
    expect(before.labels()).toEqual([t("button-draw"), t("button-help"), "✖️"]);
    expect(before.card()).toBeUndefined();
    const { database, clock, directory, drafts, orders, spool, finishedOrder } = before;
    const after = openBotHarness({
      world: { database, clock, directory, drafts, orders, spool, finishedOrder },
    });
    const data = before.buttons().get(t("button-draw")) ?? "";
    const reply_to_message = { message_id: 3, text: "кот?", from: ANN } as never;
    await after.tap(data, 9, BORIS, { reply_to_message });
    expect(after.answered()).toEqual([t("tap-not-yours", { atBot: "" })]);
    await after.tap(data, 9, ANN, { reply_to_message });
    await after.tap(data, 9, ANN, { reply_to_message });
    expect(withText(drafts.composing(ANN.id, ANN.id))).toMatchObject({ type: "image", text: "кот?" });
    expect(after.telegram.callsOf("sendMessage")).toHaveLength(1);
  });

  test("after a picture may be a change of it, which opens with them", async () => {
    const { say, press, card, labels, said } = await openAfterPicture();
    await say("my sister saw it from the train");
    expect(said()).toEqual([t("talk-unsure")]);
    expect(labels()).toEqual([t("button-draw"), t("button-help"), t("button-edit-last"), "✖️"]);
    await press(t("button-edit-last"), "my sister saw it from the train");
    expect(card()).toMatchObject({
      text: "my sister saw it from the train",
      parameters: { reference_urls: ["result:1"] },
    });
  });

  test("become the description of the open card, which keeps its photo", async () => {
    const { send, say, press, card, labels } = open();
    await send({ photo, caption: "/video a fox runs" });
    await say("why is the sky blue?");
    expect(labels()).toEqual([t("button-type-video"), t("button-help"), "✖️"]);
    expect(card()?.text).toBe("a fox runs");
    await press(t("button-type-video"), "why is the sky blue?");
    expect(card()).toMatchObject({
      type: "video",
      text: "why is the sky blue?",
      parameters: { start_frame_url: "telegram:photo-1" },
    });
  });

  test("are left alone with ✖️, which takes the question away", async () => {
    const { say, said, press, card, telegram } = open();
    await say("кот?");
    await press("✖️", "кот?", BORIS);
    expect(telegram.payloadsOf("deleteMessage")).toEqual([]);
    await press("✖️", "кот?");
    expect(telegram.payloadsOf("deleteMessage")).toHaveLength(1);
    telegram.failNext("deleteMessage", refusal(400, "Bad Request: message can't be deleted for everyone"));
    await press("✖️", "кот?");
    expect(telegram.payloadsOf("editMessageReplyMarkup")).toHaveLength(1);
    expect(said()).toEqual([t("talk-unsure"), undefined]);
    expect(card()).toBeUndefined();
  });

  test("lead to help with the other button", async () => {
    const { say, press, said } = open();
    await say("кот?");
    await press(t("button-help"), "кот?");
    await say("/help");
    expect(said().at(-2)).toBe(said().at(-1));
  });

  test("are the description where a card asks for one, but for those that describe nothing", async () => {
    const { say, card, said } = open();
    await say("/image");
    await say("еще");
    await say("где мои деньги?");
    await say("это");
    expect(card()?.text).toBeNull();
    expect(said().slice(-3)).toEqual([
      t("talk-describe"),
      t("talk-operator", { contact: "@help" }),
      t("talk-describe"),
    ]);
    await say("кот?");
    expect(card()?.text).toBe("кот?");
  });
});

describe("words for people", () => {
  function openSupport() {
    const desk = openDesk({ bot: { eventsChat: { chatId: -100, threadId: null } } });
    onTestFinished(() => desk.close());
    const card = () => withText(desk.drafts.composing(ANN.id, ANN.id));
    const waiting = () => tickets.all(desk.database, { user_id: ANN.id });
    const answer = async () => {
      const key = { chat_id: -100, message_id: desk.telegram.nextId() };
      await desk.parts.support?.store.beginAnswer(key, ANN.id, () => {});
    };
    return { ...desk, card, waiting, answer };
  }

  test("are passed on with a tap, once", async () => {
    const { say, said, tap, button, card, waiting, telegram } = openSupport();
    await say("где мои деньги?");
    expect(said()).toEqual([t("talk-to-support")]);
    expect(telegram.payloadsOf("sendMessage")[0]?.reply_parameters).toBeDefined();
    const pass = button(t("button-pass"));
    const draw = button(t("button-draw"));
    const reply_to_message = { message_id: 4, text: "где мои деньги?", from: ANN } as never;
    await tap(pass, 9, BORIS, { reply_to_message });
    expect(waiting()).toEqual([]);
    await tap(pass, 9, ANN, { reply_to_message });
    await tap(pass, 9, ANN, { reply_to_message });
    expect(waiting()).toMatchObject([{ message_id: 4, kind: "question" }]);
    expect(said()).toContain(t("support-taken"));
    expect(card()).toBeUndefined();
    await tap(draw, 9, ANN, { reply_to_message });
    expect(card()?.text).toBe("где мои деньги?");
  });

  test("are asked about for an hour after an answer, unless they describe a picture", async () => {
    const { say, said, answer, card, core } = openSupport();
    await answer();
    for (const words of ["а когда?", "да", "сбербанк"]) await say(words);
    expect(said()).toEqual([t("talk-to-support"), t("talk-to-support"), t("talk-to-support")]);
    expect(card()).toBeUndefined();
    await core.clock.advance(60 * MINUTE);
    await say("кот?");
    expect(said().at(-1)).toBe(t("talk-unsure"));
    await answer();
    await say("рыжий кот в очках");
    expect(card()?.text).toBe("рыжий кот в очках");
  });

  test("are told of an order that is still being made", async () => {
    const { say, said, orders, finishedOrder } = open();
    const { id } = await finishedOrder("order-1", ANN.id, [1]);
    expect(orders.isUnderWay(ANN.id, ANN.id)).toBe(true);
    await say("почему так долго?");
    expect(said()).toEqual([`${t("talk-under-way")}\n\n${t("talk-operator", { contact: "@help" })}`]);
    expect(id).toBe("order-1");
  });
});

describe("a command in words", () => {
  test.each([
    ["промокод ЛЕТО", "/promo ЛЕТО"],
    ["promo code SUMMER", "/promo SUMMER"],
    ["настройки", "/settings"],
    ["удали мои данные", "/settings"],
    ["история", "/balance"],
    ["my pictures", "/balance"],
    ["отменить заказ", "/cancel"],
    ["пополнить", "/topup"],
    ["как оплатить?", "/topup"],
  ])("«%s» is %s", async (words, command) => {
    const [spoken, sent] = [open({ stars: OFFER }), open({ stars: OFFER })];
    await spoken.say(words);
    await sent.say(command);
    expect(spoken.said()).toEqual(sent.said());
    expect(spoken.said().length).toBeGreaterThan(0);
    expect(spoken.card()).toBeUndefined();
  });

  test("with an account elsewhere leads to what there is", async () => {
    const [spoken, sent] = [open({ accounts: sharedAccount() }), open({ accounts: sharedAccount() })];
    for (const words of ["пополнить", "промокод ЛЕТО"]) await spoken.say(words);
    for (const command of ["/balance", "/help"]) await sent.say(command);
    expect(spoken.said()).toEqual(sent.said());
    await spoken.say("где мои деньги");
    expect(spoken.said().at(-1)).toBe(t("talk-operator", { contact: "@help" }));
  });
});

test("the name of a model opens a card of it that asks, and changes the open card", async () => {
  const { say, card, labels } = open();
  await say("Kling 4.0");
  expect(card()).toMatchObject({ type: "video", modelKey: "kling-4", text: null });
  expect(labels().some((label) => label.startsWith("✅"))).toBe(false);
  await say("a fox runs");
  await say("veo");
  expect(card()).toMatchObject({ type: "video", modelKey: "veo-3-1", text: "a fox runs" });
});

describe("in a group", () => {
  const replyTo = (from: object = BOT): Partial<Message> =>
    ({ chat: GROUP, reply_to_message: { message_id: RESULT, date: 1, chat: GROUP, from, photo } }) as never;

  test("what is said about a result in replies stays talk, until it asks for something", async () => {
    const { say, calls, card, said } = await openAfterPicture(GROUP.id);
    for (const words of ["круто", "ахаха да", "где мои деньги?", "ты видел это?"])
      await say(words, ANN, replyTo());
    expect(calls).toEqual([]);
    await say("без шляпы", ANN, replyTo());
    expect(card(GROUP.id)).toMatchObject({ text: "без шляпы", parameters: { reference_urls: ["result:1"] } });
    await say("еще", ANN, replyTo());
    expect(said().at(-1)).toBe(t("talk-more"));
  });

  test("words to the bot that are for people lead to the private chat", async () => {
    const { say, said, card } = open();
    await say("@atelier_bot где мои деньги?", ANN, { chat: GROUP });
    expect(said()).toEqual([expect.stringContaining(t("support-private"))]);
    expect(card(GROUP.id)).toBeUndefined();
  });
});
