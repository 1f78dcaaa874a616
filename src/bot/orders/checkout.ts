import { isDeepStrictEqual } from "node:util";
import {
  ContractError,
  PriceChanged,
  SubmissionInterruptedError,
  Unavailable,
  UncertainOutcome,
} from "../../contract/errors.js";
import { type Kopecks, kopecksOf } from "../../contract/price.js";
import { isConstraint } from "../../database/database.js";
import { type CancelTimer, type Clock, within } from "../../platform/clock.js";
import { reasonOf } from "../../platform/errors.js";
import { type Integer, integer } from "../../platform/integer.js";
import { repeat, retry } from "../../platform/retry.js";
import { MINUTE_MS } from "../../platform/units.js";
import { type Gateway, NOT_CONNECTED } from "../../ports/gateway.js";
import { areElsewhere } from "../../service/accounts.js";
import type { BotGround } from "../bot-ground.js";
import type { Draft } from "../card/draft-store.js";
import { type Allowance, LimitExceededError } from "../people/spending.js";
import { isInGroup } from "../telegram/place.js";
import type { SpooledAcceptance } from "./accepted-spool.js";
import { type Claim, type Order, type TakeClaim, userOf } from "./order.js";
import { JobTakenError } from "./order-store.js";
import { type Payment, paymentText, refusalOf } from "./pay.js";
import {
  announceDoubt,
  costOfJobs,
  type JobFault,
  readJobIds,
  tellDoubtsOfBefore,
} from "./uncertain-orders.js";
import type { BalanceHint, UncertainOrder } from "./uncertain-store.js";

const WAIT_MS_MAX = 2000;

/** Reads the balance of the account; null when it is not known in time. Never throws. */
async function balanceWithin(gateway: Gateway, clock: Clock): Promise<Kopecks | null> {
  const balance = await within(clock, WAIT_MS_MAX, gateway.balance()).catch(() => undefined);
  return balance ? kopecksOf(balance.amount) : null;
}

const RESERVED_EVERY_MS = MINUTE_MS;
const BACK_OFF = { firstMs: 100, maxMs: 10_000 };
const TRIES_IN_SILENCE = 4;

type Acceptance = Omit<SpooledAcceptance, "order_id">;

/** Milliseconds that a person waits at a button. */
const SUBMISSION_WAIT_MS = 9000;
/** Milliseconds that a stop waits for outcomes that nobody waits for at a button. */
const LATE_END_MS = 7000;

export interface LimitExceeded {
  kind: "limit_exceeded";
  allowance: Allowance;
}

/**
 * Submits each order once, at the price shown, where a network lies between it and its account, and settles those of
 * unknown outcome as an admin says.
 */
export class Checkout {
  /** Submissions without an outcome, which may be repeated for hours. */
  readonly #running = new Map<string, AbortController>();
  /** Submissions whose person no longer waits at the button. */
  readonly #late = new Set<Promise<void>>();
  /** Orders whose person knows of the delay. */
  readonly #delayTold = new Set<string>();
  #cancelReserving: CancelTimer = () => {};

  /** @param onAccepted called with each order whose jobs are being made */
  constructor(
    private readonly bot: BotGround,
    private readonly onAccepted: (order: Order) => void,
  ) {}

  /** Goes on with what an earlier run left, in the background. */
  start(): void {
    const { spool, accounts, logger, clock } = this.bot;
    // Job ids that an earlier run could not write. A claimed order without them is uncertain.
    const spooled = spool.readOrLog(logger);
    // Also after it was used; on a full disk it is tried again.
    if (areElsewhere(accounts))
      this.#cancelReserving = repeat(clock, RESERVED_EVERY_MS, () => this.#reserve());
    const isSpooled = new Set(spooled.map(({ order_id }) => order_id));
    for (const order of this.#unanswered())
      if (!isSpooled.has(order.id)) this.#settleLate(order, this.resume(order), "order not resumed");
    void this.recover(spooled);
    void tellDoubtsOfBefore(isSpooled, this.bot);
  }

  #reserve(): void {
    const { spool, logger } = this.bot;
    try {
      spool.reserve();
    } catch (error) {
      // Without it a full disk leaves the job ids in the log only.
      logger.warn({ err: error }, "no room reserved for the spool of accepted orders");
    }
  }

