import { describe, expect, test } from "vitest";
import { mayAsk } from "../../../src/bot/card/form/apply-message.js";
import { uncertainData } from "../../../src/bot/orders/uncertain-orders.js";
import { UncertainOutcome } from "../../../src/contract/errors.js";
import { table } from "../../../src/database/table.js";
import { ANN, GROUP, IN_GROUP, MAX, openBotHarness, PHOTO } from "../../support/bot-harness.js";
import { type BotWorld, brokenConnection, openBotWorld } from "../../support/bot-world.js";
import { t, withText } from "../../support/drafts.js";
import { connectedAccounts, FakeConnections, KEY } from "../../support/fake-accounts.js";
import { BOT } from "../../support/fake-telegram.js";

const BACK = t("button-back");
const CHARGED = uncertainData.encode({ action: "charged", number: 1 });

function open(world: BotWorld = openBotWorld(), adminIds = [MAX.id]) {
  const connections = new FakeConnections();
  const harness = openBotHarness({
    world,
    accounts: connectedAccounts({ connections }),
    adminIds,
    gateway: {
      submit: () => Promise.reject(new UncertainOutcome("cut")),
      job: async (id) => ({ job_id: id, type: "image", status: "queued", cost_rub: 10 }) as never,
    },
  });
  const isWaiting = (chatId: number = ANN.id) => {
    const draft = harness.drafts.composing(ANN.id, chatId);
    return table("dialog").all(harness.database, {}).length > 0 || (draft !== undefined && mayAsk(draft));
  };
  const has = (label: string) => harness.labels().some((one) => one.startsWith(label));
  /** Opens a page of the card. Rare settings are behind a button. */
  const page = async (label: string, more = {}) => {
    if (!has(label)) await harness.press(t("button-more"), more);
    await harness.press(label, more);
  };
  return { ...harness, keys: connections.keys, isWaiting, has, page };
}

type Bot = ReturnType<typeof open>;

/** The bot of a next start on the same data. */
function restarted({ telegram, ...world }: Bot, adminIds?: number[]): Bot {
  const bot = open(world, adminIds);
  bot.telegram.lastId = telegram.lastId;
  return bot;
}

/** A card with its question open. */
async function openAt(words: string, button: string): Promise<Bot> {
  const bot = open();
  await bot.say(words);
  await bot.page(button);
  return bot;
}

/** An admin is asked for the job of an order that may have been charged. */
async function openJobIds(): Promise<Bot> {
  const bot = open();
  await bot.say("a fox");
  await bot.press("✅");
  await bot.tap(CHARGED, 50, MAX);
  return bot;
}

interface Case {
  asked: string;
  open(): Promise<Bot>;
  wrong: string;
  answer: string;
  /** What the answer sets. Default: the answer. */
  value?: unknown;
  taken(bot: Bot): unknown;
  from?: typeof ANN;
}

/** The card that was asked about. */
function cardOf({ drafts }: Bot) {
  const draft = drafts.find(1);
  if (!draft) throw new Error("no card was opened");
  return withText(draft);
}

