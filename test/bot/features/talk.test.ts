import { describe, expect, test } from "vitest";
import { ANN, openBotHarness, press } from "../../support/bot-harness.js";
import { texts, withText } from "../../support/drafts.js";

const { t } = texts.in("en");
const GROUP = { id: -5, type: "supergroup" as const, title: "Studio" };
const DRAGON = "a dragon flies over the castle";

type Harness = ReturnType<typeof openBotHarness>;
const cardOf = ({ drafts }: Harness, chatId = ANN.id) => withText(drafts.composing(ANN.id, chatId));

async function openCard(words = `/video ${DRAGON}`) {
  const harness = openBotHarness();
  await harness.say(words);
  return harness;
}

describe("words that are no description", () => {
  test.each([
    ["thanks!", "talk-thanks"],
    ["спасибо", "talk-thanks"],
    ["❤️", "talk-thanks"],
    ["👍", "talk-describe"],
    ["ok", "talk-describe"],
    ["?", "talk-describe"],
    ["42", "talk-describe"],
    ["🦊", "talk-describe"],
  ])("«%s» is answered without a card", async (words, key) => {
    const harness = openBotHarness();
    await harness.say(words);
    expect(harness.said()).toEqual([t(key)]);
    expect(cardOf(harness)).toBeUndefined();
  });

  test.each([
    ["yes", "talk-confirm"],
    ["нет", "talk-other"],
    ["thank you", "talk-thanks"],
    ["7", "talk-describe"],
  ])("«%s» leaves the open card as it is", async (words, key) => {
    const harness = await openCard();
    const before = cardOf(harness);
    await harness.say(words);
    expect(harness.said().at(-1)).toBe(t(key));
    expect(cardOf(harness)).toEqual(before);
  });

  test.each([
    ["баланс", "/balance"],
    ["Top up", "/balance"],
    ["помощь", "/help"],
    ["help", "/help"],
    ["меню", "/start"],
    ["язык", "/language"],
  ])("«%s» is the command %s", async (words, command) => {
    const [spoken, sent] = [openBotHarness(), openBotHarness()];
    await spoken.say(words);
    await sent.say(command);
    expect(spoken.said()).toEqual(sent.said());
    expect(spoken.said().length).toBeGreaterThan(0);
    expect(cardOf(spoken)).toBeUndefined();
  });

  test("«отмена» cancels the card, and leaves a question first", async () => {
    const harness = await openCard();
    await press(harness, "⚙️");
    await press(harness, "✍️");
    await harness.say("отмена");
    expect(cardOf(harness)).toMatchObject({ view: { kind: "card" }, text: DRAGON });
    await harness.say("отмена");
    expect(cardOf(harness)).toBeUndefined();
    expect(harness.said().at(-1)).toBe(t("cancelled"));
  });

  test("«how much?» names the lowest price of each kind", async () => {
    const harness = openBotHarness();
    await harness.say("How much?");
    const [answer] = harness.said();
    expect(String(answer).split("\n")).toHaveLength(4);
    expect(answer).toContain(t("talk-price"));
  });

  test("«operator» names whom to ask", async () => {
    const harness = openBotHarness();
    await harness.say("оператор");
    expect(harness.said()).toEqual([t("talk-operator", { contact: "@help" })]);
  });

  test.each([
    ["thanks", "talk-thanks"],
    ["еще", "talk-describe"],
    ["this", "talk-describe"],
  ])("«%s» is none where the card asks for one", async (words, key) => {
    const harness = await openCard();
    await press(harness, "⚙️");
    await press(harness, "✍️");
    await harness.say(words);
    expect(harness.said().at(-1)).toBe(t(key));
    expect(cardOf(harness)?.text).toBe(DRAGON);
    await harness.say("a wolf");
    expect(cardOf(harness)?.text).toBe("a wolf");
  });

  test("may be the title of a song", async () => {
    const harness = await openCard("/music a slow song about the sea");
    await press(harness, "⚙️");
    await press(harness, "Title");
    await harness.say("Thanks");
    expect(cardOf(harness)?.parameters).toMatchObject({ title: "Thanks" });
  });

  test("are left alone in a group, except those that mention the bot", async () => {
    const harness = openBotHarness();
    await harness.say("thanks", ANN, { chat: GROUP });
    expect(harness.calls).toEqual([]);
    await harness.say("@atelier_bot thanks", ANN, { chat: GROUP });
    expect(harness.said()).toEqual([t("talk-thanks")]);
    await harness.say("@atelier_bot make a video of a fox", ANN, { chat: GROUP });
    expect(cardOf(harness, GROUP.id)).toMatchObject({ type: "video", text: "a fox" });
  });
});

