import { Composer, type Context, GrammyError } from "grammy";
import type { PreCheckoutQuery } from "grammy/types";
import { probeWrite } from "../../database/database.js";
import { within } from "../../platform/clock.js";
import { Recurring, retry } from "../../platform/retry.js";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/units.js";
import type { Till, TillReport } from "../../tills/till.js";
import type { ManagedGround } from "../bot-ground.js";
import { PaymentIntake } from "./payment-intake.js";
import { PaymentTeller } from "./payment-teller.js";
import { contactOf } from "./receipt-contact.js";
import { Reconciliation, readPaymentMessage } from "./reconciliation.js";
import { STARS, STARS_CURRENCY } from "./stars-till.js";

/** How long an invoice can be paid. */
const INVOICE_MS = 24 * HOUR_MS;

/** Time to judge a payment, in ms. A disk that does not answer by then is a doubt. */
const JUDGE_MS = 1000;
/** Time for the call with its retries. Telegram waits for ten seconds. */
const ANSWER_MS = 8000;
const BACK_OFF = { firstMs: 100, maxMs: 1000 };

/**
 * Answers pre-checkout queries in a lane of their own: they wait for no other update and for no queue of a chat, and
 * are not kept over a restart, since Telegram takes no late answer. Any doubt refuses the payment.
 */
class PreCheckout {
  #isDraining = false;

  constructor(private readonly modules: ManagedGround) {}

  /** Refuses from now on: the update of a payment would wait for the next start. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Never rejects. */
  async answer(query: PreCheckoutQuery): Promise<void> {
    await this.#answer(query).catch((error: unknown) =>
      this.modules.logger.error({ err: error }, "pre-checkout not read"),
    );
  }

  async #answer(query: PreCheckoutQuery): Promise<void> {
    const { logger, clock } = this.modules;
    const began = clock.monotonic();
    const refusal = await this.#judge(query);
    const ids = { user_id: query.from.id, stars: query.total_amount };
    try {
      await this.#send(query, refusal, began + ANSWER_MS);
      logger.info({ ...ids, refusal, ms: Math.round(clock.monotonic() - began) }, "pre-checkout answered");
    } catch (error) {
      logger.warn({ ...ids, refusal, err: error }, "pre-checkout not answered");
    }
  }

  async #judge(query: PreCheckoutQuery): Promise<string | undefined> {
    const { database, clock, logger } = this.modules;
    try {
      const refusal = this.#refusalOf(query);
      if (refusal) return refusal;
      const probe = probeWrite(database, clock).then(() => true);
      const isWritable = await within(clock, JUDGE_MS, probe);
      return isWritable && !this.#isDraining ? undefined : "busy";
    } catch (error) {
      logger.error({ user_id: query.from.id, err: error }, "pre-checkout not judged");
      return "busy";
    }
  }

  /** Tells why a payment is refused before money moves, in the words of `checkout-<reason>`. */
  #refusalOf(query: PreCheckoutQuery): string | undefined {
    const { accounts, starsTill, access, clock } = this.modules;
    const { from, currency, total_amount, invoice_payload } = query;
    if (this.#isDraining) return "busy";
    if (!starsTill.isOn) return "off";
    if (!access.isFor(from.id)) return "not_allowed";
    if (accounts.users.banOf(from.id)) return "banned";
    const invoice = accounts.payments.invoice(STARS, invoice_payload);
    if (!invoice) return "unknown";
    if (invoice.userId !== from.id) return "not_yours";
    if (currency !== STARS_CURRENCY || total_amount !== invoice.price) return "changed";
    // A clock that was set back must not prolong an invoice.
    const isOld = invoice.state !== "open" || Math.abs(clock.now() - invoice.made_at) > INVOICE_MS;
    return isOld ? "old" : undefined;
  }

  async #send(query: PreCheckoutQuery, refusal: string | undefined, until: number): Promise<void> {
    const { plainApi, people, texts, clock } = this.modules;
    const { from } = query;
    const { t } = texts.in(people.find(from.id)?.locale ?? from.language_code);
    const words = refusal && { error_message: t(`checkout-${refusal}`) };
    const isOver = (error: unknown) => error instanceof GrammyError || clock.monotonic() >= until;
    const options = { clock, backOff: BACK_OFF, until: isOver, onFailure: () => {} };
    await retry(options, () => plainApi.answerPreCheckoutQuery(query.id, !refusal, words || {}));
  }
}

