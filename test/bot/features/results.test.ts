import { expect, test } from "vitest";
import { orderData, type PictureAction } from "../../../src/bot/orders/delivery/result-keyboard.js";
import { ContractError } from "../../../src/contract/errors.js";
import { ANN, openBotHarness, PHOTO } from "../../support/bot-harness.js";
import { t } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { keepResults } from "../../support/kept-results.js";

const orderId = "order-1";
const data = (action: PictureAction | "again" | "model" | "restyle" | "actions", index?: number) => {
  if (action !== "edit" && action !== "animate") return orderData.encode({ action, orderId });
  return index === undefined
    ? orderData.encode({ action: "picture", orderId, made: action })
    : orderData.encode({ action: "one_picture", orderId, made: action, index });
};

/** An order whose pictures were sent. */
async function openResult(count = 1) {
  const harness = openBotHarness();
  const jobIds = Array.from({ length: count }, (_, n) => n + 1);
  await harness.sentOrder("order-1", ANN.id, jobIds);
  keepResults(harness.gateway);
  return harness;
}

test("Again keeps the chosen aspect ratio, also when a photo is added", async () => {
  const { tap, card, drafts, orders, send } = await openResult();
  const ordered = drafts.find(orders.find("order-1")?.draftId ?? 0);
  if (!ordered) throw new Error("no draft");
  await drafts.change(ordered, { chosen: ["aspect_ratio"] });
  await tap(data("again"));
  await send({ photo: PHOTO });
  expect(card().parameters).toMatchObject({ reference_urls: ["telegram:photo-1"] });
  expect(card().parameters.aspect_ratio).not.toBe("auto");
});

test("Again uses the settings of its order, not the last ones, also where its draft was deleted by age", async () => {
  const { tap, card, clock, drafts, say, press, finishedOrder } = openBotHarness();
  const request = {
    type: "image",
    model_key: "nano-banana-2",
    prompt: "a fox",
    aspect_ratio: "16:9",
  } as const;
  await finishedOrder("order-1", ANN.id, [1], request);
  await say("/image an owl");
  for (const label of ["Ratio", "9:16", "✅"]) await press(label);
  clock.step(31 * 24 * 3_600_000);
  await drafts.sweep(clock.now());
  await tap(data("again"));
  expect(card()).toMatchObject({ text: "a fox", parameters: { aspect_ratio: "16:9" } });
});

test("a request that failed is opened on the next model that takes it", async () => {
  const { tap, card, labels } = await openResult();
  await tap(data("model"));
  expect(card()).toMatchObject({ modelKey: "nano-banana-2-lite", text: "a fox" });
  expect(labels()).toContain(`✅ ${t("button-generate", { price: "5\u00a0₽" })}`);
});

test("Edit uses the picture as the reference of one image with its aspect ratio, and asks what to change", async () => {
  const { tap, card, answered, say, said, labels } = await openResult();
  await tap(data("edit"));
  expect(card()).toMatchObject({
    type: "image",
    modelKey: "nano-banana-2",
    text: null,
    parameters: { reference_urls: ["result:1"], aspect_ratio: "auto", count: 1 },
  });
  expect(answered()).toEqual([t("edit-how")]);
  expect(said().at(-1)).toContain(t("need-prompt-image-result"));
  await say("make it night");
  expect(labels()).toContain(`✅ ${t("button-generate", { price: "10\u00a0₽" })}`);
});

test.each([
  ["edit", 0, 50],
  ["edit", 1, 51],
  ["animate", 1, 51],
] as const)(
  "the card of %s replies to its picture (%i), that of another one to nothing",
  async (action, index, message_id) => {
    const { tap, send, telegram } = await openResult(2);
    const replied = () => telegram.payloadsOf("sendMessage").at(-1)?.reply_parameters;
    await tap(data(action, index));
    expect(replied()).toMatchObject({ message_id, allow_sending_without_reply: true });
    await send({ photo: PHOTO, caption: "/image" });
    expect(replied()).toBeUndefined();
  },
);

