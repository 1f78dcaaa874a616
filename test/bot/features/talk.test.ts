import type { Message } from "grammy/types";
import { describe, expect, test, vi } from "vitest";
import { tickets } from "../../../src/bot/features/support/support-store.js";
import { ANN, BORIS, GROUP, IN_GROUP, MAX, openBotHarness, PHOTO } from "../../support/bot-harness.js";
import { refusal } from "../../support/bot-world.js";
import { openDesk } from "../../support/desk-world.js";
import { t } from "../../support/drafts.js";
import { sharedAccount } from "../../support/fake-accounts.js";
import { BOT } from "../../support/fake-telegram.js";
import { keepResults } from "../../support/kept-results.js";
import { OFFER } from "../../support/stars-offer.js";

const MINUTE = 60_000;
const RESULT = 50;
const DRAGON = "a dragon flies over the castle";
const FRAMED = { start_frame_url: "telegram:photo-1" };
const ASKED = "My sister saw it from the train";

function open(options: Parameters<typeof openBotHarness>[0] = {}) {
  const harness = openBotHarness(options);
  /** Taps the button of the last keyboard, under a message that replies to words, so often. */
  const pressUnder = async (label: string, words: string, from = ANN, times = 1) => {
    const [, data = ""] = [...harness.buttons()].find(([text]) => text.startsWith(label)) ?? [];
    const replied = harness.telegram.payloadsOf("sendMessage").at(-1)?.reply_parameters as Message;
    const reply_to_message = { message_id: replied.message_id, text: words, from: ANN } as never;
    for (let time = 0; time < times; time += 1)
      await harness.tap(data, undefined, from, { reply_to_message });
  };
  return { ...harness, pressUnder };
}

async function openCard(words = `/video ${DRAGON}`) {
  const bot = open();
  await bot.say(words);
  return bot;
}

/** The bot after it has sent a picture of a fox to a chat. */
async function openAfterPicture(chatId: number = ANN.id) {
  const bot = open();
  await bot.sentOrder("order-1", ANN.id, [1], chatId);
  keepResults(bot.gateway);
  if (chatId !== ANN.id) await bot.orders.moveDelivery("order-1", chatId);
  return bot;
}

/** A reply to the picture. */
const toResult = (chat: object): Partial<Message> =>
  ({ chat, reply_to_message: { message_id: RESULT, date: 1, chat, from: BOT, photo: PHOTO } }) as never;

describe("a text", () => {
  test.each(["", "/image "])(
    "that its client split into two messages is one prompt after %j, and both parts stay editable",
    async (command) => {
      const { say, edit, card } = open();
      const begin = `a red fox${" in the snow".repeat(200)}`;
      await say(command + begin);
      const first = card().promptMessageId ?? 0;
      await say("the end", ANN, { message_id: 5000 });
      expect(card().text).toBe(`${begin}\nthe end`);
      const changed = `a grey wolf${" in the snow".repeat(200)}`;
      await edit(first, changed);
      expect(card().text).toBe(`${changed}\nthe end`);
      await edit(5000, "a hen");
      expect(card().text).toBe(`${changed}\na hen`);
    },
  );

  test.each([
    ["@atelier_bot a fox", "a fox"],
    ["@Atelier_Bot, a fox", "a fox"],
    ["a fox @atelier_bot", "a fox"],
    ["@atelier_bot: a fox @atelier_bot", "a fox"],
    ["/image @atelier_bot a fox", "a fox"],
    ["a fox with @atelier_bot on its coat", "a fox with @atelier_bot on its coat"],
    ["@atelier_bot_2 a fox", "@atelier_bot_2 a fox"],
  ])("in a private chat describes without the bot's own name: %s", async (said, described) => {
    const { say, card } = open();
    await say(said);
    expect(card()).toMatchObject({ type: "image", text: described });
  });
});

