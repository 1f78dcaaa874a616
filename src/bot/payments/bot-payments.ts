import { GrammyError } from "grammy";
import type { PreCheckoutQuery, UserFromGetMe } from "grammy/types";
import { probeWrite } from "../../database/database.js";
import { sleep } from "../../platform/clock.js";
import { Recurring, retry } from "../../platform/retry.js";
import { HOUR_MS, MINUTE_MS } from "../../platform/units.js";
import type { Till, TillInvoice, TillReport, WatchingTill } from "../../tills/till.js";
import type { Access } from "../middleware.js";
import { PaymentIntake } from "./payment-intake.js";
import type { PaymentModules } from "./payment-teller.js";
import { PaymentTeller } from "./payment-teller.js";
import { Reconciliation } from "./reconciliation.js";
import { STARS, STARS_CURRENCY, type StarsTill } from "./stars-till.js";

/** How long an invoice can be paid. */
const INVOICE_MS = 24 * HOUR_MS;

/** Why a payment is refused before money moves. Each has its words as `checkout-<reason>`. */
type CheckoutRefusal =
  | "off"
  | "not_allowed"
  | "banned"
  | "unknown"
  | "not_yours"
  | "changed"
  | "old"
  | "busy";

/** What keeps a person from paying. */
type Bar = Extract<CheckoutRefusal, "not_allowed" | "banned">;

interface CheckoutFacts {
  query: Pick<PreCheckoutQuery, "from" | "currency" | "total_amount">;
  invoice: TillInvoice | undefined;
  isOn: boolean;
  /** Why the person may not pay at all. */
  bar: Bar | undefined;
  now: number;
}

/** Judges a payment that is about to be made. Undefined: it may be made. */
function judgeCheckout({ query, invoice, isOn, bar, now }: CheckoutFacts): CheckoutRefusal | undefined {
  if (!isOn) return "off";
  if (bar) return bar;
  if (!invoice) return "unknown";
  if (invoice.userId !== query.from.id) return "not_yours";
  if (query.currency !== STARS_CURRENCY || query.total_amount !== invoice.price) return "changed";
  // A clock that was set back must not prolong an invoice.
  if (invoice.state !== "open" || Math.abs(now - invoice.madeAt) > INVOICE_MS) return "old";
  return undefined;
}

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

  constructor(
    private readonly modules: PaymentModules,
    private readonly stars: StarsTill,
    private readonly access: Access,
  ) {}

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

  async #judge(query: PreCheckoutQuery): Promise<CheckoutRefusal | undefined> {
    const { accounts, database, clock, logger } = this.modules;
    if (this.#isDraining) return "busy";
    try {
      const { from, invoice_payload } = query;
      const invoice = accounts.payments.invoice(STARS, invoice_payload);
      const facts = { isOn: this.stars.isOn, bar: this.#barOf(from.id), now: clock.now() };
      const refusal = judgeCheckout({ query, invoice, ...facts });
      if (refusal) return refusal;
      const isWritable = await this.#inTime(probeWrite(database, clock));
      return isWritable && !this.#isDraining ? undefined : "busy";
    } catch (error) {
      logger.error({ user_id: query.from.id, err: error }, "pre-checkout not judged");
      return "busy";
    }
  }

  #barOf(userId: number): Bar | undefined {
    if (!this.access.isFor(userId)) return "not_allowed";
    return this.modules.accounts.bans.of(userId) && "banned";
  }

  async #inTime(write: Promise<void>): Promise<boolean> {
    const ended = new AbortController();
    const late = sleep(this.modules.clock, JUDGE_MS, ended.signal).then(() => false);
    return Promise.race([write.then(() => true), late]).finally(() => ended.abort());
  }

  async #send(query: PreCheckoutQuery, refusal: CheckoutRefusal | undefined, until: number): Promise<void> {
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
const TELL_AT_ONCE = 50;

/**
 * Runs the tills beside Stars: takes what they report, and every minute ends refunds in doubt and tells people who could
 * not be told.
 */
class TillDesk {
  readonly #runs: Recurring;

  /** @param returnUrl where people are sent to after they have paid elsewhere */
  constructor(
    private readonly modules: PaymentModules,
    private readonly tills: readonly WatchingTill[],
    private readonly intake: PaymentIntake,
    private readonly teller: PaymentTeller,
    private readonly returnUrl: string,
  ) {
    const { clock, logger } = modules;
    this.#runs = new Recurring({
      clock,
      everyMs: EVERY_MS,
      work: () => this.#settle(),
      onFailure: (error) => logger.warn({ err: error }, "tills not settled, tried again in a minute"),
    });
  }

  start(): void {
    const take = (report: TillReport) => this.intake.takeOnce(report);
    for (const till of this.tills) till.start({ take, returnUrl: this.returnUrl });
    if (this.tills.length > 0) this.#runs.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#runs.stop(), ...this.tills.map((till) => till.stop())]);
  }

  /** Settles now. Never rejects. */
  run(): Promise<void> {
    return this.#runs.wake();
  }

  async #settle(): Promise<void> {
    const { payments } = this.modules.accounts;
    for (const till of this.tills) {
      await this.intake.takeRefundEnds(await payments.settleRefunds(till));
      for (const payment of payments.untold(till.name, TELL_AT_ONCE)) await this.teller.tellCredit(payment);
    }
  }
}

/** Takes, watches and tells of payments. Exists wherever accounts are managed here, also while nothing is sold. */
export interface BotPayments {
  /** Every till that may have payments, with those that sell nothing now. */
  tills: readonly Till[];
  intake: PaymentIntake;
  teller: PaymentTeller;
  preCheckout: PreCheckout;
  reconciliation: Reconciliation;
  /** Reads how many Stars the bot has, where they are sold. Undefined also where Telegram does not tell. */
  starBalance: () => Promise<number | undefined>;
  /** Runs the tills beside Stars. */
  desk: TillDesk;
}

interface BotTills {
  botInfo: Pick<UserFromGetMe, "id" | "username">;
  starsTill: StarsTill;
  /** Tills beside Stars. */
  tills: readonly WatchingTill[];
  access: Access;
  /** Moment of the backup that was restored, in ms since the epoch. */
  backupMadeAt?: number | undefined;
}

export function createBotPayments(modules: PaymentModules, bot: BotTills): BotPayments {
  const { notices, clock, logger, accounts } = modules;
  const { botInfo, starsTill: stars, tills, access, backupMadeAt } = bot;
  const teller = new PaymentTeller(modules);
  const intake = new PaymentIntake(accounts.payments, teller, notices, clock, logger);
  return {
    tills: [stars, ...tills],
    intake,
    teller,
    preCheckout: new PreCheckout(modules, stars, access),
    reconciliation: new Reconciliation(modules, stars, intake, teller, { botId: botInfo.id, backupMadeAt }),
    async starBalance() {
      if (!stars.isOn) return undefined;
      return stars.balance().catch((error: unknown) => {
        logger.info({ err: error }, "balance of Stars not known");
        return undefined;
      });
    },
    desk: new TillDesk(modules, tills, intake, teller, `https://t.me/${botInfo.username}`),
  };
}