const LYRICS = "la la la la, a line that is long enough to be sung";
const CASES: readonly Case[] = [
  {
    asked: "a description",
    open: () => openAt("/image a fox in the deep white snow", "✍️"),
    wrong: " ",
    answer: "wolf",
    taken: (bot) => cardOf(bot).text,
  },
  {
    asked: "lyrics",
    open: () => openAt("/music a fox", t("button-write-lyrics")),
    wrong: "la",
    answer: LYRICS,
    taken: (bot) => cardOf(bot).parameters.lyrics,
  },
  {
    asked: "a title",
    open: () => openAt("/music a fox", "Title"),
    wrong: "x".repeat(300),
    answer: "Sea",
    taken: (bot) => cardOf(bot).parameters.title,
  },
  {
    asked: "a number",
    open: () => openAt("/music a fox", "Style strength"),
    wrong: "strong",
    answer: "0.7",
    value: 0.7,
    taken: (bot) => cardOf(bot).parameters.style_weight,
  },
  {
    asked: "a choice",
    open: () => openAt("/image a fox", "Ratio"),
    wrong: "round",
    answer: "9:16",
    taken: (bot) => cardOf(bot).parameters.aspect_ratio,
  },
  {
    asked: "a model",
    open: () => openAt("/image a fox", t("button-models")),
    wrong: "none of them",
    answer: "FLUX.2 Pro",
    value: "flux-2-pro",
    taken: (bot) => cardOf(bot).modelKey,
  },
  {
    asked: "an API key",
    async open() {
      const bot = open();
      await bot.say("/connect");
      return bot;
    },
    wrong: "two words",
    answer: KEY,
    taken: ({ keys }) => keys[0],
  },
  {
    asked: "a job id",
    open: openJobIds,
    from: MAX,
    wrong: "no such job",
    answer: "5",
    taken: ({ orders }) => (orders.uncertain.find(1)?.order.state === "uncertain" ? undefined : "5"),
  },
];

describe.each(CASES)("the question for $asked", ({ open: openQuestion, wrong, answer, taken, ...one }) => {
  const { from = ANN, value = answer } = one;

  test("takes its answer after a restart, once", async () => {
    const asked = await openQuestion();
    expect(asked.isWaiting()).toBe(true);
    const bot = restarted(asked);
    expect(taken(bot)).not.toBe(value);
    await bot.say(answer, from);
    expect(taken(bot)).toBe(value);
    expect(bot.isWaiting()).toBe(false);
  });

  test("waits after a refused answer, and ends after the fifth", async () => {
    const bot = await openQuestion();
    const before = taken(bot);
    for (let tries = 1; tries < 5; tries += 1) await bot.say(wrong, from);
    expect(bot.isWaiting()).toBe(true);
    await bot.say(wrong, from);
    expect(bot.isWaiting()).toBe(false);
    expect(taken(bot)).toBe(before);
    expect(bot.drafts.find(1)?.view ?? { kind: "card" }).toEqual({ kind: "card" });
  });

  test.each(["/cancel", "cancel"])("is left by %s", async (words) => {
    const bot = await openQuestion();
    const before = taken(bot);
    await bot.say(words, from);
    expect(bot.isWaiting()).toBe(false);
    expect(taken(bot)).toBe(before);
  });

  test("stays open when the answer could not be handled", async () => {
    const bot = await openQuestion();
    bot.telegram.failNext("sendMessage", brokenConnection());
    await bot.say(wrong, from);
    expect(bot.isWaiting()).toBe(true);
    await bot.say(answer, from);
    expect(taken(bot)).toBe(value);
  });
});

describe.each([
  { words: "/image a fox", button: "✍️", answer: "a wolf" },
  { words: "/music a fox", button: "Title", answer: "Sea" },
  { words: "/music a fox", button: "Style strength", answer: "0.7" },
])("a page that asks with $button", ({ words, button, answer }) => {
  test("says how to leave it; ‹ Back and /cancel show the card unchanged, and the next /cancel discards it", async () => {
    const bot = open();
    await bot.say(words);
    const [before, shown] = [bot.card(), bot.said().at(-1)];
    await bot.page(button);
    expect(bot.said().at(-1)).toContain("tap ‹\u00a0Back");
    await bot.press(BACK);
    if (bot.has(BACK)) await bot.press(BACK);
    expect(bot.said().at(-1)).toBe(shown);
    await bot.page(button);
    bot.calls.length = 0;
    const cancel = () => bot.say("/cancel", ANN, { message_id: 5000 });
    await cancel();
    expect(bot.calls.map(({ method }) => method)).toEqual(["sendMessage", "deleteMessage"]);
    expect(bot.said()).toEqual([shown]);
    // After a crash it is handled again.
    await cancel();
    const { id, view, parameters } = before;
    expect(bot.card()).toMatchObject({ id, view, parameters });
    await bot.say("/cancel", ANN, { message_id: 5001 });
    expect(bot.card()).toBeUndefined();
    expect(bot.said().at(-1)).toBe(t("cancelled"));
  });

  test("stays open after a sticker, a voice message and another command, then takes its answer", async () => {
    const bot = await openAt(words, button);
    const before = bot.card();
    bot.calls.length = 0;
    await bot.send({ sticker: { file_id: "s" } as never });
    await bot.send({ voice: { file_id: "v" } as never });
    const refusals = ["prompt-no-text", "unreadable-voice"].map((key) => `${t(key)} ${t("page-back")}`);
    expect(bot.said()).toEqual(refusals);
    await bot.say("/balance");
    expect(bot.card()).toEqual({ ...before, refusals: 2 });
    await bot.say(answer);
    const { parameters, text, view } = bot.card();
    expect(view).toEqual({ kind: "card" });
    expect(Object.values(parameters).map(String)).toContain(answer);
    expect(text).toBe(before.view.kind === "text" ? answer : "a fox");
  });
});

