import { describe, expect, test } from "vitest";
import { announceDoubt } from "../../../src/bot/orders/uncertain-orders.js";
import {
  ContractError,
  SubmissionInterruptedError,
  Unavailable,
  UncertainOutcome,
} from "../../../src/contract/errors.js";
import type { Accepted } from "../../../src/contract/request.js";
import type { OrderTerms } from "../../../src/ports/gateway.js";
import { ANN, MAX, openBotHarness } from "../../support/bot-harness.js";
import { type BotWorld, NEW_DRAFT, openBotWorld, refusal, wishFor } from "../../support/bot-world.js";
import { t } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { sharedAccount } from "../../support/fake-accounts.js";

const UNTIL = Date.UTC(2026, 0, 1, 21, 36);
const ACCEPTED: Accepted = { job_id: 5, job_ids: [5], status: "queued", cost_rub: 10 };
const CARD = 40;

interface Submission {
  terms: OrderTerms;
  accept(accepted: Accepted): void;
  fail(error: Error): void;
}

/** A bot in front of a service that repeats a submission until the test says how it ends. */
function openBot(world: BotWorld = openBotWorld()) {
  const submissions: Submission[] = [];
  const harness = openBotHarness({
    world,
    accounts: sharedAccount(),
    adminIds: [MAX.id],
    gateway: {
      balance: async () => ({ currency: "RUB", amount: 500 }),
      submit: (_request, terms) =>
        new Promise((accept, fail) => {
          terms.signal?.addEventListener("abort", () => fail(new SubmissionInterruptedError("stopped")));
          submissions.push({ terms, accept, fail });
        }),
      job: async (id) => ({ job_id: id, type: "image", status: "queued", cost_rub: 10 }) as never,
    },
  });
  const hears = (chatId: number, words: string) =>
    eventually(words, () => harness.toldTo(chatId).some((text) => text.includes(words)));
  const state = () => harness.orders.uncertain.find(1)?.order.state;
  const press = (label: string) => harness.tap(harness.buttons().get(label) ?? label, 50, MAX);
  return { ...harness, submissions, hears, state, press };
}

/** Ann pays; the service has not answered yet. */
async function openPaying() {
  const bot = openBot();
  const { parts, drafts, gateway, say, submissions } = bot;
  await say("/help");
  const { draft } = await drafts.open(NEW_DRAFT);
  await drafts.setMessage(draft, CARD);
  const paying = parts.orderService.pay(gateway, wishFor(drafts.find(draft.id) ?? draft));
  return { ...bot, paying, submission: await eventually("the submission", () => submissions[0]) };
}

/** The service does not answer for so long that the order is in doubt. */
async function openDoubt() {
  const bot = await openPaying();
  await bot.clock.advance(10_000);
  expect((await bot.paying).kind).toBe("stale");
  bot.submission.terms.onDoubt?.(UNTIL);
  await bot.hears(ANN.id, t("uncertain-repeated"));
  await bot.hears(MAX.id, t("order-news"));
  return bot;
}