  /** Waits for submissions that are about to end. The next start resumes the rest. */
  async stop(): Promise<void> {
    this.#cancelReserving();
    await within(this.bot.clock, LATE_END_MS, Promise.allSettled(this.#late));
  }

  async pay(claim: Claim | TakeClaim, gateway: Gateway): Promise<Payment | LimitExceeded> {
    const order = await this.bot.orders.claim(claim).catch((error: unknown): LimitExceeded => {
      if (!(error instanceof LimitExceededError)) throw error;
      return { kind: "limit_exceeded", allowance: error.allowance };
    });
    if (!order) return { kind: "stale" };
    if ("allowance" in order) return order;
    const submission = this.submit(order, gateway);
    const payment = await within(this.bot.clock, SUBMISSION_WAIT_MS, submission);
    if (!payment) {
      // The handler ends, so that the chat goes on; the outcome comes as a message.
      void this.#tellDelay(order, "pay-slow");
      this.#settleLate(order, submission, "late outcome not sent");
      return { kind: "stale" };
    }
    this.#delayTold.delete(order.id);
    if (payment.kind === "uncertain") await announceDoubt(payment.order.id, this.bot);
    return payment;
  }

  /** True while a service has not answered a matching submission. */
  isUnanswered(matches: (order: Order) => boolean): boolean {
    return areElsewhere(this.bot.accounts) && this.#unanswered().some(matches);
  }

  #unanswered(): Order[] {
    const { accounts, orders } = this.bot;
    const repeated = areElsewhere(accounts) ? orders.uncertain.repeated() : [];
    return [...orders.inState("claimed"), ...repeated];
  }

  /** Tells the outcome when it is known. `fault`: what the log says when that is not possible. */
  #settleLate(order: Order, outcome: Promise<Payment>, fault: string): void {
    const late = outcome
      .then((payment) => this.#settle(order, payment))
      .catch((error: unknown) => this.bot.logger.error({ order_id: order.id, err: error }, fault))
      .finally(() => this.#delayTold.delete(order.id));
    this.#late.add(late);
    void late.finally(() => this.#late.delete(late));
  }

  /** Reports the outcome of a payment to a person who no longer waits at the button. */
  async #settle(order: Order, payment: Payment): Promise<void> {
    if (payment.kind === "stale") return;
    const wasInDoubt = this.bot.orders.uncertain.findByOrder(order.id) !== undefined;
    if (wasInDoubt) return announceDoubt(order.id, this.bot);
    if (payment.kind === "accepted" || payment.kind === "uncertain") return;
    const { outbox, cards, gateways, languageOf, people, supportContact, topUps } = this.bot;
    const audience = { language: languageOf(order.userId), isGroup: isInGroup(order) };
    const text = paymentText(payment, audience, { supportContact, topUps });
    await outbox.say(order, { text });
    const person = people.find(order.userId);
    if (!person || !payment.draft) return;
    await cards.repost(payment.draft, { person, gateway: await gateways.of(person) });
  }

  /** Tells of a delay. The outcome is unknown until it is written, so the message promises nothing. */
  async #tellDelay(order: Order, key: "pay-waiting" | "pay-slow"): Promise<void> {
    if (this.#delayTold.has(order.id)) return;
    this.#delayTold.add(order.id);
    const { outbox, languageOf, logger } = this.bot;
    await outbox
      .say(order, { text: languageOf(order.userId).t(key) })
      .catch((error: unknown) => logger.warn({ order_id: order.id, err: error }, "delay notice not sent"));
  }

  /** Tells that the service charged another sum than it told before. */
  async #tellCharge(order: Order, chargedKopecks: Kopecks): Promise<void> {
    const { outbox, languageOf, logger } = this.bot;
    const { t, money } = languageOf(order.userId);
    const facts = { order_id: order.id, quoted: order.quotedKopecks, charged: chargedKopecks };
    logger.warn(facts, "another sum was charged than quoted");
    const sums = { charged: money(chargedKopecks), quoted: money(order.quotedKopecks) };
    await outbox
      .say(order, { text: t("pay-other-sum", sums) })
      .catch((error: unknown) => logger.warn({ ...facts, err: error }, "charge not told"));
  }

  /** Submits an order that has just been claimed, with the account of its person. */
  async submit(order: Order, gateway: Gateway): Promise<Payment> {
    const { logger, clock } = this.bot;
    const facts = { order_id: order.id, user_id: order.userId, kopecks: order.quotedKopecks };
    logger.info(facts, "order claimed");
    return this.#submit(order, gateway, await balanceWithin(gateway, clock));
  }

  /** Goes on with an order that an earlier run claimed, and may have sent, or whose outcome is uncertain. */
  async resume(order: Order): Promise<Payment> {
    const { gateways, accounts, logger, restoredAt = Number.NEGATIVE_INFINITY } = this.bot;
    logger.info({ order_id: order.id }, "order resumed");
    const isRestored = order.createdAt <= restoredAt;
    // One that was claimed in a backup, or when its account was elsewhere, may have been accepted since.
    if (order.state === "claimed" && (isRestored || !areElsewhere(accounts))) {
      await this.markUncertain(order);
      return { kind: "uncertain", order };
    }
    const gateway = await gateways.ofOrder(order.id, userOf(order));
    // It may be charged already: a balance of now tells nothing.
    if (gateway !== NOT_CONNECTED) return this.#submit(order, gateway, null);
    if (accounts.kind === "connected" && !accounts.wasSent(order.id)) {
      const draft = await this.#refuse(order, "not connected");
      return { kind: "unavailable", reason: "account", draft };
    }
    await this.markUncertain(order);
    return { kind: "uncertain", order };
  }

  /** Submits an order. `before`: the balance before the submission, where it is known. */
  async #submit(order: Order, gateway: Gateway, before: Kopecks | null): Promise<Payment> {
    const { clock, logger, spool } = this.bot;
    const running = new AbortController();
    this.#running.set(order.id, running);
    let doubted: Promise<void> | undefined;
    try {
      const { job_ids, cost_rub } = await gateway.submit(order.request, {
        id: order.id,
        quotedKopecks: order.quotedKopecks,
        signal: running.signal,
        onDoubt: (repeatedUntil) => {
          doubted = this.#noteDoubt(order, before, gateway, integer(repeatedUntil));
        },
      });
      const acceptance = { job_ids, charged_kopecks: kopecksOf(cost_rub) };
      spool.hold({ order_id: order.id, ...acceptance });
      await doubted;
      const placed = await this.record(order, acceptance);
      if (!placed) return this.#isUncertain(order) ? { kind: "uncertain", order } : { kind: "stale" };
      logger.info({ order_id: order.id, job_ids: acceptance.job_ids }, "order placed");
      if (acceptance.charged_kopecks !== order.quotedKopecks)
        void this.#tellCharge(order, acceptance.charged_kopecks);
      this.onAccepted(placed);
      return { kind: "accepted", order: placed };
    } catch (error) {
      await doubted;
      // The next start continues the order, or an admin has settled it.
      if (error instanceof SubmissionInterruptedError) return { kind: "stale" };
      if (!isDoubtful(error)) {
        const draft = await this.#refuse(order, reasonOf(error));
        return { ...(await refusalOf(error, order, gateway, this.bot)), draft };
      }
      const after = await balanceWithin(gateway, clock);
      await this.markUncertain(order, { before, after }, error);
      return { kind: "uncertain", order };
    } finally {
      if (this.#running.get(order.id) === running) this.#running.delete(order.id);
    }
  }

  /**
   * Writes the acceptance of an order. Until then its job ids are in the log and in the spool. What no row can hold
   * makes the order uncertain: undefined.
   */
  async record(order: Order, outcome: Acceptance): Promise<Order | undefined> {
    const { orders, spool, logger } = this.bot;
    const { job_ids, charged_kopecks } = outcome;
    const ids = { order_id: order.id, job_ids };
    const acceptance = { ...outcome, order_id: order.id };
    spool.hold(acceptance);
    try {
      const write = () => orders.accept(order, job_ids, charged_kopecks);
      const save = () => spool.saveOrLog(acceptance, logger);
      const accepted = await this.#untilWritten(order, write, save).finally(() => spool.release(order.id));
      if (!accepted && !isDeepStrictEqual(orders.find(order.id)?.jobIds, job_ids))
        logger.error(ids, "the order of an acceptance was settled otherwise");
      return accepted;
    } catch (error) {
      if (!isFinal(error)) throw error;
      logger.error({ ...ids, err: error }, "an acceptance that cannot be true: an admin should look into it");
      await this.markUncertain(order, undefined, error);
      return undefined;
    }
  }

  async markUncertain(order: Order, balance?: BalanceHint, cause?: unknown): Promise<void> {
    const { orders, logger } = this.bot;
    const record = await this.#untilWritten(order, () =>
      this.#isUncertain(order) ? orders.uncertain.endRepeats(order) : orders.uncertain.mark(order, balance),
    );
    const ids = { order_id: order.id, user_id: order.userId, number: record?.number };
    logger.error({ ...ids, ...(cause === undefined ? {} : { err: cause }) }, "order outcome uncertain");
  }

