import { statSync } from "node:fs";
import type { InputMediaPhoto } from "grammy/types";
import { describe, expect, test } from "vitest";
import { startData } from "../../../src/bot/features/start.js";
import { GENERATION_TYPES } from "../../../src/contract/model.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, BORIS, GROUP, IN_GROUP, openBotHarness, PHOTO } from "../../support/bot-harness.js";
import { openBotWorld, refusal } from "../../support/bot-world.js";
import { money, t, texts } from "../../support/drafts.js";

type Harness = ReturnType<typeof openBotHarness>;

const hello = t("start-hello", { name: "Ann" });
const albums = ({ telegram }: Harness) =>
  telegram.payloadsOf("sendMediaGroup").map(({ media }) => media as InputMediaPhoto[]);

/** A bot that makes these kinds alone. */
function openWith(types: readonly string[]) {
  const harness = openBotHarness();
  const { models } = harness.gateway;
  harness.gateway.models = async () => (await models()).filter(({ type }) => types.includes(type));
  return harness;
}

test("/start shows a newcomer the three kinds with an example of each, pictures above, and the gift", async () => {
  const harness = openBotHarness();
  await harness.say("/start", { ...ANN, first_name: "<b>Ann" });
  const prompts = GENERATION_TYPES.map((type) => t(`example-${type}`));
  const examples = ["🖼", "🎬", "🎵"].map((sign, index) => `${sign} ${prompts[index]}`);
  expect(harness.labels()).toEqual(["🖼 Image", "🎬 Video", "🎵 Music", ...examples]);
  expect(albums(harness)[0]?.map(({ caption }) => caption)).toEqual(prompts);
  expect(harness.calls.map(({ method }) => method)).toEqual(["sendMediaGroup", "sendMessage"]);
  for (const words of [t("start-gift", { balance: money(500_00) }), "&lt;b&gt;Ann"])
    expect(harness.said()[0]).toContain(words);
});

test("the welcome is two lines and the balance, and shows examples only the first time", async () => {
  const { say, said, calls, labels } = openBotHarness();
  await say("/start");
  calls.length = 0;
  await say("привет");
  const balance = t("start-balance", { balance: money(500_00) });
  expect(said()).toEqual([[hello, t("start-how"), "", balance].join("\n")]);
  expect(calls.map(({ method }) => method)).toEqual(["sendMessage"]);
  expect(labels()).toEqual(["🖼 Image", "🎬 Video", "🎵 Music"]);
});

test.each([
  ["\u202eEvil\u2066 <b>\nname", "Evil &lt;b&gt; name"],
  ["\u200e", "odd_one"],
])("the name %j, with its controls of direction, is greeted as %s", async (first_name, shown) => {
  const { say, said } = openBotHarness();
  await say("/start", { ...ANN, first_name, username: "odd_one" } as typeof ANN);
  expect(said()[0]).toContain(`Hello, ${shown}!`);
});

test.each(GENERATION_TYPES)("the example picture of %s is shipped and small", (type) => {
  expect(statSync(`data/examples/${type}.jpg`).size).toBeLessThan(80_000);
});

test("the pictures are uploaded once, and again after Telegram rejects them, which keeps nobody from being greeted", async () => {
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
  expect(harness.said().filter((text) => String(text).startsWith(hello))).toHaveLength(4);
});

describe.each(GENERATION_TYPES)("the kind %s", (type) => {
  const data = (isExample: boolean) => startData.encode({ action: isExample ? "example" : "card", type });

  test("has a button that opens one empty card, even after several taps", async () => {
    const { tap, card, labels, telegram, answered } = openBotHarness();
    for (let time = 0; time < 3; time += 1) await tap(data(false), 1500);
    expect(card()).toMatchObject({ type, text: null, view: { kind: "card" } });
    expect(card().modelKey).not.toBeNull();
    expect(labels().some((label) => label.startsWith("✅"))).toBe(false);
    expect(telegram.callsOf("sendMessage")).toHaveLength(1);
    expect(answered()).toEqual([undefined, t("start-card-open"), t("start-card-open")]);
  });

  test("has an example that opens one card with its prompt, ready to pay", async () => {
    const { tap, card, labels, telegram } = openBotHarness();
    await Promise.all([tap(data(true), 1500), tap(data(true), 1500)]);
    expect(card()).toMatchObject({ type, text: t(`example-${type}`), view: { kind: "card" } });
    expect(telegram.callsOf("sendMessage")).toHaveLength(1);
    expect(labels().some((label) => label.startsWith("✅"))).toBe(true);
  });

  test("has no button without an active model, and its command and old buttons say so", async () => {
    const { say, said, tap, answered, buttons, card } = openWith(
      GENERATION_TYPES.filter((one) => one !== type),
    );
    await say("/start");
    expect([...buttons().values()]).not.toContain(data(false));
    expect(buttons().size).toBe(4);
    const off = t("kind-off", { type, atBot: "" });
    await say(`/${type} a fox`);
    expect(said().at(-1)).toBe(off);
    for (const isExample of [false, true]) await tap(data(isExample), 1500);
    expect(answered()).toEqual([off, off]);
    expect(card()).toBeUndefined();
  });
});