describe("words that are no description", () => {
  test("are answered without a card", async () => {
    const { say, said, card } = open();
    for (const words of ["thanks!", "👍", "42", "оператор", "How much?"]) await say(words);
    const talk = [t("talk-thanks"), t("talk-describe"), t("talk-describe")];
    expect(said().slice(0, 4)).toEqual([...talk, t("talk-operator", { contact: "@help" })]);
    expect(String(said()[4]).split("\n"), "the lowest price of each kind").toHaveLength(4);
    expect(card()).toBeUndefined();
  });

  test("leave the open card as it is", async () => {
    const { say, said, card } = await openCard("a red fox in the snow");
    const before = card();
    for (const words of ["привет", "yes", "нет", "thank you", "7", "how much is it?"]) await say(words);
    const talk = ["talk-confirm", "talk-other", "talk-thanks", "talk-describe"].map((key) => t(key));
    expect(said().slice(-5, -1)).toEqual(talk);
    // Its price, and those of every kind, which they may mean.
    const prices = String(said().at(-1)).split("\n");
    expect(prices[0]).toBe(t("talk-price-card", { price: "10\u00a0₽" }));
    expect(prices.slice(3).map((line) => line[0])).toEqual([..."🖼🎬🎵"].map((sign) => sign[0]));
    expect(card()).toEqual(before);
  });

  test("set what they name of the open card", async () => {
    const { say, said, card } = await openCard("a red fox in the snow");
    await say("16:9, in 4K");
    await say("two pictures please");
    const settings = { aspect_ratio: "16:9", resolution: "4K", count: 2 };
    expect(card()).toMatchObject({ text: "a red fox in the snow", parameters: settings });
    expect(said().at(-1)).toContain("a red fox in the snow");
  });

  test("ask a service for no models where they name none, and no setting", async () => {
    const { say, gateway, said } = await openCard("a red fox in the snow");
    const models = vi.spyOn(gateway, "models");
    await say("thanks");
    expect(said().at(-1)).toContain(t("talk-thanks"));
    expect(models).not.toHaveBeenCalled();
  });

  test.each([
    [["/image авто"], { text: "авто" }],
    [["/image", "авто"], { text: "авто" }],
    [["/music jazz"], { text: null, parameters: { style_preset_id: "jazz" } }],
    [["/music", "рок"], { text: null, parameters: { style_preset_id: "rock" } }],
  ])("describe what has no description, where they may alone: %j", async (sent, made) => {
    const { say, card } = open();
    for (const words of sent) await say(words);
    expect(card()).toMatchObject(made);
  });

  test("set nothing on an open card where they reply to a picture", async () => {
    const { say, card } = await openAfterPicture();
    await say("/image a red fox in the snow");
    await say("in 4K", ANN, toResult({ id: ANN.id, type: "private", first_name: "Ann" }));
    expect(card().parameters.resolution).toBe("1K");
  });

  test.each([
    ["меню", "/start"],
    ["help", "/help"],
    ["язык", "/language"],
    ["мои картинки", "/balance"],
    ["promo code SUMMER", "/promo SUMMER"],
    ["удали мои данные", "/settings"],
    ["отменить заказ", "/cancel"],
    ["как оплатить?", "/topup"],
  ])("«%s» is the command %s", async (words, command) => {
    const [spoken, sent] = [open({ stars: OFFER }), open({ stars: OFFER })];
    await spoken.say(words);
    await sent.say(command);
    expect(spoken.said()).toEqual(sent.said());
    expect(spoken.said().length).toBeGreaterThan(0);
    expect(spoken.card()).toBeUndefined();
  });

  test("lead to what there is where accounts are elsewhere", async () => {
    const [spoken, sent] = [open({ accounts: sharedAccount() }), open({ accounts: sharedAccount() })];
    for (const words of ["пополнить", "промокод ЛЕТО"]) await spoken.say(words);
    for (const command of ["/balance", "/help"]) await sent.say(command);
    expect(spoken.said()).toEqual(sent.said());
    await spoken.say("где мои деньги");
    expect(spoken.said().at(-1)).toBe(t("talk-operator", { contact: "@help" }));
  });

  test("are none where a card asks for one either, but any may be a title or sung", async () => {
    const { say, said, card, press } = await openCard();
    await press("⚙️");
    await press("✍️");
    for (const words of ["привет", "thanks", "еще", "это", "где мои деньги?"]) await say(words);
    const talk = [t("talk-thanks"), t("talk-describe"), t("talk-describe")];
    expect(said().slice(-4)).toEqual([...talk, t("talk-operator", { contact: "@help" })]);
    expect(card().text).toBe(DRAGON);
    await say("кот?");
    expect(said().at(-1)).toBe(t("talk-unsure"));
    expect(card().text).toBe(DRAGON);
    const song = await openCard("/music a slow song about the sea");
    await song.press("⚙️");
    await song.press("Title");
    await song.say("Thanks");
    expect(song.card().parameters).toMatchObject({ title: "Thanks" });
  });

  test("open the kind that they name, where a card asks for another", async () => {
    for (const isAsked of [false, true]) {
      const { say, press, card } = open();
      await say("/video");
      if (isAsked) await press("⚙️");
      if (isAsked) await press("✍️");
      await say("draw a cat in a hat");
      expect(card()).toMatchObject({ type: "image", text: "draw a cat in a hat" });
    }
  });

  test("are left alone in a group, except those that mention the bot", async () => {
    const { say, said, card, calls } = open();
    for (const words of ["thanks", "привет"]) await say(words, ANN, IN_GROUP);
    expect(calls).toEqual([]);
    for (const words of ["привет", "thanks", "где мои деньги?"])
      await say(`@atelier_bot ${words}`, ANN, IN_GROUP);
    expect(said()).toEqual([
      expect.stringContaining(t("start-hello", { name: "Ann" })),
      t("talk-thanks"),
      expect.stringContaining(t("support-private")),
    ]);
    await say("@atelier_bot make a video of a fox", ANN, IN_GROUP);
    expect(card(GROUP.id)).toMatchObject({ type: "video", text: "a fox" });
    await say("a wolf in the forest", ANN, IN_GROUP);
    expect(card(GROUP.id)).toMatchObject({ type: "video", text: "a fox" });
    await say("@atelier_bot an owl in the forest", ANN, IN_GROUP);
    expect(card(GROUP.id)).toMatchObject({ type: "image", text: "an owl in the forest" });
  });
});

