import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { topUpData } from "../../../src/bot/payments/top-ups.js";
import { asKopecks } from "../../../src/contract/price.js";
import { createAdminService } from "../../../src/core/admin-service.js";
import { Database } from "../../../src/database/database.js";
import { table } from "../../../src/database/table.js";
import type { FailPoint } from "../../../src/platform/fail-point.js";
import { ANN, MAX } from "../../support/bot-harness.js";
import { botWorldOn } from "../../support/bot-world.js";
import { texts } from "../../support/drafts.js";
import { withTables } from "../../support/empty-database.js";
import { createManualClock } from "../../support/manual-clock.js";
import { openPaymentsHarness, paidMessage, refundedMessage, StarList } from "../../support/payments.js";
import { recordedNotices } from "../../support/told-notices.js";

const { t } = texts.in("en");
const PACK = { price: 50, kopecks: asKopecks(50_00) };
const CHARGE = "c1";

/** What becomes of the update that was handled when the process died. */
type Fate = "comes again" | "is lost";

interface Place {
  /** Counts what the life before the crash passes. */
  at: number;
  name: string;
}

const opened: Database[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close().catch(() => {})));
});

/** What outlives the bot: the disk, and what Telegram knows of the payment. */
class World {
  readonly clock = createManualClock();
  readonly stars = new StarList();
  readonly #directory = mkdtempSync(join(tmpdir(), "atelier-till-"));
  /** Texts that have arrived in chats. */
  readonly said: unknown[] = [];
  /** Name of the invoice that was paid. */
  paidRef = "";
  isPaidBack = false;

