import { type Api, GrammyError } from "grammy";
import type { PreCheckoutQuery, UserFromGetMe } from "grammy/types";
import { type Database, probeWrite } from "../../database/database.js";
import { type Clock, sleep } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { Recurring, retry } from "../../platform/retry.js";
import { HOUR_MS, MINUTE_MS } from "../../platform/units.js";
import type { Gateways } from "../../ports/gateway.js";
import type { NoticeQueue } from "../../ports/operator-notices.js";
import type { ManagedAccounts } from "../../service/accounts.js";
import type { PaymentBook } from "../../tills/payment-book.js";
import type { Till, TillInvoice, WatchingTill } from "../../tills/till.js";
import type { CardMessages } from "../card/card-messages.js";
import type { Drafts } from "../card/draft-store.js";
import type { Access } from "../middleware.js";
import type { People } from "../people/people.js";
import type { Texts } from "../texts/texts.js";
import { PaymentIntake } from "./payment-intake.js";
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

interface PreCheckoutParts {
  /** Does not retry by itself: an answer is useless when late. */
  plainApi: Pick<Api, "answerPreCheckoutQuery">;
  payments: Pick<PaymentBook, "invoice">;
  people: Pick<People, "find">;
  texts: Texts;
  isOn: () => boolean;
  barOf: (userId: number) => Bar | undefined;
  /** Rejects where the database takes no writes. */
  probeWrite: () => Promise<void>;
  clock: Clock;
  logger: Logger;
}

/**
 * Answers pre-checkout queries in a lane of their own: they wait for no other update and for no queue of a chat, and
 * are not kept over a restart, since Telegram takes no late answer. Any doubt refuses the payment.
 */
class PreCheckout {
  readonly #parts: PreCheckoutParts;
  #isDraining = false;

  constructor(parts: PreCheckoutParts) {
    this.#parts = parts;
  }

  /** Refuses from now on: the update of a payment would wait for the next start. */
  drain(): void {
    this.#isDraining = true;
  }

  /** Never rejects. */
  async answer(query: PreCheckoutQuery): Promise<void> {
    await this.#answer(query).catch((error: unknown) =>
      this.#parts.logger.error({ err: error }, "pre-checkout not read"),
    );
  }

  async #answer(query: PreCheckoutQuery): Promise<void> {
    const { logger, clock } = this.#parts;
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
    const { payments, isOn, barOf, probeWrite, clock, logger } = this.#parts;
    if (this.#isDraining) return "busy";
    try {
      const { from, invoice_payload } = query;
      const facts = { isOn: isOn(), bar: barOf(from.id), now: clock.now() };
      const refusal = judgeCheckout({ query, invoice: payments.invoice(STARS, invoice_payload), ...facts });
      if (refusal) return refusal;
      const isWritable = await this.#inTime(probeWrite());
      return isWritable && !this.#isDraining ? undefined : "busy";
    } catch (error) {
      logger.error({ user_id: query.from.id, err: error }, "pre-checkout not judged");
      return "busy";
    }
  }

  async #inTime(write: Promise<void>): Promise<boolean> {
    const ended = new AbortController();
    const late = sleep(this.#parts.clock, JUDGE_MS, ended.signal).then(() => false);
    return Promise.race([write.then(() => true), late]).finally(() => ended.abort());
  }

  async #send(query: PreCheckoutQuery, refusal: CheckoutRefusal | undefined, until: number): Promise<void> {
    const { plainApi, people, texts, clock } = this.#parts;
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

interface TillDeskParts {
  /** Tills that look for their payments by themselves. */
  tills: readonly WatchingTill[];
  payments: Pick<PaymentBook, "settleRefunds" | "untold">;
  intake: Pick<PaymentIntake, "takeOnce" | "takeRefundEnds">;
  teller: PaymentTeller;
  /** The address that people are sent to after they have paid elsewhere. */
  returnUrl: string;
  clock: Clock;
  logger: Logger;
}

/**
 * Runs the tills beside Stars: takes what they report, and every minute ends refunds in doubt and tells people who could
 * not be told.
 */
class TillDesk {
  readonly #parts: TillDeskParts;
  readonly #runs: Recurring;

  constructor(parts: TillDeskParts) {
    const { clock, logger } = parts;
    this.#parts = parts;
    this.#runs = new Recurring({
      clock,
      everyMs: EVERY_MS,
      work: () => this.#settle(),
      onFailure: (error) => logger.warn({ err: error }, "tills not settled, tried again in a minute"),
    });
  }

  start(): void {
    const { tills, intake, returnUrl } = this.#parts;
    for (const till of tills) till.start({ take: (report) => intake.takeOnce(report), returnUrl });
    if (tills.length > 0) this.#runs.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#runs.stop(), ...this.#parts.tills.map((till) => till.stop())]);
  }

  /** Settles now. Never rejects. */
  run(): Promise<void> {
    return this.#runs.wake();
  }

  async #settle(): Promise<void> {
    const { tills, payments, teller, intake } = this.#parts;
    for (const till of tills) {
      await intake.takeRefundEnds(await payments.settleRefunds(till));
      for (const payment of payments.untold(till.name, TELL_AT_ONCE)) await teller.tellCredit(payment);
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

interface BotPaymentsParts {
  api: Api;
  plainApi: Api;
  me: Pick<UserFromGetMe, "id" | "username">;
  database: Database;
  accounts: ManagedAccounts;
  stars: StarsTill;
  /** Tills beside Stars. */
  otherTills: readonly WatchingTill[];
  access: Pick<Access, "isFor">;
  gateways: Gateways;
  cards: CardMessages;
  drafts: Drafts;
  people: People;
  texts: Texts;
  notices: NoticeQueue;
  /** Moment of the backup that was restored, in ms since the epoch. */
  backupMadeAt?: number | undefined;
  clock: Clock;
  logger: Logger;
}

export function createBotPayments(parts: BotPaymentsParts): BotPayments {
  const { accounts, stars, database, clock, access } = parts;
  const { payments, admin } = accounts;
  const shared = { ...parts, payments, admin };
  const teller = new PaymentTeller(shared);
  const intake = new PaymentIntake(shared.payments, teller, shared.notices, shared.clock, shared.logger);
  return {
    tills: [stars, ...parts.otherTills],
    intake,
    teller,
    preCheckout: new PreCheckout({
      ...shared,
      isOn: () => stars.isOn,
      barOf: (userId) => {
        if (!access.isFor(userId)) return "not_allowed";
        return accounts.bans.of(userId) && "banned";
      },
      probeWrite: () => probeWrite(database, clock),
    }),
    reconciliation: new Reconciliation({ ...shared, botId: parts.me.id, till: stars, intake, teller }),
    async starBalance() {
      if (!stars.isOn) return undefined;
      return stars.balance().catch((error: unknown) => {
        parts.logger.info({ err: error }, "balance of Stars not known");
        return undefined;
      });
    },
    desk: new TillDesk({
      ...shared,
      tills: parts.otherTills,
      intake,
      teller,
      returnUrl: `https://t.me/${parts.me.username}`,
    }),
  };
}