describe("a request in words", () => {
  test("is changed by an edit", async () => {
    const { say, edit, card } = await openCard("сделай видео: кот бежит");
    await edit(card().promptMessageId ?? 0, "сделай видео: пёс бежит");
    expect(card()).toMatchObject({ type: "video", text: "пёс бежит" });
    await say("a castle in the dark forest");
    await edit(card().promptMessageId ?? 0, "a wolf");
    expect(card().text).toBe("a wolf");
  });

  test("for the kind of the open card keeps its photo and its settings, and shows it again", async () => {
    const { send, say, said, card } = open();
    await send({ photo: PHOTO, caption: "/video" });
    await say("make a video of the sea");
    const shown = said().at(-1);
    await say("make a video");
    expect(card()).toMatchObject({ type: "video", text: "the sea", parameters: FRAMED });
    expect(said().slice(-2)).toEqual([shown, shown]);
  });

  test("is the name of a model, whose card asks, and which the open card changes to", async () => {
    const { say, card, labels } = open();
    await say("Kling 4.0");
    expect(card()).toMatchObject({ type: "video", modelKey: "kling-4", text: null });
    expect(labels().join()).not.toContain("✅");
    await say("a fox runs");
    await say("veo");
    expect(card()).toMatchObject({ type: "video", modelKey: "veo-3-1", text: "a fox runs" });
    await say("flux");
    expect(card()).toMatchObject({ type: "image", modelKey: "flux-2-pro" });
  });

  test("may be a photo's caption, and one that describes nothing leaves the card asking", async () => {
    const { send, card } = open();
    await send({ photo: PHOTO, caption: "оживи это" });
    expect(card()).toMatchObject({ type: "video", text: null });
    await send({ photo: PHOTO, caption: "/image" });
    await send({ photo: PHOTO, caption: "где мои деньги?" });
    expect(card()).toMatchObject({ type: "image", text: null });
    await send({ photo: PHOTO, caption: "in a hat" });
    expect(card().text).toBe("in a hat");
  });
});

describe("a text typed on a page of choices", () => {
  test.each([
    ["Length", "7"],
    ["Length", "another dragon"],
    ["Length", "да ладно"],
    ["Sound", "quite loud"],
    ["🎨", "a cat on a roof in the rain"],
  ])("%s: «%s» asks for a tap", async (page, words) => {
    const { press, say, said, card, labels } = await openCard();
    if (!labels().some((label) => label.startsWith(page))) await press("⚙️");
    await press(page);
    const before = card();
    await say(words);
    expect(said().at(-1)).toBe(t("choose-by-tap"));
    expect(card()).toEqual({ ...before, refusals: 1 });
  });
});

test("“back” leaves a page of the card, and never cancels it", async () => {
  const { press, say, said, card } = await openCard();
  for (const page of ["Length", "🎨", t("button-more")]) {
    await press(page);
    await say("назад");
    expect(card()).toMatchObject({ view: { kind: "card" }, text: DRAGON });
  }
  await say("back");
  expect(said().at(-1)).toBe(t("talk-other"));
  expect(card().text).toBe(DRAGON);
  await say("/cancel");
  expect(card()).toBeUndefined();
});

