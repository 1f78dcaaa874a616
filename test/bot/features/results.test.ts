import { expect, test } from "vitest";
import { cardData } from "../../../src/bot/card/callback-data.js";
import { orderData, type PictureAction } from "../../../src/bot/orders/delivery/result-keyboard.js";
import { ContractError } from "../../../src/contract/errors.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts, withText } from "../../support/drafts.js";
import { keepResults } from "../../support/kept-results.js";

const { t } = texts.in("en");

const orderId = "order-1";
const data = (
  action: PictureAction | "again" | "another" | "model" | "restyle" | "actions",
  index?: number,
) => {
  if (action !== "edit" && action !== "animate") return orderData.encode({ action, orderId });
  return index === undefined
    ? orderData.encode({ action: "picture", orderId, made: action })
    : orderData.encode({ action: "one_picture", orderId, made: action, index });
};

/** An order whose pictures were sent. */
async function openResult(count = 1) {
  const harness = openBotHarness();
  await harness.finishedOrder(
    "order-1",
    ANN.id,
    Array.from({ length: count }, (_, n) => n + 1),
  );
  keepResults(harness.gateway);
  const files = Array.from({ length: count }, (_, index) => ({
    index,
    track: 0,
    messageId: 50 + index,
    fileId: `photo-${index}`,
    as: "photo" as const,
  }));
  await harness.orders.saveFiles("order-1", files, ANN.id);
  const labels = () => [...harness.buttons().keys()];
  const draft = () => withText(harness.drafts.composing(ANN.id, ANN.id));
  const cards = () => harness.calls.filter(({ method }) => method === "sendMessage").length;
  return { ...harness, labels, draft, cards };
}

test("Again opens a new card with the order's model, parameters and prompt", async () => {
  const { tap, draft } = await openResult();
  await tap(data("again"));
  expect(draft()).toMatchObject({ modelKey: "nano-banana-2", text: "a fox", view: { kind: "card" } });
});

test("Again keeps the chosen aspect ratio, also when a photo is added", async () => {
  const { tap, draft, drafts, orders, send } = await openResult();
  const id = orders.find("order-1")?.draftId ?? 0;
  const ordered = drafts.find(id);
  if (!ordered) throw new Error("no draft");
  await drafts.change(ordered, { chosen: ["aspect_ratio"] });
  await tap(data("again"));
  await send({ photo: [{ file_id: "p", file_unique_id: "p", width: 9, height: 9 }] });
  expect(draft()?.parameters).toMatchObject({ reference_urls: ["telegram:p"] });
  expect(draft()?.parameters.aspect_ratio).not.toBe("auto");
});

test("an order's buttons do nothing for another person", async () => {
  const { tap, answered, drafts } = await openResult();
  for (const action of ["again", "another", "model", "edit", "animate", "actions"] as const)
    await tap(data(action), 1, { ...ANN, id: 8 });
  expect(new Set(answered())).toEqual(new Set([t("tap-not-yours", { atBot: "" })]));
  expect(drafts.composing(8, 8)).toBeUndefined();
});

test("a button of an earlier release without a price opens the full card", async () => {
  const { tap, draft, fakeService } = await openResult();
  await tap(data("another"));
  expect(draft()).toMatchObject({ modelKey: "nano-banana-2", text: "a fox", view: { kind: "card" } });
  expect(fakeService.submissions).toEqual([]);
});

test("a request that failed is opened on the next model that takes it", async () => {
  const { tap, draft, buttons } = await openResult();
  await tap(data("model"));
  expect(draft()).toMatchObject({ modelKey: "nano-banana-2-lite", text: "a fox" });
  expect([...buttons().keys()]).toContain(`✅ ${t("button-generate", { price: "5\u00a0₽" })}`);
});

test("Edit uses the picture as the reference of an image with its aspect ratio, and asks for the prompt", async () => {
  const { tap, draft, answered, say, buttons } = await openResult();
  await tap(data("edit"));
  expect(draft()).toMatchObject({
    type: "image",
    modelKey: "nano-banana-2",
    text: null,
    parameters: { reference_urls: ["result:1"], aspect_ratio: "auto" },
  });
  expect(answered()).toEqual([t("edit-how")]);
  await say("make it night");
  expect([...buttons().keys()]).toContain(`✅ ${t("button-generate", { price: "10\u00a0₽" })}`);
});

test.each([
  ["edit", 0, 50],
  ["edit", 1, 51],
  ["animate", 1, 51],
] as const)("the card of %s replies to its picture (%i)", async (action, index, messageId) => {
  const { tap, telegram } = await openResult(2);
  await tap(data(action, index));
  expect(telegram.payloadsOf("sendMessage").at(-1)?.reply_parameters).toMatchObject({
    message_id: messageId,
    allow_sending_without_reply: true,
  });
});

