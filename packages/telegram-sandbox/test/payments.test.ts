import { afterEach, beforeEach, expect, test } from "vitest";
import { createManualClock, type ManualClock } from "../../../test/support/manual-clock.js";
import { CHECKOUT_TIMEOUT_MS, createSandbox, type Sandbox } from "../src/index.js";
import { call } from "./client.js";

const ANNA = 1001;
const BORIS = 1002;
const INVOICE = {
  chat_id: ANNA,
  title: "Top-up",
  description: "270 rubles",
  payload: "t1:abc",
  currency: "XTR",
  prices: [{ label: "270 rubles", amount: 250 }],
  start_parameter: "topup",
};

let sandbox: Sandbox;
let clock: ManualClock;

beforeEach(async () => {
  clock = createManualClock();
  sandbox = await createSandbox({ clock });
  sandbox.person(ANNA).sendText("/start");
  sandbox.person(ANNA).fillPurse(1000);
});

afterEach(() => sandbox.close());

interface Sent {
  message_id: number;
  invoice: { total_amount: number };
}

async function sendInvoice(change: object = {}): Promise<number> {
  const { result } = await call<Sent>(sandbox, "sendInvoice", { ...INVOICE, ...change });
  return result.message_id;
}

/** The updates of a kind that wait, with their payloads. */
async function updates<T>(kind: string): Promise<T[]> {
  const { result } = await call<Record<string, T>[]>(sandbox, "getUpdates");
  return result.flatMap((update) => (kind in update ? [update[kind] as T] : []));
}

async function answerCheckout(answer: object): Promise<void> {
  const [query] = await updates<{ id: string }>("pre_checkout_query");
  await call(sandbox, "answerPreCheckoutQuery", { pre_checkout_query_id: query?.id, ...answer });
}

interface Paid {
  successful_payment?: { telegram_payment_charge_id: string; total_amount: number; invoice_payload: string };
}

async function paid(): Promise<NonNullable<Paid["successful_payment"]>[]> {
  const messages = await updates<Paid>("message");
  return messages.flatMap(({ successful_payment: payment }) => (payment ? [payment] : []));
}

test("an invoice is paid once the bot agrees, and the purse is charged once", async () => {
  const outcome = sandbox.person(ANNA).pay(await sendInvoice());
  await answerCheckout({ ok: true });
  expect(await outcome).toEqual({ type: "paid" });
  expect(sandbox.person(ANNA).stars).toBe(750);
  expect(await paid()).toMatchObject([{ total_amount: 250, invoice_payload: "t1:abc" }]);
  expect((await call(sandbox, "getMyStarBalance")).result).toEqual({ amount: 250 });
});

test("an invoice with a start parameter closes after one payment in the private chat", async () => {
  const id = await sendInvoice();
  const first = sandbox.person(ANNA).pay(id);
  await answerCheckout({ ok: true });
  await first;
  expect(() => sandbox.person(ANNA).pay(id)).toThrow("INVOICE_ALREADY_PAID");
});

test("the person reads why the bot refuses, and nothing is charged", async () => {
  const outcome = sandbox.person(ANNA).pay(await sendInvoice());
  await answerCheckout({ ok: false, error_message: "This invoice is too old." });
  expect(await outcome).toEqual({ type: "refused", text: "This invoice is too old." });
  expect(sandbox.person(ANNA).stars).toBe(1000);
});

test("a refusal needs words", async () => {
  const outcome = sandbox.person(ANNA).pay(await sendInvoice());
  const [query] = await updates<{ id: string }>("pre_checkout_query");
  const refused = await call(sandbox, "answerPreCheckoutQuery", {
    pre_checkout_query_id: query?.id,
    ok: false,
  });
  expect(refused.description).toBe('Bad Request: parameter "error_message" is required');
  await answerCheckout({ ok: true });
  expect(await outcome).toEqual({ type: "paid" });
});

test("a checkout that the bot does not answer within ten seconds fails, and the late answer is refused", async () => {
  const outcome = sandbox.person(ANNA).pay(await sendInvoice());
  const [query] = await updates<{ id: string }>("pre_checkout_query");
  await clock.advance(CHECKOUT_TIMEOUT_MS);
  expect(await outcome).toEqual({ type: "timeout" });
  const late = await call(sandbox, "answerPreCheckoutQuery", { pre_checkout_query_id: query?.id, ok: true });
  expect(late.description).toContain("query is too old");
});

test("who has too few Stars pays nothing", async () => {
  const id = await sendInvoice({ prices: [{ label: "much", amount: 1001 }] });
  expect(() => sandbox.person(ANNA).pay(id)).toThrow("BALANCE_TOO_LOW");
});

