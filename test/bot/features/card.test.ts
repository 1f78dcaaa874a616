import { expect, test } from "vitest";
import { type CardAction, cardData } from "../../../src/bot/card/callback-data.js";
import { TooManyOrdersError, Unavailable, UncertainOutcome } from "../../../src/contract/errors.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, BORIS, GROUP, IN_GROUP, openBotHarness, PHOTO } from "../../support/bot-harness.js";
import { t, texts } from "../../support/drafts.js";
import { sharedAccount } from "../../support/fake-accounts.js";
import { turnOfEvents } from "../../support/manual-clock.js";

/** The card of a picture that is ready to be paid. */
async function openCard(options: Parameters<typeof openBotHarness>[0] = {}) {
  const harness = openBotHarness(options);
  const { say, tap, card, buttons } = harness;
  await say("a fox");
  const act = (action: CardAction, from?: typeof BORIS) => {
    const { id, revision, messageId } = card();
    return tap(cardData.encode({ draftId: id, revision, ...action }), messageId ?? 0, from);
  };
  const pay = () => [...buttons()].find(([label]) => label.startsWith("✅"))?.[1] ?? "";
  return { ...harness, act, pay };
}

test("a tap changes the draft and edits the card in place, and another person's does nothing", async () => {
  const { card, act, calls, answered } = await openCard();
  calls.length = 0;
  await act({ action: "models" });
  expect(card().view).toEqual({ kind: "models", page: 0 });
  expect(calls.map(({ method }) => method).sort()).toEqual(["answerCallbackQuery", "editMessageText"]);
  const { revision } = card();
  await act({ action: "card" }, BORIS);
  expect(answered().at(-1)).toBe(t("tap-not-yours", { atBot: "" }));
  expect(card().revision).toBe(revision);
});

test("a limit of orders is told in an alert once a minute, then beside the card, which stays payable", async () => {
  const submit = () => Promise.reject(new TooManyOrdersError("active", 3));
  const { press, telegram, clock, card } = await openCard({ gateway: { submit } });
  const text = t("too-many-active", { max: 3 });
  for (let time = 0; time < 2; time += 1) await press("✅");
  await clock.advance(60_000);
  await press("✅");
  expect(telegram.payloadsOf("answerCallbackQuery")).toMatchObject([
    { text, show_alert: true },
    { text, show_alert: false },
    { text, show_alert: true },
  ]);
  expect(card().state).toBe("composing");
});

test.each([
  ["✅", t("model-off")],
  ["Quality", t("model-off")],
  [t("button-more"), undefined],
])(
  "a card whose model is sold no more says so after %s, and offers the others without paying",
  async (button, told) => {
    const { press, answered, gateway, said, labels, card, orders } = await openCard();
    const models = await gateway.models();
    gateway.models = async () => models.filter(({ model_key }) => model_key !== "nano-banana-2");
    await press(button);
    expect(answered()).toEqual([told]);
    expect(said().at(-1)).toContain("a fox");
    expect(labels().some((label) => label.startsWith("Nano Banana 2 Lite"))).toBe(true);
    expect(labels()).not.toContain(t("button-back"));
    expect(orders.isUnderWay(card().userId, card().chatId)).toBe(false);
  },
);

test("a card of a type that nothing makes any more says what is left, with no empty list", async () => {
  const { press, answered, gateway, said, labels } = await openCard();
  gateway.models = async () => [];
  await press("✅");
  const off = t("kind-off", { type: "image", atBot: "" });
  expect(answered()).toEqual([off]);
  expect(said().at(-1)).toContain(off);
  expect(said().at(-1)).not.toContain(t("models-title-image"));
  expect(labels()).toEqual([t("button-cancel")]);
});

test("cancel closes the card", async () => {
  const { act, card, said } = await openCard();
  await act({ action: "cancel" });
  expect(card()).toBeUndefined();
  expect(said().at(-1)).toBe(t("cancelled"));
});