test("a photo sent while a number is asked for is added to the card, and the question stays open", async () => {
  const bot = open();
  const { models } = bot.gateway;
  const duration_sec = { type: "number", required: false, min: 1, max: 99 } as never;
  bot.gateway.models = async () =>
    (await models()).map((model) =>
      model.type === "video" ? { ...model, parameters: { ...model.parameters, duration_sec } } : model,
    );
  await bot.say("/video a fox");
  await bot.press("Length");
  await bot.send({ photo: PHOTO });
  expect(bot.card().view).toEqual({ kind: "parameter", name: "duration_sec" });
  expect(bot.said().at(-1)).toContain(t("pictures-given", { count: 1 }));
  await bot.say("7");
  const parameters = { duration_sec: 7, start_frame_url: "telegram:photo-1" };
  expect(bot.card()).toMatchObject({ text: "a fox", parameters });
});

test("in a group a card asks for a reply, and ‹ Back or /cancel closes the question", async () => {
  const bot = open();
  const asked = () => bot.telegram.payloadsOf("sendMessage").at(-1);
  const view = () => bot.card(GROUP.id).view.kind;
  await bot.say("/image", ANN, IN_GROUP);
  expect(asked()).toMatchObject({ reply_markup: { force_reply: true } });
  const cancel = () => bot.say("/cancel@atelier_bot", ANN, IN_GROUP);
  await cancel();
  expect(view()).toBe("card");
  for (const leave of [() => bot.press(BACK, IN_GROUP), cancel]) {
    await bot.press("✍️", IN_GROUP);
    expect(asked()?.text).toContain("tap ‹\u00a0Back on your card");
    expect(view()).toBe("text");
    await leave();
    expect(view()).toBe("card");
  }
});

describe.each([
  ["the question", (bot: Bot) => bot.telegram.lastId],
  ["the card", (bot: Bot) => bot.card(GROUP.id).messageId ?? 0],
])("in a group the answer is a reply to %s", (_to, messageOf) => {
  test("of the person who was asked, also where it mentions the bot", async () => {
    const bot = open();
    await bot.say("/music a fox", ANN, IN_GROUP);
    await bot.page("Style strength", IN_GROUP);
    const reply_to_message = { message_id: messageOf(bot), from: BOT, chat: GROUP, date: 1 } as never;
    await bot.say("0.6", MAX, { ...IN_GROUP, reply_to_message });
    await bot.say("0.7", ANN, IN_GROUP);
    expect(bot.card(GROUP.id)).toMatchObject({ view: { kind: "parameter" }, text: "a fox" });
    expect(bot.isWaiting(GROUP.id)).toBe(true);
    await bot.say("@atelier_bot 0.8", ANN, { ...IN_GROUP, reply_to_message });
    expect(bot.card(GROUP.id)).toMatchObject({ parameters: { style_weight: 0.8 }, text: "a fox" });
    expect(bot.isWaiting(GROUP.id)).toBe(false);
  });
});