test("a lost payment is found among the transactions, oldest first, with its payload", async () => {
  sandbox.losePayments(1);
  for (let times = 0; times < 2; times++) {
    const outcome = sandbox.person(ANNA).pay(await sendInvoice({ payload: `t1:${times}` }));
    const queries = await updates<{ id: string }>("pre_checkout_query");
    await call(sandbox, "answerPreCheckoutQuery", { pre_checkout_query_id: queries.at(-1)?.id, ok: true });
    await outcome;
  }
  expect((await paid()).map((payment) => payment.invoice_payload)).toEqual(["t1:1"]);
  const { result } = await call<{ transactions: { source: { invoice_payload: string } }[] }>(
    sandbox,
    "getStarTransactions",
    { offset: 0, limit: 1 },
  );
  expect(result.transactions.map(({ source }) => source.invoice_payload)).toEqual(["t1:0"]);
});

test("a refund gives the Stars back once, under the charge's id", async () => {
  const outcome = sandbox.person(ANNA).pay(await sendInvoice());
  await answerCheckout({ ok: true });
  await outcome;
  const [payment] = await paid();
  const refund = { user_id: ANNA, telegram_payment_charge_id: payment?.telegram_payment_charge_id };
  const strange = await call(sandbox, "refundStarPayment", { ...refund, user_id: BORIS });
  expect(strange.description).toBe("Bad Request: CHARGE_NOT_FOUND");
  expect((await call(sandbox, "refundStarPayment", refund)).result).toBe(true);
  expect(sandbox.person(ANNA).stars).toBe(1000);
  const again = await call(sandbox, "refundStarPayment", refund);
  expect(again.description).toBe("Bad Request: CHARGE_ALREADY_REFUNDED");
  const { result } = await call<{ transactions: { id: string; receiver?: object }[] }>(
    sandbox,
    "getStarTransactions",
  );
  expect(result.transactions.map(({ id, receiver }) => [id, receiver !== undefined])).toEqual([
    [payment?.telegram_payment_charge_id, false],
    [payment?.telegram_payment_charge_id, true],
  ]);
});

test("a refund by Telegram comes to the bot as a message", async () => {
  const outcome = sandbox.person(ANNA).pay(await sendInvoice());
  await answerCheckout({ ok: true });
  await outcome;
  const [payment] = await paid();
  sandbox.person(ANNA).getRefundByTelegram(payment?.telegram_payment_charge_id ?? "");
  const messages = await updates<{ refunded_payment?: object }>("message");
  expect(messages.at(-1)?.refunded_payment).toMatchObject({ total_amount: 250, invoice_payload: "t1:abc" });
});

test.each([
  [{ currency: "RUB" }, "PAYMENT_PROVIDER_INVALID"],
  [{ provider_token: "x" }, "STARS_INVOICE_INVALID"],
  [{ need_email: true }, "STARS_INVOICE_INVALID"],
  [{ prices: [] }, "STARS_INVOICE_INVALID"],
  [{ prices: [INVOICE.prices[0], INVOICE.prices[0]] }, "STARS_INVOICE_INVALID"],
  [{ prices: [{ label: "none", amount: 0 }] }, "CURRENCY_TOTAL_AMOUNT_INVALID"],
  [{ payload: "x".repeat(129) }, "INVOICE_PAYLOAD_INVALID"],
  [{ title: "x".repeat(33) }, "INVOICE_TITLE_INVALID"],
  [{ description: "" }, "INVOICE_DESCRIPTION_INVALID"],
])("an invoice with %j is refused", async (change, reason) => {
  const answer = await call(sandbox, "sendInvoice", { ...INVOICE, ...change });
  expect(answer.description).toBe(`Bad Request: ${reason}`);
});

test("an invoice is not copied", async () => {
  const invoice = await sendInvoice();
  const copy = { chat_id: ANNA, from_chat_id: ANNA };
  const refused = await call(sandbox, "copyMessage", { ...copy, message_id: invoice });
  expect(refused.description).toBe("Bad Request: message can't be copied");
});

test("people who were chosen for a button come to the bot with the names it asked for", async () => {
  const button = { text: "Choose", request_users: { request_id: 7, request_name: true } };
  await call(sandbox, "sendMessage", { chat_id: ANNA, text: "Who?", reply_markup: { keyboard: [[button]] } });
  sandbox.person(ANNA).shareUsers(7, [BORIS]);
  const messages = await updates<{ users_shared?: object }>("message");
  expect(messages.at(-1)?.users_shared).toEqual({
    request_id: 7,
    users: [{ user_id: BORIS, first_name: "Борис" }],
  });
  expect(() => sandbox.person(ANNA).shareUsers(8, [BORIS])).toThrow("BUTTON_INVALID");
});