test("without an active image model a text, a photo and an album get one explanation each", async () => {
  const { say, send, said } = openWith(["video", "music"]);
  await say("a fox");
  await send({ photo: PHOTO });
  for (let item = 0; item < 3; item += 1) await send({ photo: PHOTO, media_group_id: "album" });
  expect(said()).toEqual(Array(3).fill(t("kind-off", { type: "image", atBot: "" })));
});

test("a single active kind shows one picture; with no kind the greeting has no buttons", async () => {
  const one = openWith(["video"]);
  await one.say("/start");
  expect(one.calls.map(({ method }) => method)).toEqual(["sendPhoto", "sendMessage"]);
  const none = openWith([]);
  await none.say("/start");
  expect(none.calls.map(({ method }) => method)).toEqual(["sendMessage"]);
  expect(none.buttons().size).toBe(0);
  // Nobody is sent back to /start.
  await none.say("/video a fox");
  expect(none.said()).toEqual([t("start-nothing"), t("start-nothing")]);
});

test("in a group only the person who was greeted begins a card by a tap", async () => {
  const { say, tap, answered, buttons, card, telegram } = openBotHarness();
  await say("/start", ANN, IN_GROUP);
  for (const tapped of buttons().values()) {
    await tap(tapped, 1500, BORIS, IN_GROUP);
    expect(answered().at(-1)).toBe(texts.inGroup("en", "atelier_bot").t("tap-not-yours"));
  }
  expect(card(GROUP.id, BORIS.id)).toBeUndefined();
  const data = startData.encode({ action: "ownExample", type: "image", personId: ANN.id });
  expect([...buttons().values()]).toContain(data);
  for (let time = 0; time < 2; time += 1) await tap(data, 1500, ANN, IN_GROUP);
  expect(card(GROUP.id)).toMatchObject({ text: t("example-image") });
  const sent = telegram.payloadsOf("sendMessage").map(({ text }) => String(text));
  expect(sent.filter((text) => text.includes(t("example-image")))).toHaveLength(1);
});

test("a tap that a crash interrupted before its card was sent shows that card on the next run", async () => {
  const { tap, card, telegram } = openBotHarness();
  telegram.failNext("sendMessage", new Error("killed"), new Error("killed"));
  const data = startData.encode({ action: "example", type: "video" });
  await tap(data, 1500);
  const cutOff = card();
  expect(cutOff).toMatchObject({ messageId: null });
  telegram.recover();
  await tap(data, 1500);
  expect(card()).toMatchObject({ id: cutOff.id, text: t("example-video") });
  expect(card().messageId).not.toBeNull();
});

test("a person whose first message cannot be written is told so in their language", async () => {
  const world = openBotWorld((point) => {
    if (/^commit:before:.*(person|account)/.test(point)) throw new Error("database or disk is full");
  });
  const { say, said } = openBotHarness({ world });
  await say("/start", { ...ANN, language_code: "ru" });
  expect(said()).toEqual([texts.in("ru").t("fault-try-again")]);
});

test("a photo that waits goes along to the kind that a greeting's button begins, however often it is tapped", async () => {
  const { send, say, tap, card, telegram } = openBotHarness();
  await send({ photo: PHOTO, caption: "paint it blue" });
  await say("/start");
  const greeting = telegram.lastId;
  for (let time = 0; time < 2; time += 1) {
    await tap(startData.encode({ action: "card", type: "video" }), greeting);
    const parameters = { start_frame_url: "telegram:photo-1" };
    expect(card()).toMatchObject({ type: "video", text: "paint it blue", parameters });
  }
  await tap(startData.encode({ action: "example", type: "video" }), greeting);
  expect(card()).toMatchObject({ text: t("example-video"), parameters: { prompt: t("example-video") } });
  expect(card().parameters).not.toHaveProperty("start_frame_url");
});

test("a person who was forgotten and has paid is told of a balance, and of no gift", async () => {
  const { say, said, managed, parts, database } = openBotHarness();
  await say("/start");
  const words = { userId: ANN.id, reason: null, actor: "x" };
  for (const idempotencyKey of ["a", "b"])
    await managed.users.credit({ ...words, kopecks: asKopecks(5_00), idempotencyKey });
  await database.write("forget", (tx) => parts.people.eraseIn(tx, ANN.id));
  await say("/start");
  expect(said().at(-1)).not.toContain(t("start-gift", { balance: money(500_00) }));
});