test("a group is asked again by a tap that is handled again, where its first run ended before the question was sent", async () => {
  const bot = open();
  await bot.say("/music a fox", ANN, IN_GROUP);
  await bot.press(t("button-more"), IN_GROUP);
  bot.telegram.failNext("sendMessage", brokenConnection());
  const [, data = ""] = [...bot.buttons()].find(([label]) => label.startsWith("Style strength")) ?? [];
  const card = () => bot.card(GROUP.id);
  const tap = () => bot.tap(data, card().messageId ?? 0, ANN, IN_GROUP);
  await tap();
  expect(card().questionId).toBeNull();
  await tap();
  const { questionId } = card();
  expect(questionId).toBe(bot.telegram.lastId);
  await tap();
  expect(card().questionId).toBe(questionId);
});

test("a question of a feature goes before that of the card, which asks again afterwards, also after /cancel", async () => {
  const bot = await openAt("/music a fox", "Style strength");
  await bot.say("/connect");
  await bot.say("/cancel");
  expect(bot.said().at(-1)).toBe(t("question-left"));
  await bot.say("/connect");
  await bot.say(KEY);
  expect(bot.keys).toEqual([KEY]);
  await bot.say("0.7");
  expect(bot.card().parameters.style_weight).toBe(0.7);
});

test("a page of a card that asks ends the question of a feature, also where its tap is handled again", async () => {
  const bot = await openJobIds();
  const card = () => bot.card(MAX.id, MAX.id);
  await bot.say("/music a fox", MAX);
  await bot.tap(bot.buttons().get(t("button-more")) ?? "", card()?.messageId ?? 0, MAX);
  const [, strength = ""] = [...bot.buttons()].find(([label]) => label.startsWith("Style strength")) ?? [];
  for (const _run of ["first", "again"]) {
    await bot.tap(CHARGED, 50, MAX);
    await bot.tap(strength, card()?.messageId ?? 0, MAX);
  }
  await bot.say("0.7", MAX);
  expect(card()?.parameters.style_weight).toBe(0.7);
  expect(bot.orders.uncertain.find(1)?.order.state).toBe("uncertain");
});

test("an edited description closes the question, whose card it shows whole", async () => {
  const bot = open();
  await bot.say("/music a fox");
  const described = bot.card().promptMessageId ?? 0;
  await bot.page("Style strength");
  await bot.edit(described, "/music a wolf that howls in the rain");
  expect(bot.card()).toMatchObject({ text: "a wolf that howls in the rain", view: { kind: "card" } });
  expect(bot.isWaiting()).toBe(false);
});

test("a question for an end frame takes a photo, and no words but a link", async () => {
  const bot = open();
  await bot.say("/video a fox");
  await bot.send({ photo: PHOTO });
  await bot.page(t("parameter-end-frame-url"));
  await bot.say("a lighthouse at night");
  expect(bot.said().at(-1)).toContain(t("link-wanted", { name: t("parameter-end-frame-url") }));
  expect(bot.card()).toMatchObject({ view: { kind: "parameter" }, text: "a fox" });
  await bot.send({ photo: PHOTO.map((one) => ({ ...one, file_id: "end" })) });
  expect(bot.card().parameters.end_frame_url).toBe("telegram:end");
  expect(bot.isWaiting()).toBe(false);
});

test("an album without pictures is one refused answer", async () => {
  const bot = await openAt("/music a fox", "Style strength");
  const said = bot.said().length;
  const video = { file_id: "v", file_unique_id: "v", width: 1, height: 1, duration: 1 };
  for (let part = 0; part < 8; part += 1) await bot.send({ video, media_group_id: "album" });
  expect(bot.said()).toHaveLength(said + 1);
  expect(bot.isWaiting()).toBe(true);
});

test("a question for job ids ends for somebody who is no admin any more", async () => {
  const asked = await openJobIds();
  const bot = restarted(asked, [ANN.id]);
  await bot.say("5", MAX);
  expect(bot.orders.uncertain.find(1)?.order.state).toBe("uncertain");
  expect(bot.isWaiting()).toBe(false);
});
