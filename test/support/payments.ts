import type { Api } from "grammy";
import type { Message, StarTransaction } from "grammy/types";
import { asKopecks, rublesOf } from "../../src/contract/price.js";
import type { OperatorNotice } from "../../src/ports/operator-notices.js";
import type { TillInvoice } from "../../src/tills/till.js";
import { ANN, openBotHarness } from "./bot-harness.js";
import { type BotWorld, openBotWorld } from "./bot-world.js";
import { testCoreOn } from "./core.js";
import { OFFER } from "./stars-offer.js";
import { noticesTo } from "./told-notices.js";

/** The bot that shows the real balances of the people in it, who begin with nothing. */
export async function openPaymentsHarness(
  change: Partial<Parameters<typeof openBotHarness>[0]> & { world?: BotWorld } = {},
) {
  const world = change.world ?? openBotWorld();
  const core = testCoreOn(world);
  const { users, payments, audit } = core.accounts;
  const told: OperatorNotice[] = [];
  const balance = async () => (await users.balanceOf(ANN.id)) ?? asKopecks(0);
  const harness = openBotHarness({
    stars: OFFER,
    notices: noticesTo(told),
    ...change,
    world,
    core,
    gateway: {
      balance: async () => ({ currency: "RUB", amount: rublesOf(await balance()) }),
      ...change.gateway,
    },
  });
  await users.idOf({ id: ANN.id, name: "Ann" });
  return {
    ...harness,
    users,
    payments,
    audit,
    told,
    balance,
    /** The invoice that was sent last. */
    invoice(): TillInvoice {
      const payload = String(harness.telegram.payloadsOf("sendInvoice").at(-1)?.payload);
      const invoice = payments.invoice("stars", payload);
      if (!invoice) throw new Error("no invoice was sent");
      return invoice;
    },
    openInvoice: () =>
      payments.openInvoice({ till: "stars", userId: ANN.id, price: 50, kopecks: asKopecks(50_00) }),
  };
}

/** What Telegram sends when an invoice was paid. */
export function paidMessage(
  { ref, price }: Pick<TillInvoice, "ref" | "price">,
  chargeId: string,
): Partial<Message> {
  return { successful_payment: paymentOfInvoice(ref, price, chargeId) };
}

/** What Telegram sends when it has paid a charge back. */
export function refundedMessage(
  { ref, price }: Pick<TillInvoice, "ref" | "price">,
  chargeId: string,
): Partial<Message> {
  return { refunded_payment: paymentOfInvoice(ref, price, chargeId) };
}

function paymentOfInvoice(invoice_payload: string, total_amount: number, telegram_payment_charge_id: string) {
  const currency = "XTR" as const;
  const provider_payment_charge_id = "";
  return { currency, total_amount, invoice_payload, telegram_payment_charge_id, provider_payment_charge_id };
}

/** Telegram's list of transactions in Stars, which grows at its end and outlives the bot. */
export class StarList {
  readonly offsets: number[] = [];
  readonly #list: StarTransaction[] = [];

  /** Lets the calls of a bot read the list. */
  answer(api: Api): void {
    api.config.use(async (call, method, payload, signal) => {
      if (method !== "getStarTransactions") return call(method, payload, signal);
      const { offset = 0, limit = 100 } = payload as { offset?: number; limit?: number };
      this.offsets.push(offset);
      return { ok: true, result: { transactions: this.#list.slice(offset, offset + limit) } } as never;
    });
  }

  pay(ref: string, id: string, amount = 50): void {
    this.#list.push({ id, amount, date: 1, source: sideOf(ref) } as never);
  }

  refund(ref: string, id: string): void {
    this.#list.push({ id, amount: 50, date: 2, receiver: sideOf(ref) } as never);
  }

  /** Adds what Telegram should never list. */
  odd(transaction: unknown): void {
    this.#list.push(transaction as StarTransaction);
  }

  other(id: string): void {
    this.#list.push({ id, amount: 9, date: 1, receiver: { type: "fragment" } } as never);
  }
}

function sideOf(ref: string) {
  const user = { id: ANN.id, is_bot: false, first_name: "Ann" };
  return { type: "user", transaction_type: "invoice_payment", user, invoice_payload: ref };
}
