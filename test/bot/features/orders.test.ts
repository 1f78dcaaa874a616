import { describe, expect, test } from "vitest";
import type { Draft } from "../../../src/bot/card/draft-store.js";
import { uncertainData } from "../../../src/bot/orders/uncertain-orders.js";
import { ContractError, Unavailable, UncertainOutcome } from "../../../src/contract/errors.js";
import type { JobId } from "../../../src/contract/job.js";
import type { ServiceAccounts } from "../../../src/service/accounts.js";
import { ANN, GROUP, IN_GROUP, MAX, openBotHarness } from "../../support/bot-harness.js";
import { type BotWorld, NEW_DRAFT, openBotWorld, wishFor } from "../../support/bot-world.js";
import { VERA } from "../../support/desk-world.js";
import { t } from "../../support/drafts.js";
import { eventually } from "../../support/eventually.js";
import { connectedAccounts, sharedAccount } from "../../support/fake-accounts.js";
import { turnOfEvents } from "../../support/manual-clock.js";

const WORDS = "a fox & <b>";
const CHARGED = t("button-order-charged");
const dataOf = (action: "not_charged" | "surely_not_charged") => uncertainData.encode({ action, number: 1 });

/** What the service has under the ids of jobs, or how it fails. */
const JOBS: Readonly<Record<JobId, string>> = {
  1: "image",
  5: "image",
  6: "image",
  8: "video",
  9: "down",
  10: "refused",
};

/** A bot in front of a service whose answers to a POST get lost. */
function openBot(world = openBotWorld(), accounts: ServiceAccounts = sharedAccount()) {
  const balances = [500, 500, 490];
  let posts = 0;
  const harness = openBotHarness({
    world,
    accounts,
    adminIds: [MAX.id, VERA.id],
    gateway: {
      balance: async () => ({ currency: "RUB", amount: balances.shift() ?? 490 }),
      async submit() {
        posts += 1;
        throw new UncertainOutcome("cut");
      },
      async job(id) {
        const type = JOBS[id];
        if (type === "down") throw new Unavailable("unreachable");
        if (type === "refused") throw new Unavailable("account");
        if (type === undefined) throw new ContractError("job_not_found");
        return { job_id: id, type, status: "queued", cost_rub: 10 } as never;
      },
    },
  });
  const tapAs = (label: string, from = ANN) => harness.tap(harness.buttons().get(label) ?? label, 50, from);
  const order = () => harness.orders.uncertain.find(1)?.order;
  return { ...harness, tapAs, order, stateOf: () => order()?.state, posts: () => posts };
}

type Bot = ReturnType<typeof openBot>;

/** An uncertain order that is told to everybody. */
async function openUncertain(count = 1): Promise<Bot> {
  const bot = openBot();
  await bot.say(`/image ${WORDS}`);
  if (count > 1) for (const label of ["Images: 1", `${count}`]) await bot.press(label);
  await bot.press("✅");
  await eventually("the admins", () => bot.toldTo(VERA.id).length > 0);
  await turnOfEvents();
  return bot;
}

/** An admin says that it was charged, and is asked for the job. */
async function askJob(bot: Bot, admin = MAX): Promise<void> {
  await bot.say("/order 1", admin);
  await bot.tapAs(CHARGED, admin);
}

function claimOf(orderId: string, draft: Draft) {
  return {
    ...wishFor(draft, { type: "image", model_key: draft.modelKey, prompt: "a fox" } as never),
    orderId,
  };
}

/** The bot of a next start on the same data. */
function restarted(world: BotWorld): Bot {
  const bot = openBot(world);
  bot.parts.orderService.start();
  return bot;
}

