import { expect, test } from "vitest";
import { agree, hasAgreed } from "../../../src/accounts/consent-log.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, IN_GROUP, openBotHarness } from "../../support/bot-harness.js";
import { openBotWorld } from "../../support/bot-world.js";
import { testCoreOn } from "../../support/core.js";
import { money, t } from "../../support/drafts.js";
import { connectedAccounts, sharedAccount } from "../../support/fake-accounts.js";
import { openPaymentsHarness, paidMessage, refundedMessage } from "../../support/payments.js";
import { NO_STARS, OFFER } from "../../support/stars-offer.js";

const PACK = t("button-top-up-stars", { price: 250, sum: money(270_00) });
const AGREE = t("button-agree");

test("a pack is sold in an invoice whose row is written first, after the consent, which is asked once", async () => {
  const { say, tap, buttons, telegram, said, invoice, database, parts } = await openPaymentsHarness();
  await say("/topup");
  await tap(buttons().get(PACK) ?? "");
  expect(telegram.callsOf("sendInvoice")).toEqual([]);
  expect(said().at(-1)).toBe(t("consent-ask"));
  await tap(buttons().get(AGREE) ?? "");
  const sent = { chat_id: ANN.id, currency: "XTR", prices: [{ amount: 250 }], start_parameter: "topup" };
  expect(telegram.payloadsOf("sendInvoice")).toMatchObject([sent]);
  expect(invoice()).toMatchObject({ userId: ANN.id, price: 250, kopecks: 270_00, state: "open" });
  expect(hasAgreed(database, 1, parts.legalTexts.agreedIn("en"))).toBe(true);
  await say("/topup");
  await tap(buttons().get(PACK) ?? "");
  expect(telegram.callsOf("sendInvoice")).toHaveLength(2);
});

test("the sum that an order lacks is whole Stars that are enough, and no Star more", async () => {
  const { topUps } = (await openPaymentsHarness()).parts;
  const [till] = topUps.tills;
  expect(till?.topUpOf(asKopecks(1_10))).toEqual({ price: 1, kopecks: 1_10 });
  expect(till?.topUpOf(asKopecks(1_11))).toEqual({ price: 2, kopecks: 2_20 });
  expect(till?.topUpOf(asKopecks(10_000 * 1_10 + 1))).toBeUndefined();
});

test("what a refund has left owing is a part of the sum that a card lacks, and is told", async () => {
  const world = openBotWorld();
  const core = testCoreOn(world);
  const { gateways } = core;
  const { answered, card, say, said, send, buttons, press, users, invoice, balance, tap, labels } =
    await openPaymentsHarness({
      world,
      core,
      gateways,
    });
  await say("/topup");
  await tap(buttons().get(PACK) ?? "");
  await tap(buttons().get(AGREE) ?? "");
  await send(paidMessage(invoice(), "c1"));
  const spent = { userId: ANN.id, reason: null, actor: "x", idempotencyKey: "k" };
  await users.debit({ ...spent, kopecks: asKopecks(200_00) });
  await say("/image a red fox");
  const pay = [...buttons()].find(([label]) => label.startsWith("✅"))?.[1] ?? "";
  await send(refundedMessage(invoice(), "c1"));
  expect(await balance()).toBe(0);
  await tap(pay, card().messageId ?? 0);
  expect(answered().at(-1)).toContain(`${money(210_00)} short`);
  const owed = t("balance-debt", { debt: money(200_00) });
  for (const words of ["/balance", "/topup", "/image a red fox"]) {
    await say(words);
    expect(said().at(-1)).toContain(owed);
  }
  await press("⭐");
  await send(paidMessage(invoice(), "c2"));
  expect(labels().some((label) => label.startsWith("✅"))).toBe(true);
  await say("/balance");
  expect(said().at(-1)).not.toContain(owed);
});

test("without a rate the smallest pack that is enough stands for the missing sum, and none is typed", async () => {
  const offer = { ...OFFER, rateKopecks: undefined };
  const { parts, say, buttons } = await openPaymentsHarness({ stars: offer });
  const [till] = parts.topUps.tills;
  expect(till?.topUpOf(asKopecks(51_00))).toEqual(OFFER.packs[1]);
  expect(till?.topUpOf(asKopecks(271_00))).toBeUndefined();
  await say("/topup");
  expect(buttons().has(t("button-own-sum"))).toBe(false);
});

