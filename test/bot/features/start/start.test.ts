import { existsSync, statSync } from "node:fs";
import type { InputMediaPhoto } from "grammy/types";
import { describe, expect, test } from "vitest";
import { startData } from "../../../../src/bot/features/start.js";
import { GENERATION_TYPES } from "../../../../src/contract/model.js";
import { ANN, openBotHarness } from "../../../support/bot-harness.js";
import { refusal } from "../../../support/bot-world.js";
import { texts, withText } from "../../../support/drafts.js";

const { t, money } = texts.in("en");
const GROUP = { id: -5, type: "supergroup" as const, title: "Studio" };

type Harness = ReturnType<typeof openBotHarness>;

const hello = t("start-hello", { name: "Ann" });
const cardOf = ({ drafts }: Harness, userId = ANN.id, chatId = userId) =>
  withText(drafts.composing(userId, chatId));
const albums = ({ calls }: Harness) =>
  calls.flatMap(({ method, payload }) =>
    method === "sendMediaGroup" ? [payload.media as InputMediaPhoto[]] : [],
  );
const isGreeted = ({ said }: Harness) => said().some((text) => String(text).startsWith(hello));

function withKinds(harness: Harness, types: readonly string[]) {
  const { models } = harness.gateway;
  harness.gateway.models = async () => (await models()).filter(({ type }) => types.includes(type));
  return harness;
}

test("a name is shown literally, never parsed as HTML", async () => {
  const { say, said } = openBotHarness();
  await say("/start", { id: 8, is_bot: false, first_name: "<b>Bob", language_code: "en" });
  expect(said()[0]).toContain("&lt;b&gt;Bob");
});

test("/start shows a newcomer the three kinds with an example of each, and pictures above", async () => {
  const harness = openBotHarness();
  await harness.say("/start");
  const prompts = GENERATION_TYPES.map((type) => t(`example-${type}`));
  expect([...harness.buttons().keys()]).toEqual([
    "🖼 Image",
    "🎬 Video",
    "🎵 Music",
    ...["🖼", "🎬", "🎵"].map((sign, index) => `${sign} ${prompts[index]}`),
  ]);
  expect(albums(harness)[0]?.map(({ caption }) => caption)).toEqual(prompts);
  expect(harness.calls.map(({ method }) => method)).toEqual(["sendMediaGroup", "sendMessage"]);
});

test("the welcome is two lines and the balance, and shows examples only the first time", async () => {
  const harness = openBotHarness();
  await harness.say("/start");
  harness.calls.length = 0;
  await harness.say("привет");
  const [text] = harness.said();
  expect(String(text).split("\n")).toEqual([
    hello,
    t("start-how"),
    "",
    t("start-balance", { balance: money(500_00) }),
  ]);
  expect(harness.calls.map(({ method }) => method)).toEqual(["sendMessage"]);
  expect([...harness.buttons().keys()]).toEqual(["🖼 Image", "🎬 Video", "🎵 Music"]);
});

test.each(GENERATION_TYPES)("the example picture of %s is shipped and small", (type) => {
  const file = `data/examples/${type}.jpg`;
  expect(existsSync(file)).toBe(true);
  expect(statSync(file).size).toBeLessThan(80_000);
});

test("the pictures are uploaded once, and again after Telegram rejects them", async () => {
  const harness = openBotHarness();
  const isUpload = () => albums(harness).map((media) => typeof media[0]?.media !== "string");
  const greetTwo = async (first: number) => {
    for (const id of [first, first + 1]) await harness.say("/start", { ...ANN, id });
  };
  await greetTwo(100);
  expect(isUpload()).toEqual([true, false]);
  harness.telegram.failNext("sendMediaGroup", refusal(400, "Bad Request: wrong file identifier"));
  await greetTwo(200);
  expect(isUpload()).toEqual([true, false, false, true]);
  expect(harness.said()).toHaveLength(4);
});

test("a greeting works without pictures", async () => {
  const harness = openBotHarness({ examplesDirectory: "/nowhere" });
  harness.telegram.failNext("sendMediaGroup", new Error("no such file"));
  await harness.say("/start");
  expect(isGreeted(harness)).toBe(true);
});

describe.each(GENERATION_TYPES)("the kind %s", (type) => {
  const data = (isExample: boolean) => startData.encode({ action: isExample ? "example" : "card", type });

  test("has a button that opens one empty card, even after several taps", async () => {
    const harness = openBotHarness();
    await harness.say("/start");
    harness.calls.length = 0;
    for (let time = 0; time < 3; time += 1) await harness.tap(data(false), 1500);
    expect(cardOf(harness)).toMatchObject({ type, text: null, view: { kind: "card" } });
    expect(cardOf(harness)?.modelKey).not.toBeNull();
    expect([...harness.buttons().keys()].some((label) => label.startsWith("✅"))).toBe(false);
    expect(harness.calls.filter(({ method }) => method === "sendMessage")).toHaveLength(1);
    expect(harness.answered()).toEqual([undefined, t("start-card-open"), t("start-card-open")]);
  });

  test("has an example that opens one card with its prompt, ready to pay", async () => {
    const harness = openBotHarness();
    await harness.say("/start");
    harness.calls.length = 0;
    await Promise.all([harness.tap(data(true), 1500), harness.tap(data(true), 1500)]);
    expect(cardOf(harness)).toMatchObject({ type, text: t(`example-${type}`), view: { kind: "card" } });
    expect(harness.calls.filter(({ method }) => method === "sendMessage")).toHaveLength(1);
    expect([...harness.buttons().keys()].some((label) => label.startsWith("✅"))).toBe(true);
  });

  test("has no button without an active model, and its command and old buttons say so", async () => {
    const others = GENERATION_TYPES.filter((one) => one !== type);
    const harness = withKinds(openBotHarness(), others);
    await harness.say("/start");
    expect([...harness.buttons().values()]).not.toContain(data(false));
    expect(harness.buttons().size).toBe(4);
    const off = t("kind-off", { type, atBot: "" });
    await harness.say(`/${type} a fox`);
    expect(harness.said().at(-1)).toBe(off);
    for (const isExample of [false, true]) await harness.tap(data(isExample), 1500);
    expect(harness.answered()).toEqual([off, off]);
    expect(cardOf(harness)).toBeUndefined();
  });
});