test("“back” cancels no card of a group", async () => {
  const { say, said, card } = open();
  await say("@atelier_bot a fox", ANN, IN_GROUP);
  await say("@atelier_bot назад", ANN, IN_GROUP);
  expect(said().at(-1)).toBe(t("talk-other"));
  expect(card(GROUP.id).text).toBe("a fox");
});

test("on the page of a style a word for music is no song, and asks for a tap", async () => {
  const { press, say, said, card } = await openCard("/music a slow song about the sea");
  await press("Style");
  await say("рэп");
  expect(said().at(-1)).toBe(t("choose-by-tap"));
  expect(card()).toMatchObject({ view: { kind: "parameter" }, text: "a slow song about the sea" });
});

test("a single word beside a longer description is asked about, and replaces it only after a tap", async () => {
  const { press, say, said, card, labels } = await openCard();
  await say("castles");
  expect(card().text).toBe(DRAGON);
  expect(said().at(-1)).toContain(t("replace-question", { name: "Description", text: "castles" }));
  expect(labels()).toEqual([t("button-replace"), t("button-keep")]);
  await say("yes");
  expect(said().at(-1)).toBe(t("choose-by-tap"));
  expect(card().text).toBe(DRAGON);
  await press(t("button-keep"));
  expect(card()).toMatchObject({ text: DRAGON, view: { kind: "card" } });
  await say("castles");
  await press(t("button-replace"));
  expect(card()).toMatchObject({ text: "castles", view: { kind: "card" } });
  await say("wolf");
  expect(card().text, "a short one is replaced").toBe("wolf");
  await say("a wolf howls at the moon");
  await say("castles");
  await say("a wolf howls at the sun");
  // Several words replace any.
  expect(card()).toMatchObject({ text: "a wolf howls at the sun", view: { kind: "card" } });
});

describe("after a result", () => {
  test("«еще» offers 🎲 with its price, which orders once", async () => {
    const { say, said, card, tap, buttons, telegram, fakeService } = await openAfterPicture();
    await say("еще");
    expect(said()).toEqual([t("talk-more")]);
    expect(card()).toBeUndefined();
    expect(telegram.payloadsOf("sendMessage")[0]?.reply_parameters).toMatchObject({ message_id: RESULT });
    const data = buttons().get(t("button-another", { count: 1, price: "10\u00a0₽" })) ?? "";
    await tap(data);
    await tap(data);
    expect(fakeService.submissions).toMatchObject([{ request: { prompt: "a fox" } }]);
  });

  test("«еще» offers nothing to a person who is banned, nor to anybody who replies to a picture of another", async () => {
    const { say, said, telegram } = await openAfterPicture(GROUP.id);
    await say("@atelier_bot еще", BORIS, toResult(GROUP));
    await say("@atelier_bot еще", ANN, toResult(GROUP));
    expect(said()).toEqual([t("talk-describe"), t("talk-more")]);
    await say(`/ban ${ANN.id} rude words`, MAX);
    await say("@atelier_bot еще", ANN, toResult(GROUP));
    expect(said().at(-1)).toBe(t("refused-account_banned"));
    expect(telegram.payloadsOf("sendMessage").at(-1)?.reply_markup).toBeUndefined();
  });

  test("a quarter of an hour later there is nothing to repeat or to change, but in a reply to it", async () => {
    const { say, said, card, clock } = await openAfterPicture();
    await clock.advance(15 * MINUTE);
    await say("еще");
    await say("а можно ночью?");
    await say("еще", ANN, toResult({ id: ANN.id, type: "private" }));
    expect(said()).toEqual([t("talk-describe"), t("talk-unsure"), t("talk-more")]);
    expect(card()).toBeUndefined();
  });

  test("a change opens a card that quotes it, with the way to a new picture beside", async () => {
    const { say, card, press, telegram, labels } = await openAfterPicture();
    await say("а можно ночью?");
    expect(card()).toMatchObject({ text: "а можно ночью?", parameters: { reference_urls: ["result:1"] } });
    expect(telegram.payloadsOf("sendMessage").at(-1)?.reply_parameters).toMatchObject({ message_id: RESULT });
    await press(t("button-new-image"));
    expect(card().text).toBe("а можно ночью?");
    expect(card().parameters.reference_urls).toBeUndefined();
    expect(labels()).not.toContain(t("button-new-image"));
  });

  test("a description opens a card of its own, and “meh” asks what to change", async () => {
    const { say, said, card } = await openAfterPicture();
    await say("meh");
    expect(said()).toEqual([t("talk-what-to-change")]);
    await say("рыжий кот в очках");
    expect(card()).toMatchObject({ text: "рыжий кот в очках" });
    expect(card().parameters.reference_urls).toBeUndefined();
  });

  test("«оживи» offers 🎬, which opens the card of a video of it", async () => {
    const { say, said, card, press } = await openAfterPicture();
    await say("оживи");
    expect(said()).toEqual([t("talk-animate")]);
    expect(card()).toBeUndefined();
    await press(t("button-animate"));
    expect(card()).toMatchObject({ type: "video", parameters: { start_frame_url: "result:1" } });
  });

  test("what is said about it in a group, in replies, stays talk until it asks for something", async () => {
    const { say, calls, card, said } = await openAfterPicture(GROUP.id);
    for (const words of ["круто", "ахаха да", "где мои деньги?", "ты видел это?"])
      await say(words, ANN, toResult(GROUP));
    expect(calls).toEqual([]);
    await say("без шляпы", ANN, toResult(GROUP));
    expect(card(GROUP.id)).toMatchObject({ text: "без шляпы", parameters: { reference_urls: ["result:1"] } });
    await say("еще", ANN, toResult(GROUP));
    expect(said().at(-1)).toBe(t("talk-more"));
  });
});