describe("the person of an uncertain order", () => {
  test("reads what is known, that nothing is repeated, and tries again as a new order, once", async () => {
    const bot = await openUncertain();
    const text = bot.toldTo(ANN.id).at(-1);
    for (const words of [
      "isn’t certain whether",
      "10\u00a0₽",
      "won’t send it again",
      "500\u00a0₽",
      "490\u00a0₽",
      "hint",
      "@help",
    ])
      expect(text).toContain(words);
    expect(text).not.toContain(bot.order()?.id);
    expect(bot.telegram.payloadsOf("editMessageText").at(-1)?.text).toBe(t("pay-uncertain"));
    const again = bot.calls.find(({ payload }) => payload.text === text)?.payload.reply_markup as {
      inline_keyboard: { callback_data: string }[][];
    };
    const { callback_data: data = "" } = again.inline_keyboard.flat()[0] ?? {};
    await bot.tap(data);
    const { id } = bot.card();
    expect(bot.card()).toMatchObject({ modelKey: "nano-banana-2", text: WORDS, state: "composing" });
    expect(bot.labels().some((label) => label.startsWith("✅"))).toBe(true);
    await bot.tap(data);
    expect(bot.card().id).toBe(id);
    expect([bot.posts(), bot.stateOf()]).toEqual([1, "uncertain"]);
  });

  test("does not see the balance in a group", async () => {
    const bot = openBot();
    await bot.say("/image a fox", ANN, IN_GROUP);
    await bot.press("✅", IN_GROUP);
    const text = bot.toldTo(GROUP.id).at(-1);
    expect(text).toContain("isn’t certain whether");
    expect(text).not.toContain("490\u00a0₽");
  });

  test("of an account of their own is asked to look into it, and so are admins: nobody else sees it", async () => {
    const bot = openBot(openBotWorld(), connectedAccounts());
    await bot.say("/image a fox");
    await bot.press("✅");
    await eventually("the admins", () => bot.toldTo(VERA.id).length > 0);
    await eventually("Ann", () => bot.toldTo(ANN.id).some((text) => text.includes(t("uncertain-next-own"))));
    expect(bot.toldTo(VERA.id)[0]).toContain("Only this person sees their account");
  });

  test("is told by the next start when this one ended before, and not twice", async () => {
    const bot = openBot();
    const { draft } = await bot.drafts.open(NEW_DRAFT);
    const order = await bot.orders.claim(claimOf("one", draft));
    if (order) await bot.orders.uncertain.mark(order);
    const everybody = [ANN, MAX, VERA];
    const next = restarted(bot);
    await eventually("the news", () => next.toldTo(VERA.id).length > 0);
    await turnOfEvents();
    expect(everybody.map(({ id }) => next.toldTo(id).length)).toEqual([1, 1, 1]);
    expect(next.toldTo(ANN.id)[0]).not.toContain("balance");
    const last = restarted(bot);
    await turnOfEvents();
    expect(everybody.map(({ id }) => last.toldTo(id).length)).toEqual([0, 0, 0]);
  });
});

describe("/orders", () => {
  test("lists the open ones for an admin, newest first, in pages, opens one by a tap, and says so when there is none", async () => {
    const bot = openBot();
    await bot.say("/order", MAX);
    expect(bot.said()).toEqual([t("orders-none")]);
    for (let order = 1; order <= 10; order += 1) {
      const { draft } = await bot.drafts.open(NEW_DRAFT);
      const claimed = await bot.orders.claim(claimOf(`order-${order}`, draft));
      if (claimed) await bot.orders.uncertain.mark(claimed);
    }
    await bot.say("/orders", MAX);
    const numbers = () => bot.labels().map((label) => label.split(" ")[0]);
    expect(numbers().join()).toBe("10,9,8,7,6,5,4,3,›");
    await bot.tapAs("›", MAX);
    expect(numbers().join()).toBe("2,1,‹");
    await bot.tapAs(bot.labels()[1] ?? "", MAX);
    expect(bot.said().at(-1)).toContain("Order 1<");
    expect(bot.labels()).toContain(CHARGED);
  });

  test("has buttons that do nothing for anybody but an admin", async () => {
    const bot = await openUncertain();
    await bot.tap(dataOf("not_charged"));
    expect(bot.stateOf()).toBe("uncertain");
  });
});