test("a card of another picture replies to nothing", async () => {
  const { send, telegram } = await openResult();
  await send({ photo: [{ file_id: "p", file_unique_id: "p", width: 9, height: 9 }] });
  expect(telegram.payloadsOf("sendMessage").at(-1)?.reply_parameters).toBeUndefined();
});

test("edit asks what to change in the picture, and begins with one image however many were made last", async () => {
  const { tap, say, draft, drafts, said, buttons } = await openResult();
  await say("/image a fox");
  const open = draft();
  if (!open) throw new Error("no draft");
  const counted = await drafts.change(open, { parameters: { ...open.parameters, count: 4 } });
  await tap([...buttons().values()].at(-1) ?? "", counted?.messageId ?? 0);
  await tap([...buttons().values()].at(-1) ?? "", counted?.messageId ?? 0);
  expect(draft()).toBeUndefined();
  await tap(data("edit"));
  expect(said().at(-1)).toContain(t("need-prompt-image-result"));
  expect(draft()?.parameters.count).toBe(1);
});

test("Animate uses the picture as the start frame of a video, with words of its own", async () => {
  const { tap, draft, buttons, say, answered } = await openResult();
  await tap(data("animate"));
  expect(answered()).toEqual([t("animate-how")]);
  expect(draft()).toMatchObject({
    type: "video",
    text: null,
    view: { kind: "card" },
    parameters: { start_frame_url: "result:1" },
  });
  await say("the fox runs");
  expect([...buttons().values()].map((one) => cardData.decode(one)?.action)).toContain("pay");
});

test("the link to the result is created when the card is paid", async () => {
  const { tap, draft, buttons, fakeService, say } = await openResult();
  await tap(data("animate"));
  await say("the fox runs");
  const pay = [...buttons().values()].find((one) => cardData.decode(one)?.action === "pay") ?? "";
  await tap(pay, draft()?.messageId ?? 0);
  const link = "https://files.example/1/result-0?2";
  expect(fakeService.submissions).toMatchObject([{ request: { type: "video", start_frame_url: link } }]);
});

test("an album asks which picture to use, then shows its words and buttons again", async () => {
  const { tap, draft, labels, answered, said } = await openResult(3);
  await tap(data("edit"));
  expect(draft()).toBeUndefined();
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
  expect(draft()?.parameters.reference_urls).toEqual(["result:2"]);
  expect(labels()).toContain(t("button-edit"));
});

test.each(["again", "another", "model", "edit", "animate"] as const)(
  "a second tap on %s opens no second card",
  async (action) => {
    const { tap, draft, calls } = await openResult();
    await tap(data(action));
    const first = draft();
    await tap(data(action));
    expect(draft()?.id).toBe(first?.id);
    const count = (method: string) => calls.filter((call) => call.method === method).length;
    expect(count("sendMessage") - count("deleteMessage")).toBe(1);
  },
);

test("a double tap opens one card and sends it once", async () => {
  const { tap, cards } = await openResult();
  await Promise.all([tap(data("edit"), 50), tap(data("edit"), 50)]);
  expect(cards()).toBe(1);
});

test.each(["edit", "animate"] as const)("%s of an expired result says so", async (action) => {
  const { tap, draft, answered, gateway } = await openResult();
  gateway.results = () => Promise.reject(new ContractError("job_not_found"));
  await tap(data(action));
  expect(answered()).toEqual([t("picture-expired")]);
  expect(draft()).toBeUndefined();
});

test("another style of a track opens the styles page", async () => {
  const { tap, drafts, draft, orders } = openBotHarnessWithSong();
  await orderSong({ drafts, orders });
  await tap(data("restyle"));
  expect(draft()).toMatchObject({ view: { kind: "parameter", name: "style_preset_id" }, text: "the sea" });
});

function openBotHarnessWithSong() {
  const harness = openBotHarness();
  return { ...harness, draft: () => withText(harness.drafts.composing(ANN.id, ANN.id)) };
}

async function orderSong({ drafts, orders }: Pick<ReturnType<typeof openBotHarness>, "drafts" | "orders">) {
  const request = {
    type: "music",
    model_key: "music:suno-v5",
    mode: "description",
    description: "the sea",
    style_preset_id: "jazz",
  } as const;
  const { draft } = await drafts.open({
    userId: ANN.id,
    chatId: ANN.id,
    threadId: null,
    view: { kind: "card" },
    type: "music",
    modelKey: "music:suno-v5",
    parameters: { mode: "description", style_preset_id: "jazz", description: "the sea" },
    promptMessageId: null,
    takenMessageId: null,
  });
  await orders.claim({
    orderId: "order-1",
    draft,
    userName: "Ann",
    modelTitle: "Suno",
    request,
    quotedKopecks: asKopecks(1000),
  });
}