test.each<[string, (bot: Awaited<ReturnType<typeof openCard>>) => Promise<void>]>([
  ["replaced", ({ say }) => say("/video")],
  ["cancelled", ({ say }) => say("/cancel")],
  ["ordered", ({ press }) => press("✅")],
])("a card that was %s explains itself, whatever is tapped on it", async (state, end) => {
  const bot = await openCard();
  const [data, { messageId }] = [bot.pay(), bot.card()];
  await end(bot);
  await bot.tap(data, messageId ?? 0);
  expect(bot.answered().at(-1)).toBe(t(`tap-draft-${state}`));
});

test("a rare setting is changed on the second page, and a photo on a music card starts a video that keeps the text", async () => {
  const { say, send, act, card } = await openCard();
  await say("/music a slow song about a train");
  await act({ action: "model", token: "music:suno-v5" });
  await act({ action: "more" });
  expect(card().view).toEqual({ kind: "more" });
  await act({ action: "parameter", token: "style_weight" });
  await act({ action: "value", token: "style_weight", index: 2 });
  expect(card()).toMatchObject({ view: { kind: "more" }, parameters: { style_weight: 0.83 } });
  await act({ action: "card" });
  expect(card().view).toEqual({ kind: "card" });
  await send({ photo: PHOTO });
  await act({ action: "type", type: "video" });
  const parameters = { start_frame_url: "telegram:photo-1" };
  const text = "a slow song about a train";
  expect(card()).toMatchObject({ type: "video", text, modelKey: "veo-3-1", parameters });
});

test("/cancel says of a paid order that it goes on, to its person alone and until it has arrived", async () => {
  const { press, say, said, orders } = await openCard();
  await press("✅");
  for (const person of [ANN, BORIS]) await say("/cancel", person);
  expect(said().slice(-2)).toEqual([t("cancel-too-late"), t("nothing-to-cancel")]);
  const [order] = orders.inState("accepted");
  if (!order) throw new Error("no order");
  await orders.finishJobs(order);
  await orders.endDelivery(order.id, "sent", "sent", true);
  await say("/cancel");
  expect(said().at(-1)).toBe(t("nothing-to-cancel"));
});

test("the card of an order whose outcome is not known is not called paid", async () => {
  const submit = () => Promise.reject(new UncertainOutcome("cut"));
  const { press, tap, card, answered } = await openCard({ accounts: sharedAccount(), gateway: { submit } });
  const { id: draftId, revision, messageId } = card();
  await press("✅");
  for (const action of ["card", "show"] as const)
    await tap(cardData.encode({ draftId, revision, action }), messageId ?? 0);
  expect(answered().slice(-2)).toEqual([t("pay-uncertain"), t("pay-uncertain")]);
});

test("an order that cannot be stored is refused in words, and its card can be paid later", async () => {
  const submit = () => Promise.reject(new Unavailable("storage"));
  const { press, answered, card } = await openCard({ gateway: { submit } });
  await press("✅");
  expect(answered()).toEqual([t("pay-unavailable-storage")]);
  expect(card().state).toBe("composing");
});

test("a group reads no sum of its payer, who is told alone what is missing", async () => {
  const { say, press, tap, pay, card, gateway, answered, said, telegram, clock } = await openCard();
  await say("/image a boat", ANN, IN_GROUP);
  gateway.kopecks = asKopecks(3_30);
  await press("✅", IN_GROUP);
  expect(answered().at(-1)).toContain("6.70\u00a0₽ short");
  expect(answered().at(-1)).toContain("@help");
  expect(telegram.payloadsOf("answerCallbackQuery").at(-1)).toMatchObject({ show_alert: true });
  gateway.kopecks = asKopecks(500_00);
  await say("/image a ferry", ANN, IN_GROUP);
  const [data, { messageId }] = [pay(), card(GROUP.id)];
  gateway.kopecks = asKopecks(3_30);
  const release = telegram.hold("sendMessage");
  const before = say("/help@atelier_bot", BORIS, IN_GROUP);
  await turnOfEvents();
  const late = tap(data, messageId ?? 0, ANN, IN_GROUP);
  await clock.advance(2000);
  expect(answered().at(-1)).toBeUndefined();
  release();
  await Promise.all([before, late]);
  const words = texts.inGroup("en", "atelier_bot").t("money-missing-group");
  const told = said().filter((text) => String(text).includes(words));
  expect(told.length).toBeGreaterThan(1);
  expect(said().join()).not.toMatch(/6\.70|3\.30|short/);
});