describe("/order NUMBER", () => {
  test.each(["1", "#1", "№1", "the id of the log"])("%s shows the order", async (word) => {
    const bot = await openUncertain();
    await bot.say(`/order ${/\d/.test(word) ? word : bot.order()?.id}`, MAX);
    for (const part of [
      "Order 1<",
      "10\u00a0₽",
      `id <code>${ANN.id}</code>`,
      "500\u00a0₽",
      "490\u00a0₽",
      "a fox &amp; &lt;b&gt;",
    ])
      expect(bot.said().at(-1)).toContain(part);
    expect(bot.labels()).toEqual([CHARGED, t("button-order-not-charged"), t("button-order-list")]);
  });

  test.each([
    ["twelve", "“twelve” isn’t the number"],
    ["12", "with the number “12”"],
  ])("%s is answered by what is wrong and an example", async (word, told) => {
    const bot = openBot();
    await bot.say(`/order ${word}`, MAX);
    for (const words of [told, "Example: /order 12"]) expect(bot.said().at(-1)).toContain(words);
  });
});

describe("an order that was not charged", () => {
  test("is refused, its card is shown again, and its person is told once", async () => {
    const bot = await openUncertain();
    const before = bot.toldTo(ANN.id).length;
    await bot.tap(dataOf("not_charged"), 50, MAX);
    // The balance fell from 500 ₽ to 490 ₽.
    expect([bot.stateOf(), bot.toldTo(ANN.id).length]).toEqual(["uncertain", before]);
    expect(bot.said().at(-1)).toContain(t("order-surely", { sum: "10\u00a0₽" }));
    await bot.tapAs(t("button-order-surely"), MAX);
    expect([bot.stateOf(), bot.card().text]).toEqual(["refused", WORDS]);
    expect(bot.said().at(-1)).toContain(t("order-was-not-charged"));
    await bot.tap(dataOf("not_charged"), 50, MAX);
    expect(bot.answered().at(-1)).toBe(t("order-settled-before"));
    const news = ["wasn’t accepted", "a fox"].map((words) => expect.stringContaining(words));
    expect(bot.toldTo(ANN.id).slice(before)).toEqual(news);
    restarted(bot);
    await turnOfEvents();
    expect(bot.toldTo(ANN.id).slice(before)).toHaveLength(2);
  });

  test("leaves alone the card that its person has begun since, and offers a button", async () => {
    const bot = await openUncertain();
    await bot.say("/image an owl");
    await bot.tap(dataOf("surely_not_charged"), 50, MAX);
    expect(bot.card().text).toBe("an owl");
    const news = bot.calls.find(({ payload }) => String(payload.text).includes("wasn’t accepted"));
    expect(JSON.stringify(news?.payload.reply_markup)).toContain(t("button-try-again"));
  });
});

describe("an order that was settled as not charged by a slip", () => {
  async function openRefused(): Promise<Bot> {
    const bot = await openUncertain();
    await bot.tap(dataOf("surely_not_charged"), 50, MAX);
    expect(bot.stateOf()).toBe("refused");
    return bot;
  }

  test("goes on with the job that an admin names, its card cannot be paid, its person is told", async () => {
    const bot = await openRefused();
    expect(bot.said().join()).toContain("/order 1 JOB_ID");
    const { id } = bot.card();
    await bot.say("/order 1 5", VERA);
    expect(bot.stateOf()).toBe("accepted");
    expect(bot.watched).toEqual([bot.order()?.id]);
    expect(bot.drafts.find(id)?.state).toBe("ordered");
    expect(bot.toldTo(ANN.id).at(-1)).toContain("after all");
  });

  test.each([
    ["stays settled once its person has ordered the same again", undefined, "refused"],
    ["stays settled once its person has ordered from that model again with another card", {}, "refused"],
    ["is taken back beside a newer order of another model", { modelKey: "gpt-image-2-5" }, "accepted"],
    [
      "is taken back beside a newer order of the model for somebody else",
      { userId: 10, chatId: 10 },
      "accepted",
    ],
  ])("%s", async (_what, change, state) => {
    const bot = await openRefused();
    const draft = change ? (await bot.drafts.open({ ...NEW_DRAFT, ...change })).draft : bot.card();
    await bot.orders.claim(claimOf("again", draft));
    await bot.say("/order 1 5", VERA);
    expect(bot.stateOf()).toBe(state);
    if (state === "refused") expect(bot.said().at(-1)).toBe(t("job-fault-newer", { word: "5" }));
  });
});

