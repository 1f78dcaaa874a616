import type { TelegramMessage, TelegramStarAmount, TelegramStarTransactions } from "@gramio/types";
import { Actions } from "../actions.js";
import { badRequest } from "../errors.js";
import { isRecord, type Params } from "../params.js";
import { Payments } from "../payments.js";
import { type Invoice, invoicePlace } from "../stars.js";
import type { Call, Methods } from "../state.js";
import { readTarget } from "../target.js";

const PAYLOAD_BYTES_MAX = 128;
const TITLE_LENGTH_MAX = 32;
const DESCRIPTION_LENGTH_MAX = 255;
const STARS_MAX = 100_000;
const TRANSACTIONS_MAX = 100;

/** What an invoice of another currency may ask for, and one in Stars may not. */
const NOT_FOR_STARS = [
  "max_tip_amount",
  "suggested_tip_amounts",
  "need_name",
  "need_phone_number",
  "need_email",
  "need_shipping_address",
  "send_phone_number_to_provider",
  "send_email_to_provider",
  "is_flexible",
];

/** Invoices and payments in Stars; other currencies are left out. */
export const paymentMethods: Methods = {
  sendInvoice,
  answerPreCheckoutQuery,
  refundStarPayment,
  getStarTransactions,
  getMyStarBalance: ({ state }): TelegramStarAmount => ({ amount: state.stars.balance }),
};

function sendInvoice(call: Call): TelegramMessage {
  const { params, state } = call;
  const invoice = readInvoice(params);
  const { chat, markup, content } = readTarget(call);
  const first = markup.inline?.inline_keyboard[0]?.[0];
  if (first && !("pay" in first)) throw badRequest("REPLY_MARKUP_BUY_EMPTY");
  const startParameter = params.text("start_parameter") ?? "";
  const { title, description, amount: total_amount } = invoice;
  const shown = {
    title,
    description,
    start_parameter: startParameter,
    currency: "XTR" as const,
    total_amount,
  };
  const message = state.world.post(chat, state.world.bot, { ...content, invoice: shown }, markup.shown);
  const isPaidOnce = chat.isPrivate && startParameter !== "";
  state.stars.addInvoice(invoicePlace(chat.id, message.message_id), { ...invoice, isPaidOnce });
  return message;
}

/** @throws BotApiError in the words of Telegram's own servers */
function readInvoice(params: Params): Invoice {
  const title = params.text("title") ?? "";
  const description = params.text("description") ?? "";
  const payload = params.text("payload") ?? "";
  if (title === "" || [...title].length > TITLE_LENGTH_MAX) throw badRequest("INVOICE_TITLE_INVALID");
  if (description === "" || [...description].length > DESCRIPTION_LENGTH_MAX) {
    throw badRequest("INVOICE_DESCRIPTION_INVALID");
  }
  const bytes = Buffer.byteLength(payload);
  if (bytes === 0 || bytes > PAYLOAD_BYTES_MAX) throw badRequest("INVOICE_PAYLOAD_INVALID");
  if (params.text("currency") !== "XTR") throw badRequest("PAYMENT_PROVIDER_INVALID");
  if ((params.text("provider_token") ?? "") !== "") throw badRequest("STARS_INVOICE_INVALID");
  if (NOT_FOR_STARS.some((name) => isSet(params.values[name]))) throw badRequest("STARS_INVOICE_INVALID");
  return { title, description, payload, amount: readAmount(params), isPaidOnce: false, isPaid: false };
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== 0;
}

/** An invoice in Stars has one price. */
function readAmount(params: Params): number {
  const prices = params.list("prices") ?? [];
  const [price] = prices;
  const amount = isRecord(price) ? price.amount : undefined;
  if (prices.length !== 1) throw badRequest("STARS_INVOICE_INVALID");
  const isWhole = typeof amount === "number" && Number.isSafeInteger(amount);
  if (!isWhole || amount <= 0 || amount > STARS_MAX) throw badRequest("CURRENCY_TOTAL_AMOUNT_INVALID");
  return amount;
}

function answerPreCheckoutQuery({ params, state }: Call): true {
  const id = params.text("pre_checkout_query_id") ?? "";
  const text = params.text("error_message") ?? "";
  const isOk = params.flag("ok");
  if (!isOk && text === "") throw badRequest('parameter "error_message" is required');
  state.stars.answer(id, isOk ? { type: "paid" } : { type: "refused", text });
  return true;
}

function refundStarPayment({ params, state }: Call): true {
  const userId = params.integer("user_id");
  if (userId === undefined || !state.world.people.has(userId)) throw badRequest("user not found");
  const chargeId = params.text("telegram_payment_charge_id") ?? "";
  new Payments(state, new Actions(state)).refund(userId, chargeId);
  return true;
}

function getStarTransactions({ params, state }: Call): TelegramStarTransactions {
  const offset = Math.max(0, params.integer("offset") ?? 0);
  const limit = params.integer("limit") ?? TRANSACTIONS_MAX;
  return { transactions: state.stars.transactions(offset, Math.min(Math.max(limit, 1), TRANSACTIONS_MAX)) };
}
