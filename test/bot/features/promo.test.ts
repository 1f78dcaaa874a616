import { expect, test } from "vitest";
import { createPromoCode, promoCodes } from "../../../src/accounts/promo-book.js";
import { asKopecks } from "../../../src/contract/price.js";
import { ANN, IN_GROUP, MAX, openBotHarness } from "../../support/bot-harness.js";
import { money, t } from "../../support/drafts.js";

const CREDITED = t("promo-credited", { sum: money(100_00), balance: money(100_00) });

/** The bot with the code SUMMER. */
async function open() {
  const bot = openBotHarness();
  const { database, clock } = bot;
  const terms = { kopecks: asKopecks(100_00), usesMax: 50, validUntil: Date.UTC(2026, 11, 31) };
  await createPromoCode({ database, clock }, { code: "SUMMER", ...terms });
  return bot;
}

test("a wrong code says so, and after too many when to try again", async () => {
  const { say, said, clock } = await open();
  for (let tries = 0; tries < 5; tries += 1) await say("/promo winter");
  expect(said()[0]).toContain("There’s no such code");
  await say("/promo summer");
  expect(said().at(-1)).toContain("try again after");
  await clock.advance(24 * 3_600_000);
  await say("/start p_SUMMER");
  expect(said()).toContain(CREDITED);
  await say("/promo summer");
  expect(said().at(-1)).toContain("used this code already");
});

test("a code is taken from the message after /promo, and several words are no code", async () => {
  const { say, said, card } = await open();
  await say("/promo");
  await say("a fox in the snow");
  expect(card().text).toBe("a fox in the snow");
  await say("промокод");
  await say("sumer");
  expect(said().at(-1)).toBe(t("promo-wrong"));
  await say(" summer ");
  expect(said().at(-1)).toBe(CREDITED);
  expect(card().text).toBe("a fox in the snow");
  await say("/promo");
  await say("/cancel");
  expect(said().at(-1)).toBe(t("question-left"));
});

test("a word to the bot after /promo is no code, and after an hour none is waited for", async () => {
  const { say, said, card, clock } = await open();
  for (const [word, answer] of [
    ["спасибо", t("talk-thanks")],
    ["оператор", t("talk-operator", { contact: "@help" })],
    ["balance", t("balance-now", { balance: money(500_00) })],
  ] as const) {
    await say("/promo");
    await say(word);
    expect(said().at(-1), word).toContain(answer);
  }
  await say("/promo");
  await say("12345");
  expect(said().at(-1)).toBe(t("promo-wrong"));
  await clock.advance(3_600_001);
  await say("castle");
  expect(card().text).toBe("castle");
});

test("codes are listed for admins alone, and none is taken in a group", async () => {
  const { say, said, database } = await open();
  await say("/promo");
  expect(said()).toEqual([t("usage-promo")]);
  await say("/promo", MAX);
  expect(said()[1]).toContain(`SUMMER · ${money(100_00)} · 0 of 50 used`);
  await say("/promo summer", ANN, IN_GROUP);
  expect(said()[2]).toBe(t("promo-private-only"));
  expect(promoCodes(database)).toMatchObject([{ uses: 0 }]);
});