test.each(["charged", "not_charged"] as const)(
  "an order that was settled as %s right before a crash is told of by the next start",
  async (outcome) => {
    const bot = await openUncertain();
    const order = bot.order();
    if (!order) throw new Error("no order");
    if (outcome === "charged") await bot.orders.accept(order, [5]);
    else await bot.orders.refuse(order);
    const next = restarted(bot);
    await eventually("the news", () => next.toldTo(ANN.id).length > 0);
    expect(next.toldTo(ANN.id)[0]).toContain(outcome === "charged" ? "after all" : "wasn’t accepted");
    expect(next.watched).toEqual(outcome === "charged" ? [order.id] : []);
    expect([MAX, VERA].map(({ id }) => next.toldTo(id))).toEqual([[], []]);
  },
);

describe("an order that was charged", () => {
  test("is followed with the job that the admin names, and its person is told", async () => {
    const bot = await openUncertain();
    await askJob(bot);
    expect(bot.said().at(-1)).toContain("job id of order 1");
    // The question survives a restart.
    const next = restarted(bot);
    await next.say("6", MAX);
    const order = next.order();
    expect([order?.state, order?.jobIds, next.watched]).toEqual(["accepted", [6], [order?.id]]);
    expect(next.toldTo(ANN.id).at(-1)).toContain("accepted after all");
    expect(next.toldTo(MAX.id).at(-1)).toContain("Jobs: 6");
    expect(next.posts() + bot.posts()).toBe(1);
  });

  test("is not settled again by an admin whose answer comes later", async () => {
    const bot = await openUncertain();
    for (const admin of [MAX, VERA]) await askJob(bot, admin);
    await bot.say("5", MAX);
    await bot.say("6", VERA);
    expect(bot.toldTo(VERA.id).at(-2)).toBe(t("order-settled-before"));
    expect(bot.toldTo(VERA.id).at(-1)).toContain("Jobs: 5");
    expect(bot.order()?.jobIds).toEqual([5]);
  });

  test("is settled once by two admins at the same time, and the second one is told so", async () => {
    const bot = await openUncertain();
    for (const admin of [MAX, VERA]) await askJob(bot, admin);
    await Promise.all([bot.say("5", MAX), bot.tap(dataOf("surely_not_charged"), 50, VERA)]);
    const isCharged = bot.stateOf() === "accepted";
    const lost = isCharged ? bot.answered().at(-1) : bot.toldTo(MAX.id).at(-2);
    expect(lost).toBe(t("order-settled-before"));
    expect(bot.toldTo(ANN.id).filter((text) => /after all|wasn’t accepted/.test(text))).toHaveLength(1);
  });

  test.each<[string, string, string]>([
    ["№5", "“№5” isn’t a job id", "Example: 123"],
    ["5 6", "you sent 2 ids", "Send one id"],
    ["77", "has no job “77”", "send it again"],
    ["8", "is a video, but this order is an image", "send it again"],
    ["9", "can’t be checked right now", "Nothing was changed"],
    ["10", "No working key", "/connect"],
    ["1", "“1” already belongs to another order", "send it again"],
  ])("is not settled by %s, and the next answer is taken", async (word, what, hint) => {
    const bot = await openUncertain();
    await bot.finishedOrder("other", 8, [1]);
    await askJob(bot);
    await bot.say(word, MAX);
    expect(bot.said().at(-1)).toContain(what);
    expect(bot.said().at(-1)).toContain(hint);
    expect(bot.stateOf()).toBe("uncertain");
    await bot.say("5", MAX);
    expect(bot.stateOf()).toBe("accepted");
  });

  test("with several images needs all of their jobs", async () => {
    const bot = await openUncertain(2);
    await askJob(bot);
    await bot.say("5", MAX);
    expect(bot.said().at(-1)).toContain("has 2 jobs");
    await bot.say("5, 6", MAX);
    expect(bot.order()?.jobIds).toEqual([5, 6]);
  });

  test("is not settled by a text after the question was left", async () => {
    const bot = await openUncertain();
    await askJob(bot);
    await bot.tapAs(t("button-back"), MAX);
    await bot.say("5", MAX);
    expect(bot.stateOf()).toBe("uncertain");
  });
});