test.each([
  ["300", 273],
  ["1 000 ₽", 910],
  ["300 рублей", 273],
  ["0,5", "limits"],
  ["many", "wrong"],
  ["11001", "limits"],
])("a typed sum of %s is sold for %s Stars", async (typed, price) => {
  const { say, tap, buttons, telegram, said, parts } = await openPaymentsHarness();
  await agree(parts, 1, parts.legalTexts.agreedIn("en"));
  await say("/topup");
  await tap(buttons().get(t("button-own-sum")) ?? "");
  await say(typed);
  const isRefused = typeof price === "string";
  expect(telegram.payloadsOf("sendInvoice")).toMatchObject(
    isRefused ? [] : [{ prices: [{ amount: price }] }],
  );
  const limits = { least: money(1_00), most: money(11_000_00) };
  if (isRefused) expect(said().at(-1)).toBe(t(`top-up-sum-${price}`, limits));
});

test("a sum typed below the menu is sold, and other words go on to a card", async () => {
  const { say, telegram, parts, card, clock } = await openPaymentsHarness();
  await agree(parts, 1, parts.legalTexts.agreedIn("en"));
  await say("/topup");
  await say("a fox in the snow");
  expect(card().text).toBe("a fox in the snow");
  await say("100");
  expect(telegram.callsOf("sendInvoice")).toEqual([]);
  await say("/topup");
  await clock.advance(3_600_001);
  await say("7");
  expect(telegram.callsOf("sendInvoice"), "a number of later is about something else").toEqual([]);
  await say("/topup");
  await say("300 ₽");
  expect(telegram.payloadsOf("sendInvoice")).toMatchObject([{ prices: [{ amount: 273 }] }]);
});

test("a button of prices that have changed sells nothing and shows the new ones", async () => {
  const { tap, telegram, answered, buttons } = await openPaymentsHarness();
  await tap("t:b:stars:250:99900");
  expect(answered()).toEqual([t("tap-top-up-changed")]);
  expect(telegram.callsOf("sendInvoice")).toEqual([]);
  expect(buttons().has(PACK)).toBe(true);
});

test("forged data sells nothing", async () => {
  const { tap, telegram, balance } = await openPaymentsHarness();
  for (const form of ["stars:250", "cards:250:27000", "stars:250:27000:1", "stars:-1:5"])
    await tap(`t:b:${form}`);
  await tap("t:x");
  expect(telegram.callsOf("sendInvoice")).toEqual([]);
  expect(await balance()).toBe(0);
});

test("a group gets a link to the private chat and never an invoice", async () => {
  const { say, tap, telegram, calls } = await openPaymentsHarness();
  await say("/topup@atelier_bot", ANN, IN_GROUP);
  const url = "https://t.me/atelier_bot?start=topup";
  expect(JSON.stringify(calls.at(-1)?.payload)).toContain(url);
  await tap("t:b:stars:250:27000", 5, ANN, IN_GROUP);
  expect(telegram.callsOf("sendInvoice")).toEqual([]);
  await say("/start topup");
  expect(JSON.stringify(calls.at(-1)?.payload)).toContain("t:b:stars:250:27000");
});

test("/balance has the button and names no other way to pay, and /help lists the commands", async () => {
  const { say, said, buttons } = await openPaymentsHarness();
  await say("/balance");
  expect(buttons().get(t("button-top-up"))).toBe("t:m");
  expect(said()[0]).not.toContain("@help");
  await say("/help");
  expect(said().at(-1)).toContain(t("help-topup"));
});

test.each([
  ["nothing is sold", () => openPaymentsHarness({ stars: NO_STARS })],
  ["the account is shared", () => openBotHarness({ accounts: sharedAccount(), stars: OFFER })],
  ["accounts are elsewhere", () => openBotHarness({ accounts: connectedAccounts(), stars: OFFER })],
])("where %s there is no top-up", async (_name, open) => {
  const { say, said, buttons, telegram } = await open();
  for (const words of ["/topup", "/start topup", "/balance"]) await say(words);
  expect(buttons().has(t("button-top-up"))).toBe(false);
  await say("/help");
  expect(said().at(-1)).not.toContain("/topup");
  expect(JSON.stringify(telegram.calls)).not.toContain("t:b:");
});
