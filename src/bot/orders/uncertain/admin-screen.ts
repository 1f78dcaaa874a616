import { InlineKeyboard } from "grammy";
import type { ServiceAccounts } from "../../../ports/accounts.js";
import { moneyQuestion } from "../../dialogs/money-question.js";
import { cutText, escapeHtml } from "../../texts/html.js";
import type { Language } from "../../texts/texts.js";
import type { Order } from "../store/order.js";
import type { UncertainOrder } from "../store/uncertain-order.js";
import { uncertainData } from "./uncertain-data.js";

const WORDS_SHOWN = 200;

export interface AdminScreen {
  text: string;
  keyboard: InlineKeyboard;
}

/** Shows an admin an order as HTML, with the buttons that settle it. For private chats only. */
export function adminScreen(
  record: UncertainOrder,
  language: Language,
  accounts: Pick<ServiceAccounts, "kind">,
): AdminScreen {
  const { t } = language;
  const { number, order } = record;
  const keyboard = new InlineKeyboard();
  if (order.state === "uncertain")
    keyboard
      .text(t("button-order-charged"), uncertainData.encode({ action: "charged", number }))
      .row()
      .text(t("button-order-not-charged"), uncertainData.encode({ action: "not_charged", number }))
      .row();
  keyboard.text(t("button-order-list"), uncertainData.encode({ action: "list", number: 0 }));
  const lines = [
    ...factLines(record, language),
    "",
    ...stateLines(record, language, accounts.kind === "shared"),
  ];
  return { text: lines.join("\n"), keyboard };
}

/** Tells whether the account lost money around the submission, by the order or by others. */
function looksCharged({ balance: { before, after } }: UncertainOrder): boolean {
  return before !== null && after !== null && after < before;
}

/** Asks whether the order was really not charged, before its person is told so. HTML. */
export function doubtScreen(record: UncertainOrder, language: Language): AdminScreen {
  const { t } = language;
  const { number } = record;
  const lines = [...factLines(record, language), ""];
  if (looksCharged(record)) lines.push(t("order-looks-charged"));
  lines.push(t("order-surely", { sum: language.money(record.order.quotedKopecks) }));
  const yes = {
    label: t("button-order-surely"),
    data: uncertainData.encode({ action: "surely_not_charged", number }),
  };
  const back = { data: uncertainData.encode({ action: "show", number }) };
  return moneyQuestion(lines.join("\n"), { yes, back }, t);
}

/** Formats a time: `2026-11-23 14:05 UTC`. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function factLines({ number, order, balance }: UncertainOrder, { t, money }: Language): string[] {
  const lines = [
    `<b>${t("order-title", { number: String(number) })}</b>`,
    `${escapeHtml(order.modelTitle)} · ${money(order.quotedKopecks)}`,
    `${escapeHtml(order.userName)} · id <code>${order.userId}</code>`,
    // Of the payment, since the doubt may be noted by a later start.
    `${timeText(order.createdAt)} · <code>${order.id}</code>`,
  ];
  // The account may have many jobs of the same minute.
  const words = wordsOf(order);
  if (words !== undefined) lines.push(`<blockquote>${escapeHtml(cutText(words, WORDS_SHOWN))}</blockquote>`);
  const { before, after } = balance;
  if (before !== null && after !== null)
    lines.push(t("order-balance", { before: money(before), after: money(after) }));
  return lines;
}

function wordsOf({ request }: Order): string | undefined {
  const texts = [request.prompt, request.description, request.lyrics];
  return texts.find((text): text is string => typeof text === "string");
}

function stateLines(
  { number, order, repeatedUntil }: UncertainOrder,
  { t }: Language,
  isShared: boolean,
): string[] {
  if (order.state === "refused")
    return [t("order-was-not-charged"), t("order-take-back", { number: String(number) })];
  if (order.state !== "uncertain")
    return [t("order-was-charged", { ids: order.jobIds.map((id) => escapeHtml(String(id))).join(", ") })];
  const open = t(isShared ? "order-open" : "order-open-own", { count: jobsExpected(order) });
  return repeatedUntil === null
    ? [open]
    : [t("order-repeated", { until: timeText(repeatedUntil) }), "", open];
}

/** Counts the jobs of an order: the service makes one for each image. */
export function jobsExpected({ request }: Order): number {
  return request.type === "image" && typeof request.count === "number" ? request.count : 1;
}