test.each(["edit", "animate"] as const)(
  "%s works on a picture whose delivery could not be recorded yet",
  async (action) => {
    const { tap, card, answered, finishedOrder, gateway } = openBotHarness();
    await finishedOrder(orderId, ANN.id, [1]);
    keepResults(gateway);
    await tap(data(action));
    expect(answered()).toEqual([t(`${action}-how`)]);
    expect(JSON.stringify(card().parameters)).toContain("result:1");
  },
);

test("an album asks which picture to use, then shows its words and buttons again", async () => {
  const { tap, card, labels, answered, said } = await openResult(3);
  await tap(data("edit"));
  expect(card()).toBeUndefined();
  expect(labels()).toEqual(["✏️ 1", "✏️ 2", "✏️ 3", t("button-back")]);
  expect(said().at(-1)).toBe(t("which-picture-edit"));
  expect(answered()).toEqual([undefined]);
  await tap(data("actions"));
  expect(said().at(-1)).toBe(t("summary-ready", { type: "image", ready: 3, count: 3 }));
  expect(labels()).toEqual([
    t("button-edit"),
    t("button-animate"),
    t("button-another", { price: "10\u00a0₽", count: 1 }),
    t("button-change"),
    t("button-original", { count: 3 }),
  ]);
  await tap(data("edit", 1));
  expect(card().parameters.reference_urls).toEqual(["result:2"]);
  expect(labels()).toContain(t("button-edit"));
});

test.each(["again", "model", "edit", "animate"] as const)(
  "a second tap on %s, and two at once, open one card and send it once",
  async (action) => {
    const { tap, card, telegram } = await openResult();
    await Promise.all([tap(data(action), 50), tap(data(action), 50)]);
    const first = card();
    await tap(data(action));
    expect(card().id).toBe(first.id);
    const [sent, deleted] = ["sendMessage", "deleteMessage"].map((one) => telegram.callsOf(one).length);
    expect(sent).toBe(1 + Number(deleted));
  },
);

test.each(["edit", "animate"] as const)("%s of an expired result says so", async (action) => {
  const { tap, card, answered, gateway } = await openResult();
  gateway.results = () => Promise.reject(new ContractError("job_not_found"));
  await tap(data(action));
  expect(answered()).toEqual([t("picture-expired")]);
  expect(card()).toBeUndefined();
});

test("the original of a job that the service has forgotten is told to be gone", async () => {
  const { tap, gateway, said } = await openResult();
  gateway.job = () => Promise.reject(new ContractError("job_not_found"));
  await tap(orderData.encode({ action: "original", orderId }));
  expect(said().at(-1)).toBe(t("originals-gone"));
});

test("an album whose jobs the service has forgotten gets its buttons again", async () => {
  const { tap, gateway, labels } = await openResult(3);
  await tap(data("edit"));
  gateway.job = () => Promise.reject(new ContractError("job_not_found"));
  await tap(data("actions"));
  expect(labels()).toContain(t("button-edit"));
});

test("a double tap sends the original once, and a later tap sends it again", async () => {
  const { tap, telegram, clock } = await openResult();
  const original = orderData.encode({ action: "original", orderId });
  const release = telegram.hold("sendDocument");
  const first = tap(original, 50);
  await eventually("the file", () => telegram.callsOf("sendDocument").length === 1);
  const second = tap(original, 50);
  release();
  await Promise.all([first, second]);
  expect(telegram.callsOf("sendDocument")).toHaveLength(1);
  await clock.advance(60_000);
  await tap(original, 50);
  expect(telegram.callsOf("sendDocument")).toHaveLength(2);
});

test("another style of a track opens the styles page", async () => {
  const { tap, finishedOrder, card } = openBotHarness();
  const words = { mode: "description", description: "the sea", style_preset_id: "jazz" };
  await finishedOrder("order-1", ANN.id, [1], { type: "music", model_key: "music:suno-v5", ...words });
  await tap(data("restyle"));
  expect(card()).toMatchObject({ view: { kind: "parameter", name: "style_preset_id" }, text: "the sea" });
});
