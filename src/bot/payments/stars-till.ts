import { type Api, GrammyError } from "grammy";
import { z } from "zod";
import { asKopecks, type Kopecks } from "../../contract/price.js";
import { type Clock, sleep } from "../../platform/clock.js";
import {
  type InvoiceWords,
  type Presented,
  payerOf,
  type RefundAnswer,
  type SumLimits,
  type Till,
  type TillInvoice,
  type TillPayment,
  type TopUp,
} from "../../tills/till.js";
import { telegramFailure } from "../telegram/failure.js";

/** What the operator sells for Stars. */
export interface StarsOffer {
  packs: readonly TopUp[];
  /** Price of a Star in free sums. Undefined: only packs are sold. */
  rateKopecks: Kopecks | undefined;
}

/** The most Stars of an invoice. */
const STARS_MAX = 10_000;
const LEAST_KOPECKS = asKopecks(1_00);

/** Returns what Stars without an invoice are worth now. */
export function starsWorthOf({ packs, rateKopecks }: StarsOffer, price: number): Kopecks | undefined {
  const pack = packs.find((one) => one.price === price);
  if (pack) return pack.kopecks;
  return rateKopecks === undefined || price < 1 ? undefined : asKopecks(price * rateKopecks);
}

export const STARS = "stars";
/** Currency of Stars, as the Bot API names it. */
export const STARS_CURRENCY = "XTR";

/** An invoice with a start parameter can be paid once, and only in the chat that it was sent to. */
const START_PARAMETER = "topup";
const REFUND_MS = 20_000;
const BALANCE_MS = 3000;
const TITLE_MAX = 32;
const DESCRIPTION_MAX = 255;

const starAmount = z.object({ amount: z.number().int() });

/** Sells Stars: invoices in the private chat, refunds by charge id. */
export class StarsTill implements Till {
  readonly name = STARS;
  /** @param api retries failed calls: an invoice that arrives twice is one invoice */
  constructor(
    private readonly api: Pick<Api, "sendInvoice">,
    private readonly plainApi: Pick<Api, "refundStarPayment" | "getMyStarBalance">,
    private readonly offer: StarsOffer,
    private readonly clock: Clock,
  ) {}

  get packs(): readonly TopUp[] {
    return this.offer.packs;
  }

  get isOn(): boolean {
    return this.packs.length > 0 || this.sellsFreeSums;
  }

  get sellsFreeSums(): boolean {
    return this.offer.rateKopecks !== undefined;
  }

  get limits(): SumLimits {
    const { rateKopecks } = this.offer;
    return { minKopecks: LEAST_KOPECKS, maxKopecks: asKopecks(STARS_MAX * (rateKopecks ?? 0)) };
  }

  /** Whole Stars: by the rate, else the smallest pack. */
  topUpOf(kopecks: Kopecks): TopUp | undefined {
    const { rateKopecks } = this.offer;
    if (rateKopecks === undefined) return this.packs.find((pack) => pack.kopecks >= kopecks);
    const price = Math.ceil(kopecks / rateKopecks);
    if (price < 1 || price > STARS_MAX) return undefined;
    return { price, kopecks: asKopecks(price * rateKopecks) };
  }

  worthOf(price: number): Kopecks | undefined {
    return starsWorthOf(this.offer, price);
  }

  async present({ userId, ref, price }: TillInvoice, words: InvoiceWords): Promise<Presented> {
    const title = words.title.slice(0, TITLE_MAX);
    const description = words.description.slice(0, DESCRIPTION_MAX);
    const prices = [{ label: title, amount: price }];
    const options = { start_parameter: START_PARAMETER };
    try {
      await this.api.sendInvoice(userId, title, description, ref, STARS_CURRENCY, prices, options);
      return { kind: "sent" };
    } catch (error) {
      if (telegramFailure(error).kind !== "blocked") throw error;
      return { kind: "unavailable" };
    }
  }

  async refund(payment: TillPayment): Promise<RefundAnswer> {
    const userId = payerOf(payment);
    if (userId === null) return { kind: "refused", reason: "not_possible" };
    try {
      await callWithin(this.clock, REFUND_MS, (signal) =>
        this.plainApi.refundStarPayment(userId, payment.charge_id, signal),
      );
      return { kind: "done" };
    } catch (error) {
      return answerOf(error);
    }
  }

  /** Reads how many Stars the bot has at Telegram. Rejects where that cannot be read now. */
  async balance(): Promise<number> {
    const answer = await callWithin(this.clock, BALANCE_MS, (signal) =>
      this.plainApi.getMyStarBalance(signal),
    );
    return starAmount.parse(answer).amount;
  }
}

function answerOf(error: unknown): RefundAnswer {
  if (!(error instanceof GrammyError)) return { kind: "doubtful", cause: error };
  const { description } = error;
  // The server once answered so although it had just paid back (tdlib/telegram-bot-api#690).
  if (/CHARGE_ALREADY_REFUNDED/.test(description)) return { kind: "done" };
  if (/CHARGE_NOT_FOUND/.test(description)) return { kind: "refused", reason: "too_old" };
  if (telegramFailure(error).kind === "refused") return { kind: "refused", reason: "not_possible" };
  return { kind: "doubtful", cause: error };
}

type CallSignal = NonNullable<Parameters<Api["getMyStarBalance"]>[0]>;

/** Makes a call that is aborted after `ms`, or when `stopping` aborts. */
export async function callWithin<T>(
  clock: Clock,
  ms: number,
  call: (signal: CallSignal) => Promise<T>,
  stopping?: AbortSignal,
): Promise<T> {
  const ended = new AbortController();
  const deadline = new AbortController();
  void sleep(clock, ms, ended.signal, stopping).then(() => deadline.abort());
  try {
    return await call(deadline.signal as unknown as CallSignal);
  } finally {
    ended.abort();
  }
}
