import type { Update } from "grammy/types";
import { expect, test } from "vitest";
import { startBotOn } from "../../src/bot/start-bot.js";
import { systemIds } from "../../src/platform/ids.js";
import { telegramLine } from "../support/bot-ground.js";
import { ANN, MAX, openBotHarness } from "../support/bot-harness.js";
import { brokenConnection } from "../support/bot-world.js";
import { eventually } from "../support/eventually.js";
import { BOT, type FakeTelegram } from "../support/fake-telegram.js";
import { updateOf } from "../support/inbox-source.js";
import { recordingLogger } from "../support/log.js";
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