describe("an order whose submission is repeated for long", () => {
  test("is shown to its person and to admins as in doubt, once, and offers no second payment", async () => {
    const bot = await openDoubt();
    expect(bot.toldTo(ANN.id).filter((text) => text.includes("isn’t certain"))).toHaveLength(1);
    expect(bot.buttons().has(t("button-try-again"))).toBe(false);
    await bot.say("/orders", MAX);
    await bot.press([...bot.buttons().keys()].find((label) => label.startsWith("1 · ")) ?? "");
    const shown = bot.calls.findLast(({ method }) => method === "editMessageText");
    expect(String(shown?.payload.text)).toContain(t("order-repeated", { until: "2026-01-01 21:36 UTC" }));
    await bot.say("/cancel");
    expect(bot.toldTo(ANN.id).at(-1)).toBe(t("pay-slow"));
  });

  test("goes on by itself when it is accepted after all, and another sum is told at once", async () => {
    const bot = await openDoubt();
    bot.submission.accept({ ...ACCEPTED, cost_rub: 12 });
    await bot.hears(ANN.id, "accepted after all");
    await bot.hears(ANN.id, "charged 12");
    expect([bot.state(), bot.watched.length]).toEqual(["accepted", 1]);
  });

  test.each([new ContractError("insufficient_funds"), new Unavailable("unreachable")])(
    "is given back to its person when nothing was accepted: %s",
    async (fault) => {
      const bot = await openDoubt();
      bot.submission.fail(fault);
      await bot.hears(ANN.id, "wasn’t accepted");
      expect(bot.state()).toBe("refused");
    },
  );

  test("waits for an admin when the repeats end without an answer, and everybody is told so", async () => {
    const bot = await openDoubt();
    bot.submission.fail(new UncertainOutcome("too late"));
    await bot.hears(ANN.id, t("uncertain-next"));
    await eventually("the admin again", () => bot.toldTo(MAX.id).length === 2);
    expect(bot.toldTo(MAX.id)[1]).not.toContain("2026-01-01 21:36");
    expect(bot.state()).toBe("uncertain");
    expect(bot.orders.uncertain.repeated()).toEqual([]);
  });

  test.each([
    [t("button-order-not-charged"), undefined, "refused"],
    [t("button-order-charged"), "5", "accepted"],
  ])("is repeated no longer once an admin has settled it: %s", async (label, jobId, state) => {
    const bot = await openDoubt();
    await bot.say("/order 1", MAX);
    await bot.press(label);
    if (state === "refused") await bot.press("❌ Yes, not charged");
    if (jobId !== undefined) await bot.say(jobId, MAX);
    await eventually("it is settled", () => bot.state() === state);
    expect(bot.submission.terms.signal?.aborted).toBe(true);
  });

  test("is repeated again by the next start, and nobody is told twice", async () => {
    const first = await openDoubt();
    const [order] = first.orders.uncertain.repeated();
    const stopping = first.parts.orderService.stop();
    await first.clock.advance(10_000);
    await stopping;
    const next = openBot({ ...first });
    next.parts.orderService.start();
    const submission = await eventually("the submission", () => next.submissions[0]);
    expect(submission.terms.id).toBe(order?.id);
    submission.terms.onDoubt?.(UNTIL);
    submission.accept(ACCEPTED);
    await next.hears(ANN.id, "accepted after all");
    expect(next.toldTo(ANN.id).filter((text) => text.includes("isn’t certain"))).toEqual([]);
    expect(next.toldTo(MAX.id)).toEqual([]);
    const ending = next.parts.orderService.stop();
    await next.clock.advance(10_000);
    await ending;
  });
});

test("a doubt of a group that the bot has left is told in private, and so is how it ends", async () => {
  const { say, claimedOrder, orders, telegram, toldTo, parts } = openBotHarness({
    accounts: sharedAccount(),
  });
  await say("/help");
  const order = await claimedOrder("one", { chatId: -100 }, CARD);
  await orders.uncertain.mark(order);
  const kicked = refusal(403, "Forbidden: bot was kicked from the supergroup chat");
  telegram.refuse("sendMessage", kicked, ({ chat_id }) => chat_id === -100);
  await announceDoubt("one", parts);
  expect(toldTo(ANN.id).at(-1)).toContain("isn’t certain");
  await orders.refuse(order);
  await announceDoubt("one", parts);
  expect(toldTo(ANN.id).at(-1)).toContain("wasn’t accepted");
  expect(orders.uncertain.withNews()).toEqual([]);
});

test("a person waits nine seconds at a button, then reads that it takes long; a stop waits some more", async () => {
  const { parts, paying, submission, clock, orders, toldTo } = await openPaying();
  await clock.advance(9000);
  expect((await paying).kind).toBe("stale");
  expect(toldTo(ANN.id).at(-1)).toBe(t("pay-slow"));
  expect(orders.find(submission.terms.id)?.state).toBe("claimed");
  let isStopped = false;
  const stopped = parts.orderService.stop().then(() => {
    isStopped = true;
  });
  await clock.advance(6000);
  expect(isStopped).toBe(false);
  submission.accept(ACCEPTED);
  await stopped;
  expect(orders.find(submission.terms.id)?.state).toBe("accepted");
});

test("job ids and their cost are kept for the end of the process from the moment that they arrive", async () => {
  const { parts, paying, submission, spool } = await openPaying();
  submission.accept({ ...ACCEPTED, cost_rub: 9 });
  // Nothing is written before the next turn of the event loop.
  await new Promise<void>((resolve) => process.nextTick(resolve));
  spool.saveHeld(parts.logger);
  expect(spool.read().kept).toEqual([{ order_id: submission.terms.id, job_ids: [5], charged_kopecks: 900 }]);
  expect((await paying).kind).toBe("accepted");
  spool.forget(submission.terms.id);
  spool.saveHeld(parts.logger);
  expect(spool.read().kept, "what is written is kept no longer").toEqual([]);
});