  /** Starts the bot. Each commit and each call to Telegram passes `failPoint`; one that throws is its death. */
  async start(failPoint: FailPoint) {
    const died = Promise.withResolvers<"died">();
    let isDead = false;
    let isOpen = false;
    const pass = (name: string) => {
      if (!isOpen) return;
      try {
        if (isDead) throw new Error("the process is dead");
        failPoint(name);
      } catch (error) {
        isDead = true;
        died.resolve("died");
        throw error;
      }
    };
    const file = withTables(join(this.#directory, "atelier.db"));
    const database = Database.open({ file, role: "service", failPoint: pass, onUnknownOutcome: () => {} });
    opened.push(database);
    const world = botWorldOn(database, this.clock, this.#directory);
    const notices = recordedNotices(database, this.clock, []);
    const harness = await openPaymentsHarness({ world, notices });
    this.stars.answer(harness.telegram.api);
    harness.telegram.api.config.use(async (call, method, payload, signal) => {
      const never = new Promise<never>(() => {});
      try {
        pass(`call:before:${method}`);
        const answer = await call(method, payload, signal);
        this.#note(method, payload);
        pass(`call:after:${method}`);
        return answer;
      } catch (error) {
        return isDead ? never : Promise.reject(error);
      }
    });
    isOpen = true;
    return {
      ...harness,
      orDies: (step: Promise<unknown>) => Promise.race([step.then(() => "lives"), died.promise]),
    };
  }

  pay(ref: string): void {
    if (this.paidRef !== "") return;
    this.paidRef = ref;
    this.stars.pay(ref, CHARGE);
  }

  #note(method: string, payload: object): void {
    if (method === "sendMessage" && "text" in payload) this.said.push(payload.text);
    if (method !== "refundStarPayment" || this.isPaidBack) return;
    this.isPaidBack = true;
    this.stars.refund(this.paidRef, CHARGE);
  }
}

type Bot = Awaited<ReturnType<World["start"]>>;
type Step = (bot: Bot, world: World) => Promise<unknown>;

const topUp = topUpData.encode({ action: "buy", till: "stars", ...PACK });
const agree = topUpData.encode({ action: "agree", till: "stars", ...PACK });
const reconcile: Step = async ({ parts }) => parts.botPayments?.reconciliation.runs.wake();

const buy: Step = async ({ tap, telegram }) => {
  await tap(topUp, telegram.lastId);
  await tap(agree, telegram.lastId);
};
const payUnseen: Step = async ({ telegram }, world) =>
  world.pay(String(telegram.payloadsOf("sendInvoice").at(-1)?.payload));
const pay: Step = async (bot, world) => {
  await payUnseen(bot, world);
  await bot.send(paidMessage({ ref: world.paidRef, price: PACK.price }, CHARGE));
};
/** Pays what no invoice explains. */
const payOddly: Step = async ({ send }, world) => {
  world.pay("t1:odd");
  await send(paidMessage({ ref: "t1:odd", price: PACK.price }, CHARGE));
};
const refund: Step = async ({ tap, telegram }) => tap("rf:1:R:5000:0", telegram.lastId, MAX);
const refundElsewhere: Step = async ({ send }, world) => {
  if (!world.isPaidBack) world.stars.refund(world.paidRef, CHARGE);
  world.isPaidBack = true;
  await send(refundedMessage({ ref: world.paidRef, price: PACK.price }, CHARGE));
};

interface Way {
  before: readonly Step[];
  /** During which the process dies. */
  steps: readonly Step[];
}

const WAYS: Readonly<Record<string, Way>> = {
  "an invoice and its payment": { before: [], steps: [buy, pay, reconcile] },
  "a payment that is held": { before: [reconcile], steps: [payOddly, reconcile] },
  "a payment whose update was lost": { before: [buy, payUnseen], steps: [reconcile] },
  "a refund": { before: [buy, pay], steps: [refund, reconcile] },
  "a refund by Telegram": { before: [buy, pay], steps: [refundElsewhere, reconcile] },
};

/** Goes a way, and dies at a place of its steps. Returns the places that were passed until then. */
async function go({ before, steps }: Way, fate: Fate, crash: Place | undefined) {
  const world = new World();
  const places: Place[] = [];
  let isCounted = false;
  let bot = await world.start((name) => {
    if (!isCounted) return;
    places.push({ at: places.length, name });
    if (places.length - 1 === crash?.at) throw new Error("power cut");
  });
  for (const step of before) await step(bot, world);
  isCounted = true;
  for (const step of steps) {
    if ((await bot.orDies(step(bot, world))) === "lives") continue;
    bot = await world.start(() => {});
    // A tap that came to nothing is made again.
    if (fate === "comes again" || step === buy) await step(bot, world);
  }
  const after = await world.start(() => {});
  for (let run = 0; run < 2; run += 1) await reconcile(after, world);
  return { world, bot: after, places };
}

async function judge({ world, bot }: Awaited<ReturnType<typeof go>>, { steps }: Way) {
  const isHeld = steps.includes(payOddly);
  const state = isHeld ? "unmatched" : world.isPaidBack ? "refunded" : "credited";
  expect(bot.payments.ofUser(ANN.id, 10)).toMatchObject([{ state }]);
  expect(await bot.balance()).toBe(state === "credited" ? PACK.kopecks : 0);
  const news = isHeld ? ["payment_held"] : steps.includes(refundElsewhere) ? ["payment_refunded"] : [];
  const noted = table("admin_notice").all(bot.database, {});
  expect(noted.map(({ notice }) => JSON.parse(notice ?? "").kind)).toEqual(news);
  expect(bot.parts.botPayments?.reconciliation.differenceStars).toBe(0);
  expect(bot.payments.untold("stars", 10)).toEqual([]);
  const price = t("price-stars", { price: PACK.price, sum: "" });
  expect(world.said.includes(t("payment-refunded", { price }))).toBe(world.isPaidBack);
  const { mismatches } = createAdminService(bot.database, world.clock).verifyLedger();
  expect(mismatches).toBe(0);
}

const passed = new Set<string>();

/** Other calls to Telegram change nothing that is kept: the commits beside them are tried. */
const isTried = ({ name }: Place) => name.startsWith("commit:") || name.endsWith(":refundStarPayment");

describe.each(Object.entries(WAYS))("a crash during %s loses and doubles no money", async (_name, way) => {
  const { places } = await go(way, "comes again", undefined);
  for (const { name } of places) passed.add(name);
  const isRefund = way.steps.includes(refund) || way.steps.includes(refundElsewhere);

  test.each(
    places
      .filter(isTried)
      .flatMap((place) => (["comes again", "is lost"] as const).map((fate) => ({ ...place, fate }))),
  )("at $at, $name, when its update $fate", async ({ fate, ...place }) => {
    const end = await go(way, fate, place);
    await judge(end, way);
    if (isRefund && fate === "comes again") expect(end.world.isPaidBack).toBe(true);
  });
});

test.each([
  "till:invoice",
  "till:payment",
  "till:payment-told",
  "till:refund-begin",
  "till:refund-end",
  "till:payment-refund",
  "till:return-told",
  "notice-end+star-count",
])("the crashes are before and after the commit of %s", (label) => {
  expect([...passed]).toEqual(expect.arrayContaining([`commit:before:${label}`, `commit:after:${label}`]));
});