  /** Marks the order as uncertain until the submission that goes on settles it. Never rejects. */
  async #noteDoubt(
    order: Order,
    before: Kopecks | null,
    gateway: Gateway,
    repeatedUntil: Integer,
  ): Promise<void> {
    const { orders, clock, logger } = this.bot;
    try {
      const after = await balanceWithin(gateway, clock);
      const record = await orders.uncertain.mark(order, { before, after }, repeatedUntil);
      if (!record) return;
      logger.warn(
        { order_id: order.id, number: record.number },
        "order in doubt, its submission is repeated",
      );
      void announceDoubt(order.id, this.bot);
    } catch (error) {
      logger.error({ order_id: order.id, err: error }, "doubt of an order not written");
    }
  }

  /**
   * Continues an order of unknown outcome with the jobs that `text` names, also where it was settled as not charged.
   * @returns `not_uncertain` where another admin, or an earlier answer, has settled it
   */
  async settleCharged(
    { order }: UncertainOrder,
    text: string,
    adminId: number,
  ): Promise<"settled" | "not_uncertain" | JobFault> {
    const { gateways, orders, logger } = this.bot;
    const jobIds = readJobIds(text, order);
    if ("fault" in jobIds) return jobIds;
    const gateway = await gateways.ofOrder(order.id, userOf(order));
    if (gateway === NOT_CONNECTED) return { fault: "no_key", word: jobIds.join(", ") };
    const cost = await costOfJobs(jobIds, order, gateway, logger);
    if (typeof cost !== "number") return cost;
    const isRefused = orders.find(order.id)?.state === "refused";
    const settling = isRefused ? orders.takeBack(order, jobIds, cost) : orders.accept(order, jobIds, cost);
    const settled = await settling.catch((error: unknown) => {
      if (error instanceof JobTakenError) return error;
      throw error;
    });
    if (settled instanceof JobTakenError) return { fault: "taken", word: String(settled.jobId) };
    if (settled === "newer") return { fault: "newer", word: jobIds.join(", ") };
    if (!settled) return "not_uncertain";
    this.#noteSettled(order, { admin_id: adminId, job_ids: jobIds, outcome: "charged" });
    this.onAccepted(settled);
    await announceDoubt(order.id, this.bot);
    return "settled";
  }

  /** Refuses an order of unknown outcome. Its person may try again. Resolves to false where it was settled before. */
  async settleNotCharged({ order }: UncertainOrder, adminId: number): Promise<boolean> {
    if (!(await this.bot.orders.refuse(order))) return false;
    this.#noteSettled(order, { admin_id: adminId, outcome: "not_charged" });
    await announceDoubt(order.id, this.bot);
    return true;
  }

  /** Ends the repeats of a submission whose order an admin has settled. */
  #noteSettled({ id, userId }: Order, facts: object): void {
    this.#running.get(id)?.abort();
    this.bot.logger.info({ order_id: id, user_id: userId, ...facts }, "uncertain order settled");
  }

  #isUncertain({ id }: Order): boolean {
    return this.bot.orders.find(id)?.state === "uncertain";
  }

  async #refuse(order: Order, reason: string): Promise<Draft | undefined> {
    const { orders, logger } = this.bot;
    const refused = await this.#untilWritten(order, () => orders.refuse(order));
    logger.info({ order_id: order.id, reason }, "order refused");
    return refused?.draft;
  }

  /** Retries without limit, for example while the disk is full. A fault that stays is thrown. */
  #untilWritten<T>(order: Order, write: () => Promise<T>, onFirstFailure = () => {}): Promise<T> {
    const { clock, logger } = this.bot;
    const onFailure = (error: unknown, attempt: number) => {
      if (attempt === 1) onFirstFailure();
      logger.error({ order_id: order.id, err: error, attempt }, "order outcome not written, trying again");
      if (attempt === TRIES_IN_SILENCE) void this.#tellDelay(order, "pay-waiting");
    };
    return retry({ clock, backOff: BACK_OFF, onFailure, until: isFinal }, write);
  }

  /** Writes each acceptance that its order still lacks, and then removes it from the spool. Never throws. */
  async recover(acceptances: readonly SpooledAcceptance[]): Promise<void> {
    const { orders, spool, logger } = this.bot;
    for (const acceptance of acceptances) {
      const { order_id: orderId, job_ids } = acceptance;
      const ids = { order_id: orderId, job_ids };
      try {
        const order = orders.find(orderId);
        const state = order?.state ?? "unknown";
        const isOpen = order && (state === "claimed" || state === "uncertain");
        const accepted = isOpen ? await this.record(order, acceptance) : undefined;
        if (!isOpen && !isDeepStrictEqual(order?.jobIds, job_ids))
          logger.error({ ...ids, state }, "spooled acceptance fits no order");
        if (accepted) {
          logger.info(ids, "order placed by an earlier run");
          this.onAccepted(accepted);
        }
        if (accepted || orders.find(orderId)?.state === "uncertain") void announceDoubt(orderId, this.bot);
        spool.forget(orderId);
      } catch (error) {
        logger.error({ ...ids, err: error }, "spooled acceptance not applied");
      }
    }
  }
}

/** Tells whether the same write would fail again. */
function isFinal(error: unknown): boolean {
  return error instanceof JobTakenError || isConstraint(error);
}

/** Tells whether the order may be charged: an unknown fault of a submission over a network proves nothing. */
function isDoubtful(error: unknown): boolean {
  if (error instanceof UncertainOutcome) return true;
  return !(error instanceof ContractError || error instanceof PriceChanged || error instanceof Unavailable);
}
