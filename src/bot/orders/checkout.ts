import { isDeepStrictEqual } from "node:util";
import {
  ContractError,
  type ContractErrorCode,
  PriceChanged,
  SubmissionInterruptedError,
  TooManyOrdersError,
  Unavailable,
  type UnavailableReason,
  UncertainOutcome,
} from "../../contract/errors.js";
import { type Model, versionTitle } from "../../contract/model.js";
import { type Balance, type Kopecks, kopecksOf, leftOf } from "../../contract/price.js";
import type { Accepted, GenerationRequest } from "../../contract/request.js";
import { isConstraint } from "../../database/database.js";
import { BoundedMap } from "../../platform/bounded-map.js";
import type { Clock } from "../../platform/clock.js";
import type { Ids } from "../../platform/ids.js";
import { type Integer, integer } from "../../platform/integer.js";
import type { Logger } from "../../platform/logger.js";
import { retry } from "../../platform/retry.js";
import { MINUTE_MS } from "../../platform/units.js";
import { type Gateway, type Gateways, NOT_CONNECTED } from "../../ports/gateway.js";
import { areElsewhere, type ServiceAccounts } from "../../service/accounts.js";
import type { Draft } from "../card/draft-store.js";
import { type Audience, type MoneyHelp, shortfallText } from "../people/balance-words.js";
import type { AcceptedSpool, SpooledAcceptance } from "./accepted-spool.js";
import { type Order, type TakeClaim, userOf } from "./order.js";
import { JobTakenError, type OrderStore } from "./order-store.js";
import type { BalanceHint } from "./uncertain-store.js";

const REMEMBERED = 10_000;

/** Remembers whom a limit was told: once a minute is enough. */
export class ToldLimits {
  readonly #clock: Pick<Clock, "monotonic">;
  /** Times by person. */
  readonly #toldAt = new BoundedMap<number, number>(REMEMBERED);

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** Tells whether the person was told within the last minute. If not, they are told now. */
  note(userId: number): boolean {
    const now = this.#clock.monotonic();
    const isTold = now - (this.#toldAt.get(userId) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS;
    if (!isTold) this.#toldAt.set(userId, now);
    return isTold;
  }
}

/** The outcome of a confirmation. `draft`: the draft to continue with, if any. */
export type Payment =
  | { kind: "accepted"; order: Order; chargedKopecks: Kopecks }
  /** The draft has changed or was already ordered, or the next start continues with the order. */
  | { kind: "stale" }
  | { kind: "no_money"; missingKopecks: Kopecks; draft: Draft | undefined; order: Order }
  | { kind: "price_changed"; draft: Draft | undefined; order: Order }
  /** `isTold`: the person was told of it within the last minute. */
  | {
      kind: "too_many";
      reason: TooManyOrdersError["reason"];
      max: number;
      isTold: boolean;
      draft: Draft | undefined;
      order: Order;
    }
  | { kind: "refused"; code: ContractErrorCode; draft: Draft | undefined; order: Order }
  | { kind: "unavailable"; reason: UnavailableReason; draft: Draft | undefined; order: Order }
  | { kind: "uncertain"; order: Order };

/** Submissions without an outcome, which may be repeated for hours. */
export class RunningSubmissions {
  readonly #running = new Map<string, AbortController>();

  /** Notes a submission. The signal aborts when `stop` is called before `end`. */
  begin(orderId: string): { signal: AbortSignal; end: () => void } {
    const controller = new AbortController();
    this.#running.set(orderId, controller);
    const end = () => {
      if (this.#running.get(orderId) === controller) this.#running.delete(orderId);
    };
    return { signal: controller.signal, end };
  }

  /** Ends the repeats of an order that was settled otherwise. */
  stop(orderId: string): void {
    this.#running.get(orderId)?.abort();
  }
}

const WAIT_MS_MAX = 2000;

/** Reads the balance of the account; null when it is not known in time. Never throws. */
function balanceWithin(gateway: Gateway, clock: Clock): Promise<Kopecks | null> {
  return new Promise((resolve) => {
    const cancel = clock.after(WAIT_MS_MAX, () => resolve(null));
    gateway
      .balance()
      .then(({ amount }) => resolve(kopecksOf(amount)))
      .catch(() => resolve(null))
      .finally(cancel);
  });
}

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

/** Tells whether the same write would fail again. */
function isFinal(error: unknown): boolean {
  return error instanceof JobTakenError || isConstraint(error);
}

/** Tells whether the order may be charged: an unknown fault of a submission over a network proves nothing. */
function isDoubtful(error: unknown, accounts: ServiceAccounts): boolean {
  if (error instanceof UncertainOutcome) return true;
  const isKnown =
    error instanceof ContractError || error instanceof PriceChanged || error instanceof Unavailable;
  return !isKnown && areElsewhere(accounts);
}

type Unpaid = Exclude<Payment, { kind: "accepted" | "stale" | "uncertain" }>;

/** Tells why a payment was not made and what to do next, as HTML. */
export function paymentText(payment: Unpaid, audience: Audience, help: MoneyHelp): string {
  const { t, has } = audience.language;
  switch (payment.kind) {
    case "no_money":
      return shortfallText(payment.missingKopecks, audience, help);
    case "price_changed":
      return t("pay-price-changed");
    case "too_many":
      return t(`too-many-${payment.reason}`, { max: payment.max });
    case "unavailable":
      return t(
        has(`pay-unavailable-${payment.reason}`) ? `pay-unavailable-${payment.reason}` : "pay-unavailable",
      );
    case "refused":
      return t(has(`refused-${payment.code}`) ? `refused-${payment.code}` : "refused-other");
  }
}