describe("words of doubt", () => {
  test("are asked about without a price, and a tap opens the card with them after a restart", async () => {
    const before = open();
    await before.say("кот?");
    expect(before.said()).toEqual([t("talk-unsure")]);
    expect(before.labels()).toEqual([t("button-draw"), t("button-help"), "✖️"]);
    expect(before.card()).toBeUndefined();
    const after = open({ world: before });
    const data = before.buttons().get(t("button-draw")) ?? "";
    const reply_to_message = { message_id: 3, text: "кот?", from: ANN } as never;
    await after.tap(data, 9, BORIS, { reply_to_message });
    expect(after.answered()).toEqual([t("tap-not-yours", { atBot: "" })]);
    await after.tap(data, 9, ANN, { reply_to_message });
    await after.tap(data, 9, ANN, { reply_to_message });
    expect(after.card()).toMatchObject({ type: "image", text: "кот?" });
    expect(after.telegram.callsOf("sendMessage")).toHaveLength(1);
  });

  test("after a picture may be a change of it, which opens with them", async () => {
    const { say, pressUnder, card, labels, said } = await openAfterPicture();
    await say(ASKED);
    expect(said()).toEqual([t("talk-unsure")]);
    expect(labels()).toEqual([t("button-draw"), t("button-help"), t("button-edit-last"), "✖️"]);
    await pressUnder(t("button-edit-last"), ASKED);
    expect(card()).toMatchObject({ text: ASKED, parameters: { reference_urls: ["result:1"] } });
  });

  test("after a song may be another one, which opens with them", async () => {
    const { say, pressUnder, card, labels, finishedOrder, orders } = open();
    await finishedOrder("order-1", ANN.id, [1], {
      type: "music",
      model_key: "music:suno",
      prompt: "a waltz",
    });
    await orders.saveFiles(
      "order-1",
      [{ index: 0, track: 0, messageId: RESULT, fileId: "song", as: "audio" }],
      ANN.id,
    );
    await say(ASKED);
    expect(labels()).toEqual([t("button-draw"), t("button-help"), t("button-type-music"), "✖️"]);
    await pressUnder(t("button-type-music"), ASKED);
    expect(card()).toMatchObject({ type: "music", text: ASKED });
  });

  test.each([
    ["button-add", `${DRAGON}, ${ASKED}`],
    ["button-type-video", ASKED],
  ])(
    "keep the photo and the settings of the card where %s is under an older question",
    async (label, text) => {
      const { send, say, message, handle, buttons, tap, card, answered } = open();
      await send({ photo: PHOTO, caption: "/video a fox runs" });
      const asked = message({ text: ASKED });
      await handle({ message: asked as never });
      const data = buttons().get(t(label)) ?? "";
      await say(DRAGON);
      const { id, takenMessageId } = card();
      for (let time = 0; time < 2; time += 1) await tap(data, 50, ANN, { reply_to_message: asked as never });
      expect(card()).toMatchObject({ id, text, parameters: FRAMED, takenMessageId });
      expect(answered().slice(-2)).toEqual([undefined, t("start-card-open")]);
    },
  );

  test("of a song's own words are added as a line", async () => {
    const { say, press, card, pressUnder } = await openCard("/music");
    await press(t("button-write-lyrics"));
    await say("Mother, mother of the hills");
    await say("You are the best in the world");
    if (card().text === "Mother, mother of the hills")
      await pressUnder(t("button-add"), "You are the best in the world");
    expect(card().text).toBe("Mother, mother of the hills\nYou are the best in the world");
  });

  test("that say more of what the open card describes are added to it", async () => {
    const { say, card } = await openCard();
    await say("in watercolor style");
    await say("without clouds");
    expect(card()).toMatchObject({ type: "video", text: `${DRAGON}, in watercolor style, without clouds` });
  });

  test("are left alone with ✖️, which takes the question away, and lead to help with the other button", async () => {
    const { say, said, pressUnder, card, telegram } = open();
    await say("кот?");
    await pressUnder("✖️", "кот?", BORIS);
    expect(telegram.payloadsOf("deleteMessage")).toEqual([]);
    await pressUnder("✖️", "кот?");
    expect(telegram.payloadsOf("deleteMessage")).toHaveLength(1);
    telegram.failNext("deleteMessage", refusal(400, "Bad Request: message can't be deleted for everyone"));
    await pressUnder("✖️", "кот?");
    expect(telegram.payloadsOf("editMessageReplyMarkup")).toHaveLength(1);
    expect(card()).toBeUndefined();
    await say("кот?");
    await pressUnder(t("button-help"), "кот?");
    await say("/help");
    expect(said().at(-2)).toBe(said().at(-1));
  });
});

