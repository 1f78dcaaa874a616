import type { Update } from "grammy/types";
import { expect, test } from "vitest";
import { setProfile, startBotOn, whoAmI } from "../../src/bot/start-bot.js";
import { codePoints } from "../../src/bot/texts/html.js";
import { systemIds } from "../../src/platform/ids.js";
import { telegramLine } from "../support/bot-ground.js";
import { ANN, MAX, openBotHarness } from "../support/bot-harness.js";
import { brokenConnection, refusal } from "../support/bot-world.js";
import { t, texts } from "../support/drafts.js";
import { eventually } from "../support/eventually.js";
import { BOT, FakeTelegram } from "../support/fake-telegram.js";
import { updateOf } from "../support/inbox-source.js";
import { recordingLogger } from "../support/log.js";
import { createManualClock } from "../support/manual-clock.js";
import { openPaymentsHarness, paidMessage, StarList } from "../support/payments.js";

const WAITING = 1000;

/** Answers polls with these updates, and lets those after them wait. */
function giveUpdates({ api }: FakeTelegram, queue: readonly Update[]): void {
  api.config.use(async (call, method, payload, signal) => {
    if (method !== "getUpdates") return call(method, payload, signal);
    const { offset = 0, limit = 100 } = payload as { offset?: number; limit?: number };
    const batch = queue.filter(({ update_id }) => update_id >= offset).slice(0, limit);
    if (batch.length > 0) return { ok: true, result: batch } as never;
    return new Promise((_, reject) =>
      (signal as AbortSignal | undefined)?.addEventListener("abort", () => reject(new Error("stopped"))),
    );
  });
}

test.each([
  ["one person", () => ANN.id],
  ["as many people", (index: number) => 1000 + index],
])("a payment is judged while 1000 updates of %s wait to be handled", async (_whose, senderOf) => {
  const { options, telegram, openInvoice } = await openPaymentsHarness();
  const { ref } = await openInvoice();
  const query = { id: "q1", from: ANN, currency: "XTR", total_amount: 50, invoice_payload: ref };
  const queue = [
    ...Array.from({ length: WAITING }, (_, index) => updateOf(index + 1, senderOf(index))),
    { update_id: WAITING + 1, pre_checkout_query: query } as Update,
  ];
  giveUpdates(telegram, queue);
  const release = telegram.hold("sendMessage");
  const bot = await startBotOn(telegramLine(telegram), options, new AbortController().signal);
  const [answer] = await eventually("the answer", () => {
    const answers = telegram.payloadsOf("answerPreCheckoutQuery");
    return answers.length > 0 && answers;
  });
  expect(answer).toEqual({ pre_checkout_query_id: "q1", ok: true });
  release();
  await bot.stop();
});

test("a stop waits six seconds for what tells people of itself and hangs at Telegram", async () => {
  const { options, telegram, openInvoice, send, clock } = await openPaymentsHarness();
  telegram.failNext("sendMessage", brokenConnection());
  await send(paidMessage(await openInvoice(), "c1"));
  const tried = telegram.payloadsOf("sendMessage").length;
  giveUpdates(telegram, []);
  new StarList().answer(telegram.api);
  const release = telegram.hold("sendMessage");
  const bot = await startBotOn(telegramLine(telegram), options, new AbortController().signal);
  await eventually("the call", () => telegram.payloadsOf("sendMessage").length > tried);
  const stopped = bot.stop();
  await clock.advance(6000);
  await stopped;
  release();
});

/** A start whose only update is `/start CODE` of Ann, and what it logs. */
async function startWithCode(adminIds: readonly number[], canReadAll = true) {
  const code = "0123456789abcdef";
  const { logger, lines } = recordingLogger();
  const ids = { ...systemIds, adminCode: () => code };
  const { options, telegram } = openBotHarness({ logger, ids, adminIds });
  telegram.answer("getMe", { ...BOT, can_read_all_group_messages: canReadAll });
  const update = updateOf(1, ANN.id, `/start ${code}`);
  Object.assign(update.message ?? {}, { entities: [{ type: "bot_command", offset: 0, length: 6 }] });
  giveUpdates(telegram, [update]);
  const bot = await startBotOn(telegramLine(telegram), options, new AbortController().signal);
  await eventually("the answer", () => telegram.callsOf("sendMessage").length > 0);
  await bot.stop();
  const linesWith = (words: string) => lines.filter(({ msg }) => String(msg).includes(words)).length;
  return { admins: [...options.adminIds], codes: linesWith(`/start ${code}`), linesWith };
}

test("a start where nobody is an admin prints a code that makes one, and no other start does", async () => {
  expect(await startWithCode([])).toMatchObject({ admins: [ANN.id], codes: 1 });
  expect(await startWithCode([MAX.id])).toMatchObject({ admins: [MAX.id], codes: 0 });
});

test("the operator is told at the start what to do about privacy mode, where it is on", async () => {
  const told = await Promise.all([false, true].map((canReadAll) => startWithCode([], canReadAll)));
  expect(told.map(({ linesWith }) => linesWith("/setprivacy"))).toEqual([1, 0]);
});

test("a start waits exactly as long as a 429 asks for", async () => {
  const clock = createManualClock();
  const telegram = new FakeTelegram();
  telegram.failNext("getMe", refusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }));
  const known = whoAmI(telegram.api, clock, recordingLogger().logger, new AbortController().signal);
  await clock.advance(16_999);
  expect(telegram.calls).toHaveLength(1);
  await clock.advance(1);
  expect(await known).toMatchObject({ id: 1 });
});

test.each(texts.languages)(
  "what Telegram shows of the bot in $code is within Telegram's limits",
  (language) => {
    expect(codePoints(language.t("profile-description"))).toBeLessThanOrEqual(512);
    expect(codePoints(language.t("profile-short"))).toBeLessThanOrEqual(120);
  },
);

test("each language gets its description of the bot, and all others the default one", async () => {
  const telegram = new FakeTelegram();
  telegram.answer("getMyDescription", { description: "" });
  telegram.answer("getMyShortDescription", { short_description: "" });
  await setProfile(telegram.api, texts);
  const set = (method: string) => telegram.payloadsOf(method).map(({ language_code }) => language_code);
  expect([set("setMyDescription"), set("setMyShortDescription")]).toEqual([
    [undefined, "en", "ru"],
    [undefined, "en", "ru"],
  ]);
  expect(telegram.payloadsOf("setMyDescription").at(-1)?.description).toBe(
    texts.in("ru").t("profile-description"),
  );
});

test("a description that is right already is not set again", async () => {
  const telegram = new FakeTelegram();
  telegram.answer("getMyDescription", { description: t("profile-description") });
  telegram.answer("getMyShortDescription", { short_description: t("profile-short") });
  await setProfile(telegram.api, texts);
  expect(telegram.payloadsOf("setMyDescription").map(({ language_code }) => language_code)).toEqual(["ru"]);
});