describe("a request in words", () => {
  test.each([
    ["сделай видео: кот бежит", "video", "кот бежит"],
    ["сочини песню про маму", "music", "про маму"],
    ["Write a song about rain", "music", "about rain"],
    ["Make a video", "video", null],
  ])("«%s» opens %s", async (words, type, prompt) => {
    const harness = openBotHarness();
    await harness.say(words);
    expect(cardOf(harness)).toMatchObject({ type, text: prompt });
  });

  test("an edit of it changes the description", async () => {
    const harness = openBotHarness();
    await harness.say("сделай видео: кот бежит");
    await harness.edit(cardOf(harness)?.promptMessageId ?? 0, "сделай видео: пёс бежит");
    expect(cardOf(harness)).toMatchObject({ type: "video", text: "пёс бежит" });
  });

  test("for the kind of the open card keeps its photo and its settings", async () => {
    const harness = openBotHarness();
    const photo = [{ file_id: "photo-1", file_unique_id: "p", width: 90, height: 90 }];
    await harness.send({ photo, caption: "/video" });
    await harness.say("make a video of the sea");
    const parameters = { start_frame_url: "telegram:photo-1" };
    expect(cardOf(harness)).toMatchObject({ type: "video", text: "the sea", parameters });
    await harness.say("make a video");
    expect(cardOf(harness)).toMatchObject({ type: "video", text: "the sea", parameters });
  });
});

describe("a text typed on a page of choices", () => {
  test.each([
    ["Length", "8", { duration_sec: 8 }],
    ["Length", "8 s", { duration_sec: 8 }],
    ["Ratio", "9:16", { aspect_ratio: "9:16" }],
    ["Quality", "1080", { resolution: "1080p" }],
    ["⚙️", "Sound", "yes", { sound: true }],
  ])("%s: «%s» chooses", async (...given) => {
    const pages = given.slice(0, -2) as string[];
    const [words, parameters] = given.slice(-2) as [string, object];
    const harness = await openCard();
    for (const page of pages) await press(harness, page);
    await harness.say(words);
    expect(cardOf(harness)).toMatchObject({ parameters, text: DRAGON, view: { kind: "card" } });
  });

  test.each(["7", "another dragon", "16:10", "да ладно"])("«%s» asks for a tap", async (words) => {
    const harness = await openCard();
    await press(harness, "Length");
    const before = cardOf(harness);
    await harness.say(words);
    expect(harness.said().at(-1)).toBe(t("choose-by-tap"));
    expect(cardOf(harness)).toEqual({ ...before, refusals: 1 });
  });

  test("on the list of models a title chooses, and other words change nothing", async () => {
    const harness = await openCard();
    await press(harness, "🎨");
    const before = cardOf(harness);
    await harness.say("a cat on a roof in the rain");
    expect(harness.said().at(-1)).toBe(t("choose-by-tap"));
    expect(cardOf(harness)).toEqual({ ...before, refusals: 1 });
    await harness.say("kling 4.0");
    expect(cardOf(harness)).toMatchObject({ modelKey: "kling-4", text: DRAGON, view: { kind: "card" } });
  });
});

describe("a single word beside a longer description", () => {
  test("is asked about, and replaces the description only after a tap", async () => {
    const harness = await openCard();
    await harness.say("castles");
    expect(cardOf(harness)?.text).toBe(DRAGON);
    expect(String(harness.said().at(-1))).toContain(
      t("replace-question", { name: "Description", text: "castles" }),
    );
    expect([...harness.buttons().keys()]).toEqual([t("button-replace"), t("button-keep")]);
    await press(harness, t("button-keep"));
    expect(cardOf(harness)).toMatchObject({ text: DRAGON, view: { kind: "card" } });
    await harness.say("castles");
    await press(harness, t("button-replace"));
    expect(cardOf(harness)).toMatchObject({ text: "castles", view: { kind: "card" } });
  });

  test("replaces a short description, and several words replace any", async () => {
    const harness = await openCard("/video a red fox");
    await harness.say("wolf");
    expect(cardOf(harness)?.text).toBe("wolf");
    await harness.say("a wolf howls at the moon");
    await harness.say("castles");
    await harness.say("a wolf howls at the sun");
    expect(cardOf(harness)).toMatchObject({ text: "a wolf howls at the sun", view: { kind: "card" } });
  });
});
