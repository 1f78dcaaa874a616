import { expect, test } from "vitest";
import { type CardAction, cardData } from "../../../src/bot/card/callback-data.js";
import { ANN, openBotHarness } from "../../support/bot-harness.js";
import { texts, withText } from "../../support/drafts.js";

const { t } = texts.in("en");

/** The card of a picture that is ready to be paid. */
async function openCard() {
  const harness = openBotHarness();
  const { say, tap, drafts, buttons } = harness;
  await say("a fox");
  const draft = () => {
    const open = drafts.composing(ANN.id, ANN.id);
    if (!open) throw new Error("no card is open");
    return withText(open);
  };
  const data = (action: CardAction) => {
    const { id, revision } = draft();
    return cardData.encode({ draftId: id, revision, ...action });
  };
  const payData = () => [...buttons().values()].find((one) => cardData.decode(one)?.action === "pay") ?? "";
  const tapCard = (one: string, from = ANN) => tap(one, draft().messageId ?? 0, from);
  return { ...harness, draft, data, payData, tapCard };
}

test("a tap changes the draft and edits the card in place", async () => {
  const { draft, data, tapCard, calls } = await openCard();
  calls.length = 0;
  await tapCard(data({ action: "models" }));
  expect(draft().view).toEqual({ kind: "models", page: 0 });
  expect(calls.map(({ method }) => method).sort()).toEqual(["answerCallbackQuery", "editMessageText"]);
});

test("a tap by another person changes nothing", async () => {
  const { draft, data, tapCard, answered } = await openCard();
  const { revision } = draft();
  await tapCard(data({ action: "models" }), { ...ANN, id: 8 });
  expect(answered()).toEqual([t("tap-not-yours", { atBot: "" })]);
  expect(draft().revision).toBe(revision);
});

test("repeated taps on the pay button order once", async () => {
  const { payData, tap, draft, answered, orders } = await openCard();
  const pay = payData();
  const { messageId } = draft();
  await tap(pay, messageId ?? 0);
  await tap(pay, messageId ?? 0);
  expect(answered()).toEqual([t("pay-accepted"), t("tap-draft-ordered")]);
  expect(orders.isUnderWay(ANN.id, ANN.id)).toBe(true);
});

test("the prompt question takes the next message as its answer", async () => {
  const { data, draft, tapCard, say } = await openCard();
  await tapCard(data({ action: "write" }));
  await say("a wolf");
  expect(draft().text).toBe("a wolf");
});

test("a card whose model was switched off says so, and offers the others without paying", async () => {
  const { payData, tapCard, answered, gateway, said, buttons, orders } = await openCard();
  const models = await gateway.models();
  gateway.models = async () => models.filter(({ model_key }) => model_key !== "nano-banana-2");
  await tapCard(payData());
  expect(answered()).toEqual([t("model-off")]);
  expect(said().at(-1)).toContain(t("model-off"));
  expect([...buttons().keys()].some((label) => label.startsWith("Nano Banana 2 Lite"))).toBe(true);
  expect([...buttons().keys()]).not.toContain(t("button-back"));
  expect(orders.isUnderWay(ANN.id, ANN.id)).toBe(false);
});

test("a card of a type that nothing makes any more says what is left, with no empty list", async () => {
  const { payData, tapCard, answered, gateway, said, buttons } = await openCard();
  gateway.models = async () => [];
  await tapCard(payData());
  expect(answered()).toEqual([t("kind-off", { type: "image", atBot: "" })]);
  expect(said().at(-1)).toContain(t("kind-off", { type: "image", atBot: "" }));
  expect(said().at(-1)).not.toContain(t("models-title-image"));
  expect([...buttons().keys()]).toEqual([t("button-cancel")]);
});

test("cancel closes the card", async () => {
  const { data, tapCard, drafts, said } = await openCard();
  await tapCard(data({ action: "cancel" }));
  expect(withText(drafts.composing(ANN.id, ANN.id))).toBeUndefined();
  expect(said().at(-1)).toBe(t("cancelled"));
});

test("a rare setting is changed on the second page, and stays for the next card", async () => {
  const { say, data, draft, tapCard } = await openCard();
  await say("/music a slow song about a train");
  await tapCard(data({ action: "model", token: "music:suno-v5" }));
  await tapCard(data({ action: "more" }));
  expect(draft().view).toEqual({ kind: "more" });
  await tapCard(data({ action: "parameter", token: "style_weight" }));
  await tapCard(data({ action: "value", token: "style_weight", index: 2 }));
  expect(draft()).toMatchObject({ view: { kind: "more" }, parameters: { style_weight: 0.83 } });
  await tapCard(data({ action: "card" }));
  expect(draft().view).toEqual({ kind: "card" });
});

test("a photo on a music card starts a video that keeps the text", async () => {
  const { say, send, data, draft, tapCard } = await openCard();
  await say("/music a slow song about a train");
  await tapCard(data({ action: "model", token: "music:suno-v5" }));
  await send({ photo: [{ file_id: "photo-1", file_unique_id: "p", width: 90, height: 90 }] });
  await tapCard(data({ action: "type", type: "video" }));
  expect(draft()).toMatchObject({
    type: "video",
    text: "a slow song about a train",
    modelKey: "veo-3-1",
    parameters: { start_frame_url: "telegram:photo-1" },
  });
});