test("without an active image model a text, a photo and an album get one explanation each", async () => {
  const harness = withKinds(openBotHarness(), ["video", "music"]);
  const photo = [{ file_id: "p", file_unique_id: "p", width: 1, height: 1 }];
  await harness.say("a fox");
  await harness.send({ photo });
  for (let item = 0; item < 3; item += 1) await harness.send({ photo, media_group_id: "album" });
  expect(harness.said()).toEqual(Array(3).fill(t("kind-off", { type: "image", atBot: "" })));
});

test("a single active kind shows one picture; with no kind the greeting has no buttons", async () => {
  const one = withKinds(openBotHarness(), ["video"]);
  await one.say("/start");
  expect(one.calls.map(({ method }) => method)).toEqual(["sendPhoto", "sendMessage"]);
  const none = withKinds(openBotHarness(), []);
  await none.say("/start");
  expect(none.calls.map(({ method }) => method)).toEqual(["sendMessage"]);
  expect(none.buttons().size).toBe(0);
  expect(none.said()).toEqual([t("start-nothing")]);
  await none.say("/video a fox");
  expect(none.said().at(-1), "not sent back to /start").toBe(t("start-nothing"));
});

test("a newcomer reads that what they have is a gift", async () => {
  const harness = openBotHarness();
  await harness.say("/start");
  expect(harness.said().at(-1)).toContain(t("start-gift", { balance: money(500_00) }));
});

describe("a greeting in plain text", () => {
  test.each(["привет", "Hi!", "здравствуйте", "/start please draw"])(
    "«%s» is answered with a greeting",
    async (text) => {
      const harness = openBotHarness();
      await harness.say(text);
      expect(isGreeted(harness)).toBe(true);
      expect(cardOf(harness)).toBeUndefined();
    },
  );

  test("leaves the open card unchanged", async () => {
    const harness = openBotHarness();
    await harness.say("a fox");
    const before = cardOf(harness);
    await harness.say("привет");
    expect(isGreeted(harness)).toBe(true);
    expect(cardOf(harness)).toEqual(before);
  });

  test("is no description, also where the card asks for one", async () => {
    const harness = openBotHarness();
    await harness.say("/image");
    for (const icon of ["⚙️", "✍️"]) {
      const data = [...harness.buttons()].find(([label]) => label.startsWith(icon))?.[1] ?? "";
      await harness.tap(data, cardOf(harness)?.messageId ?? 0);
    }
    await harness.say("привет");
    expect(cardOf(harness)?.text).toBeNull();
    expect(isGreeted(harness)).toBe(true);
  });

  test("is answered in a group only when it mentions the bot", async () => {
    const harness = openBotHarness();
    await harness.say("привет", ANN, { chat: GROUP });
    expect(harness.calls).toEqual([]);
    await harness.say("@atelier_bot привет", ANN, { chat: GROUP });
    expect(isGreeted(harness)).toBe(true);
    expect(harness.drafts.composing(ANN.id, GROUP.id)).toBeUndefined();
  });
});

test("in a group only the person who was greeted begins a card by a tap", async () => {
  const harness = openBotHarness();
  await harness.say("/start", ANN, { chat: GROUP });
  const bob = { id: 8, is_bot: false as const, first_name: "Bob", language_code: "en" };
  for (const tapped of [...harness.buttons().values()]) {
    await harness.tap(tapped, 1500, bob, { chat: GROUP });
    expect(harness.answered().at(-1)).toBe(texts.inGroup("en", "atelier_bot").t("tap-not-yours"));
  }
  expect(harness.drafts.composing(bob.id, GROUP.id)).toBeUndefined();
  const data = startData.encode({ action: "ownExample", type: "image", personId: ANN.id });
  expect([...harness.buttons().values()]).toContain(data);
  await harness.tap(data, 1500, ANN, { chat: GROUP });
  await harness.tap(data, 1500, ANN, { chat: GROUP });
  expect(withText(harness.drafts.composing(ANN.id, GROUP.id))).toMatchObject({ text: t("example-image") });
  const sent = harness.calls.filter(({ method }) => method === "sendMessage");
  expect(sent.filter(({ payload }) => String(payload.text).includes(t("example-image")))).toHaveLength(1);
});

test("a tap that a crash interrupted before its card was sent shows that card on the next run", async () => {
  const harness = openBotHarness();
  harness.telegram.failNext("sendMessage", new Error("killed"), new Error("killed"));
  const data = startData.encode({ action: "example", type: "video" });
  await harness.tap(data, 1500);
  const cutOff = cardOf(harness);
  expect(cutOff).toMatchObject({ messageId: null });
  harness.telegram.recover();
  await harness.tap(data, 1500);
  expect(cardOf(harness)).toMatchObject({ id: cutOff?.id, text: t("example-video") });
  expect(cardOf(harness)?.messageId).not.toBeNull();
});
