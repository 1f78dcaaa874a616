import { isDeepStrictEqual } from "node:util";
import {
  ContractError,
  PriceChanged,
  SubmissionInterruptedError,
  TooManyOrdersError,
  Unavailable,
} from "../../../contract/errors.js";
import type { Model } from "../../../contract/model.js";
import { type Kopecks, kopecksOf, leftOf } from "../../../contract/money.js";
import type { Accepted, GenerationRequest } from "../../../contract/request.js";
import { versionTitle } from "../../../contract/version-title.js";
import type { Clock } from "../../../platform/clock.js";
import type { Ids } from "../../../platform/ids.js";
import { type Integer, integer } from "../../../platform/integer.js";
import type { Logger } from "../../../platform/logger.js";
import { retry } from "../../../platform/retry.js";
import { areElsewhere, type ServiceAccounts } from "../../../ports/accounts.js";
import { type Balance, type Gateway, type Gateways, NOT_CONNECTED } from "../../../ports/gateway.js";
import type { Draft } from "../../card/draft/draft.js";
import { JobTakenError } from "../store/job-taken-error.js";
import { type Order, type TakeClaim, userOf } from "../store/order.js";
import type { OrderStore } from "../store/order-store.js";
import type { BalanceHint } from "../store/uncertain-order.js";
import type { AcceptedSpool, SpooledAcceptance } from "./accepted-spool.js";
import { balanceWithin } from "./balance-within.js";
import { isDoubtful, isFinal } from "./failures.js";
import type { Payment } from "./payment.js";
import type { RunningSubmissions } from "./running-submissions.js";
import { ToldLimits } from "./told-limits.js";

const BACK_OFF = { firstMs: 100, maxMs: 10_000 };
const TRIES_IN_SILENCE = 4;

type Acceptance = Omit<SpooledAcceptance, "orderId">;

interface CheckoutParts {
  orders: OrderStore;
  gateways: Gateways;
  accounts: ServiceAccounts;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  spool: AcceptedSpool;
  running: RunningSubmissions;
  /** Moment of a restore, in ms since the epoch: orders that were claimed before are not submitted again. */
  restoredAt?: number | undefined;
  /** Called once per order whose outcome cannot be written yet. */
  onDelay: (order: Order) => void;
  /** Called when an order became uncertain while its submission is repeated. */
  onDoubt: (order: Order) => void;
}

/** Submits each confirmed draft once, at the price shown. */
export class Checkout {
  readonly #parts: CheckoutParts;
  readonly #toldLimits: ToldLimits;

  constructor(parts: CheckoutParts) {
    this.#parts = parts;
    this.#toldLimits = new ToldLimits(parts.clock);
  }

  /**
   * Claims the order of a draft, or returns undefined when it has changed or was already ordered.
   * @param request has links that the core can read
   * @throws LimitExceededError
   */
  async claim(
    draft: Draft,
    model: Model,
    userName: string,
    quotedKopecks: Kopecks,
    request: GenerationRequest,
  ): Promise<Order | undefined> {
    const { orders, ids } = this.#parts;
    const modelTitle = versionTitle(model, request);
    const claim = { orderId: ids.order(), draft, userName, modelTitle, request, quotedKopecks };
    return this.#logged(await orders.claim(claim));
  }

  /** Claims the order of a further take; undefined when it was already ordered. Throws LimitExceededError. */
  async claimTake(take: Omit<TakeClaim, "orderId">): Promise<Order | undefined> {
    const { orders, ids } = this.#parts;
    return this.#logged(await orders.claimTake({ ...take, orderId: ids.order() }));
  }