describe("words for people", () => {
  function openSupport() {
    const desk = openDesk({ bot: { eventsChat: { chatId: -100, threadId: null } } });
    const answer = async () => {
      const key = { chat_id: -100, message_id: desk.telegram.nextId() };
      await desk.parts.support?.store.beginAnswer(key, ANN.id, () => {});
    };
    return { ...desk, answer };
  }

  test("are passed on with a tap, once", async () => {
    const { say, said, tap, button, card, database, telegram } = openSupport();
    const waiting = () => tickets.all(database, { user_id: ANN.id });
    await say("где мои деньги?");
    expect(said()).toEqual([t("talk-to-support")]);
    expect(telegram.payloadsOf("sendMessage")[0]?.reply_parameters).toBeDefined();
    const [pass, draw] = [button(t("button-pass")), button(t("button-draw"))];
    const reply_to_message = { message_id: 4, text: "где мои деньги?", from: ANN } as never;
    await tap(pass, 9, BORIS, { reply_to_message });
    expect(waiting()).toEqual([]);
    await tap(pass, 9, ANN, { reply_to_message });
    await tap(pass, 9, ANN, { reply_to_message });
    expect(waiting()).toMatchObject([{ message_id: 4, kind: "question" }]);
    expect(said()).toContain(t("support-taken"));
    expect(card()).toBeUndefined();
    await tap(draw, 9, ANN, { reply_to_message });
    expect(card().text).toBe("где мои деньги?");
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
    expect(card().text).toBe("рыжий кот в очках");
  });

  test("are told of an order that is still being made", async () => {
    const { say, said, finishedOrder } = open();
    await finishedOrder("order-1");
    await say("почему так долго?");
    expect(said()).toEqual([`${t("talk-under-way")}\n\n${t("talk-operator", { contact: "@help" })}`]);
  });
});

describe("the wish for another model", () => {
  const MODELS = { kind: "models", page: 0 };

  test("shows them for the open card, which keeps its words, and else for a new picture", async () => {
    const { say, card } = await openCard();
    await say("change the model");
    expect(card()).toMatchObject({ type: "video", text: DRAGON, view: MODELS });
    await say("change the model");
    expect(card()).toMatchObject({ type: "video", text: DRAGON, view: MODELS });
    await say("/cancel");
    await say("Какие есть модели?");
    expect(card()).toMatchObject({ type: "image", text: null, view: MODELS });
  });

  test("is heard in a reply to a result in a group", async () => {
    const { say, card } = await openAfterPicture(GROUP.id);
    await say("change the model", ANN, toResult(GROUP));
    expect(card(GROUP.id)).toMatchObject({ text: "a fox", view: MODELS });
  });

  test("is told where the model of the last result is gone", async () => {
    const { say, said, gateway } = await openAfterPicture();
    gateway.models = async () => [];
    await say("another model");
    expect(said().at(-1)).toBe(t("again-model-gone"));
  });
});
