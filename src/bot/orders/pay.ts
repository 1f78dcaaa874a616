import {
  ContractError,
  type ContractErrorCode,
  PriceChanged,
  TooManyOrdersError,
  Unavailable,
  type UnavailableReason,
} from "../../contract/errors.js";
import { type Kopecks, kopecksOf } from "../../contract/price.js";
import { BoundedMap } from "../../platform/bounded-map.js";
import type { Clock } from "../../platform/clock.js";
import { reasonOf } from "../../platform/errors.js";
import type { Logger } from "../../platform/logger.js";
import { MINUTE_MS } from "../../platform/units.js";
import type { Gateway } from "../../ports/gateway.js";
import type { Draft, Drafts } from "../card/draft-store.js";
import { type Audience, lackOf, type MoneyHelp, shortfallText } from "../people/balance-words.js";
import { firstText } from "../texts/texts.js";
import type { Claim, Order, TakeClaim } from "./order.js";
import type { OrderStore } from "./order-store.js";

const REMEMBERED = 10_000;

/** Remembers whom a limit was told: once a minute is enough. */
export class ToldLimits {
  readonly #toldAt = new BoundedMap<number, number>(REMEMBERED);

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  /** Tells whether the person was told within the last minute. If not, they are told now. */
  note(userId: number): boolean {
    const now = this.clock.monotonic();
    const isTold = now - (this.#toldAt.get(userId) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS;
    if (!isTold) this.#toldAt.set(userId, now);
    return isTold;
  }
}

type Refusal =
  | { kind: "no_money"; missingKopecks: Kopecks }
  | { kind: "price_changed" }
  /** `isTold`: the person was told of it within the last minute. */
  | { kind: "too_many"; reason: TooManyOrdersError["reason"]; max: number; isTold: boolean }
  | { kind: "refused"; code: ContractErrorCode }
  | { kind: "unavailable"; reason: UnavailableReason };

/** A confirmation that was not charged. `draft`: the draft to continue with, if any. */
export type Unpaid = Refusal & { draft: Draft | undefined };

export type Payment =
  | { kind: "accepted"; order: Order }
  /** The draft has changed or was already ordered, or the next start continues with the order. */
  | { kind: "stale" }
  | Unpaid
  | { kind: "uncertain"; order: Order };

/** Thrown in the transaction of an order whose draft has changed or was already ordered: nothing is charged then. */
class StaleError extends Error {
  override readonly name = "StaleError";
}

/** What of the bot an order needs to be placed. */
interface PlacingBot {
  orders: OrderStore;
  drafts: Drafts;
  toldLimits: ToldLimits;
  logger: Logger;
}

/** Places an order whose account is here: draft, order, jobs and charge are one commit, or nothing is written. */
export async function placeOrder(
  claim: Claim | TakeClaim,
  gateway: Gateway,
  bot: PlacingBot,
): Promise<Payment> {
  const { orders, logger } = bot;
  const { orderId: id, request, quotedKopecks } = claim;
  const placed: Order[] = [];
  try {
    await gateway.submit(request, {
      id,
      quotedKopecks,
      writeOrderIn(tx, jobIds) {
        const order = orders.insertIn(tx, claim, jobIds);
        if (!order) throw new StaleError();
        placed.push(order);
      },
    });
  } catch (error) {
    // Another tap may have taken the money or the place of this one, and is answered for both.
    if (error instanceof StaleError || !isOpen(claim, bot)) return { kind: "stale" };
    logger.info({ order_id: id, reason: reasonOf(error) }, "order refused");
    const ordered = { id, userId: claim.draft.userId, quotedKopecks };
    const refusal = await refusalOf(error, ordered, gateway, bot);
    return { ...refusal, draft: await openDraft(claim, bot) };
  }
  const [order] = placed;
  if (!order) throw new Error(`order ${id} was charged and not written`);
  return { kind: "accepted", order };
}

/** Tells whether the draft, or the take, can still be ordered. */
function isOpen(claim: Claim | TakeClaim, { orders, drafts }: PlacingBot): boolean {
  if ("of" in claim) return (orders.takesOf(claim.of.id)?.taken ?? 0) === claim.number;
  return drafts.find(claim.draft.id)?.revision === claim.draft.revision;
}

/** Finds the draft of a refused order, or opens that of a take where the person composes nothing else. */
async function openDraft(
  claim: Claim | TakeClaim,
  { drafts, logger }: PlacingBot,
): Promise<Draft | undefined> {
  if (!("of" in claim)) return drafts.find(claim.draft.id);
  const { userId, chatId } = claim.draft;
  if (drafts.composing(userId, chatId)) return undefined;
  try {
    return (await drafts.open(claim.draft)).draft;
  } catch (error) {
    logger.warn({ user_id: userId, err: error }, "no card for a take that was refused");
    return undefined;
  }
}

/** Tells why an order was not charged. Any other fault is logged, and told as one of the storage. */
export async function refusalOf(
  error: unknown,
  { id, userId, quotedKopecks }: Pick<Order, "id" | "userId" | "quotedKopecks">,
  gateway: Gateway,
  { toldLimits, logger }: Pick<PlacingBot, "toldLimits" | "logger">,
): Promise<Refusal> {
  if (error instanceof TooManyOrdersError) {
    const { reason, max } = error;
    return { kind: "too_many", reason, max, isTold: toldLimits.note(userId) };
  }
  if (error instanceof PriceChanged) return { kind: "price_changed" };
  if (error instanceof Unavailable) return { kind: "unavailable", reason: error.reason };
  if (error instanceof ContractError && error.code === "insufficient_funds") {
    const read = await gateway.balance().catch(() => undefined);
    const left = error.detail.balance ?? read?.amount;
    if (left === undefined) return { kind: "refused", code: error.code };
    const missingKopecks = lackOf(quotedKopecks, kopecksOf(left), kopecksOf(read?.owed ?? 0));
    return { kind: "no_money", missingKopecks };
  }
  if (error instanceof ContractError) return { kind: "refused", code: error.code };
  logger.error({ order_id: id, err: error }, "order could not be submitted");
  return { kind: "unavailable", reason: "storage" };
}

/** Tells why a payment was not made and what to do next, as HTML. */
export function paymentText(payment: Unpaid, audience: Audience, help: MoneyHelp): string {
  const { language } = audience;
  const { t } = language;
  switch (payment.kind) {
    case "no_money":
      return shortfallText(payment.missingKopecks, audience, help);
    case "price_changed":
      return t("pay-price-changed");
    case "too_many":
      return t(`too-many-${payment.reason}`, { max: payment.max });
    case "unavailable":
      return firstText(language, [`pay-unavailable-${payment.reason}`, "pay-unavailable"]);
    case "refused":
      return firstText(language, [`refused-${payment.code}`, "refused-other"]);
  }
}