  #logged(order: Order | undefined): Order | undefined {
    if (order) {
      const facts = { order_id: order.id, user_id: order.userId, kopecks: order.quotedKopecks };
      this.#parts.logger.info(facts, "order claimed");
    }
    return order;
  }

  /** Submits an order that has just been claimed, with the account of its person. */
  async submit(order: Order, gateway: Gateway): Promise<Payment> {
    const { accounts, clock } = this.#parts;
    // It helps only where an outcome may stay unknown.
    const before = areElsewhere(accounts) ? await balanceWithin(gateway, clock) : null;
    return this.#submit(order, gateway, before);
  }

  /** Goes on with an order that an earlier run claimed, and may have sent, or whose outcome is uncertain. */
  async resume(order: Order): Promise<Payment> {
    const { gateways, accounts } = this.#parts;
    if (this.#isRestored(order)) return this.#leaveRestored(order);
    const gateway = await gateways.ofOrder(order.id, userOf(order));
    // It may be charged already: a balance of now tells nothing.
    if (gateway !== NOT_CONNECTED) return this.#submit(order, gateway, null);
    if (accounts.kind === "connected" && !accounts.wasSent(order.id)) {
      const draft = await this.#refuse(order, "not connected");
      return { kind: "unavailable", reason: "account", draft, order };
    }
    await this.markUncertain(order);
    return { kind: "uncertain", order };
  }

  /** True for an order that was claimed in a restored backup: it may have been accepted since. */
  #isRestored(order: Order): boolean {
    const { accounts, restoredAt = Number.NEGATIVE_INFINITY } = this.#parts;
    if (order.state !== "claimed" || order.createdAt > restoredAt) return false;
    // One whose jobs are in the backup is charged there: only the acceptance was not written yet.
    return areElsewhere(accounts) || accounts.orders.of(order.userId, order.id).jobs.length === 0;
  }

  /** Ends it here, where the balance is that of before it; elsewhere an admin sees whether it was charged. */
  async #leaveRestored(order: Order): Promise<Payment> {
    if (areElsewhere(this.#parts.accounts)) {
      await this.markUncertain(order);
      return { kind: "uncertain", order };
    }
    const draft = await this.#refuse(order, "restored from a backup");
    return { kind: "unavailable", reason: "unreachable", draft, order };
  }

  /** Submits an order. `before`: the balance before the submission, where it is known. */
  async #submit(order: Order, gateway: Gateway, before: Kopecks | null): Promise<Payment> {
    const { accounts, clock, logger, running, spool } = this.#parts;
    const { signal, end } = running.begin(order.id);
    let doubted: Promise<void> | undefined;
    try {
      const accepted = await gateway.submit(order.request, {
        id: order.id,
        quotedKopecks: order.quotedKopecks,
        signal,
        onAccepted: (accepted) => spool.hold({ orderId: order.id, ...acceptanceOf(accepted) }),
        onDoubt: (repeatedUntil) => {
          doubted = this.#noteDoubt(order, before, gateway, integer(repeatedUntil));
        },
      });
      await doubted;
      const acceptance = acceptanceOf(accepted);
      const placed = await this.record(order, acceptance);
      if (!placed) return this.#isUncertain(order) ? { kind: "uncertain", order } : { kind: "stale" };
      logger.info({ order_id: order.id, job_ids: acceptance.jobIds }, "order placed");
      return { kind: "accepted", order: placed, chargedKopecks: acceptance.chargedKopecks };
    } catch (error) {
      await doubted;
      // The next start continues the order, or an admin has settled it.
      if (error instanceof SubmissionInterruptedError) return { kind: "stale" };
      if (!isDoubtful(error, accounts)) return this.#explain(error, order, gateway);
      const after = await balanceWithin(gateway, clock);
      await this.markUncertain(order, { before, after }, error);
      return { kind: "uncertain", order };
    } finally {
      end();
    }
  }

  /**
   * Writes the acceptance of an order. Until then its job ids are in the log and in the spool. What no row can hold
   * makes the order uncertain: undefined.
   */
  async record(order: Order, outcome: Acceptance): Promise<Order | undefined> {
    const { orders, logger } = this.#parts;
    const { jobIds, chargedKopecks } = outcome;
    const ids = { order_id: order.id, job_ids: jobIds };
    try {
      const accepted = await this.#keepUntilWritten(order, outcome, async () => {
        if (!this.#isUncertain(order)) return orders.accept(order, jobIds, chargedKopecks);
        const settled = await orders.uncertain.settleCharged(order, jobIds, chargedKopecks);
        if (settled.kind === "taken") throw new JobTakenError(settled.jobId);
        return settled.kind === "settled" ? settled.order : undefined;
      });
      if (!accepted && !isDeepStrictEqual(orders.find(order.id)?.jobIds, jobIds))
        logger.error(ids, "the order of an acceptance was settled otherwise");
      return accepted;
    } catch (error) {
      if (!isFinal(error)) throw error;
      logger.error({ ...ids, err: error }, "an acceptance that cannot be true: an admin should look into it");
      await this.markUncertain(order, undefined, error);
      return undefined;
    }
  }

  /** Makes the order wait for an admin. */
  async markUncertain(order: Order, balance?: BalanceHint, cause?: unknown): Promise<void> {
    const { orders, logger } = this.#parts;
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
    const { orders, clock, logger, onDoubt } = this.#parts;
    try {
      const after = await balanceWithin(gateway, clock);
      const record = await orders.uncertain.mark(order, { before, after }, repeatedUntil);
      if (!record) return;
      logger.warn(
        { order_id: order.id, number: record.number },
        "order in doubt, its submission is repeated",
      );
      onDoubt(record.order);
    } catch (error) {
      logger.error({ order_id: order.id, err: error }, "doubt of an order not written");
    }
  }

  #isUncertain({ id }: Order): boolean {
    return this.#parts.orders.find(id)?.state === "uncertain";
  }

  async #explain(error: unknown, order: Order, gateway: Gateway): Promise<Payment> {
    const { logger } = this.#parts;
    const draft = await this.#refuse(order, error instanceof Error ? error.message : "unknown");
    if (error instanceof TooManyOrdersError) {
      const { reason, max } = error;
      return { kind: "too_many", reason, max, isTold: this.#toldLimits.note(order.userId), draft, order };
    }
    if (error instanceof PriceChanged) return { kind: "price_changed", draft, order };
    if (error instanceof Unavailable) return { kind: "unavailable", reason: error.reason, draft, order };
    if (error instanceof ContractError && error.code === "insufficient_funds") {
      const left = await balanceLeft(error, gateway).catch(() => undefined);
      if (left === undefined) return { kind: "refused", code: error.code, draft, order };
      const missingKopecks = leftOf(order.quotedKopecks, kopecksOf(left));
      return { kind: "no_money", missingKopecks, draft, order };
    }
    if (error instanceof ContractError) return { kind: "refused", code: error.code, draft, order };
    logger.error({ order_id: order.id, err: error }, "order could not be submitted");
    return { kind: "unavailable", reason: "storage", draft, order };
  }

  async #refuse(order: Order, reason: string): Promise<Draft | undefined> {
    const { orders, logger } = this.#parts;
    const refused = await this.#untilWritten(order, () =>
      this.#isUncertain(order) ? orders.uncertain.settleNotCharged(order) : orders.refuse(order),
    );
    logger.info({ order_id: order.id, reason }, "order refused");
    return refused?.draft;
  }

  async #keepUntilWritten<T>(order: Order, outcome: Acceptance, write: () => Promise<T>): Promise<T> {
    const { spool, logger } = this.#parts;
    const acceptance = { ...outcome, orderId: order.id };
    spool.hold(acceptance);
    try {
      return await this.#untilWritten(order, write, () => spool.saveOrLog(acceptance, logger));
    } finally {
      spool.release(order.id);
    }
  }

  /** Retries without limit, for example while the disk is full. A fault that stays is thrown. */
  #untilWritten<T>(order: Order, write: () => Promise<T>, onFirstFailure = () => {}): Promise<T> {
    const { clock, logger, onDelay } = this.#parts;
    const onFailure = (error: unknown, attempt: number) => {
      if (attempt === 1) onFirstFailure();
      logger.error({ order_id: order.id, err: error, attempt }, "order outcome not written, trying again");
      if (attempt === TRIES_IN_SILENCE) onDelay(order);
    };
    return retry({ clock, backOff: BACK_OFF, onFailure, until: isFinal }, write);
  }
}

async function balanceLeft(error: ContractError, gateway: Gateway): Promise<number> {
  if (error.detail.balance !== undefined) return error.detail.balance;
  const balance: Balance = await gateway.balance();
  return balance.amount;
}

/** Reads the sum that was charged, which may differ from the quote where the core is elsewhere. */
function acceptanceOf({ job_ids, cost_rub }: Pick<Accepted, "job_ids" | "cost_rub">) {
  return { jobIds: job_ids, chargedKopecks: kopecksOf(cost_rub) };
}