const EVERY_MS = MINUTE_MS;
/** Limits how long a stop waits for what is being told. */
const STOP_PATIENCE_MS = 3 * SECOND_MS;

/**
 * Runs the tills beside Stars: takes what they report, and every minute ends refunds in doubt and tells people who could
 * not be told at once.
 */
function tillDesk(bot: ManagedGround, intake: PaymentIntake, teller: PaymentTeller) {
  const { tills, clock, database, logger } = bot;
  const runs = new Recurring({
    clock,
    everyMs: EVERY_MS,
    async work() {
      for (const till of tills) {
        await intake.settleRefunds(till);
        await teller.tellMoves(till.name);
        await teller.tellEnds(till.name);
      }
    },
    onFailure: (error) => logger.warn({ err: error }, "tills not settled, tried again in a minute"),
  });
  /** What is being told of a payment, by its charge: one after the other. */
  const telling = new Map<string, Promise<void>>();
  const take = async (report: TillReport) => {
    const tell = await intake.write(report);
    // Nobody's payment waits until others are told.
    const { till, chargeId } = report.report;
    const told = (telling.get(chargeId) ?? Promise.resolve()).then(tell).finally(() => {
      if (telling.get(chargeId) === told) telling.delete(chargeId);
    });
    telling.set(chargeId, told);
    void teller.tellEnds(till);
  };
  /** The address that people are sent to after they have paid elsewhere. */
  const returnUrl = `https://t.me/${bot.botInfo.username}`;
  return {
    start() {
      for (const till of tills)
        till.start({
          take,
          tellUnpaid: () => void teller.tellEnds(till.name),
          contactOf: (userId) => contactOf(database, userId),
          returnUrl,
        });
      if (tills.length > 0) runs.start();
    },
    async stop() {
      await Promise.all([runs.stop(), ...tills.map((till) => till.stop())]);
      await within(clock, STOP_PATIENCE_MS, Promise.all(telling.values()));
    },
  };
}

/** Takes, watches and tells of payments. Exists wherever accounts are managed here, also while nothing is sold. */
export type BotPayments = ReturnType<typeof createBotPayments>;

export function createBotPayments(bot: ManagedGround) {
  const { starsTill, logger } = bot;
  const teller = new PaymentTeller(bot);
  const intake = new PaymentIntake(bot, teller);
  /** Every till that may have payments, with those that sell nothing now. */
  const tills: readonly Till[] = [starsTill, ...bot.tills];
  return {
    tills,
    intake,
    teller,
    preCheckout: new PreCheckout(bot),
    reconciliation: new Reconciliation(bot, intake, teller),
    /** Reads how many Stars the bot has, where they are sold. Undefined also where Telegram does not tell. */
    async starBalance() {
      if (!starsTill.isOn) return undefined;
      return starsTill.balance().catch((error: unknown) => {
        logger.info({ err: error }, "balance of Stars not known");
        return undefined;
      });
    },
    desk: tillDesk(bot, intake, teller),
  };
}

/**
 * Takes payments and refunds before every other middleware: money has moved, whoever sent it and wherever. They wait
 * for no earlier update of the chat. `stopping` aborts when the service begins to stop.
 */
export function takePayments(intake: PaymentIntake, stopping: AbortSignal): Composer<Context> {
  const composer = new Composer();
  composer.on(["message:successful_payment", "message:refunded_payment"], ({ message }) =>
    intake.take(readPaymentMessage(message), stopping),
  );
  return composer;
}
