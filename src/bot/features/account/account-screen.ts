import { InlineKeyboard } from "grammy";
import type { AccountEntry, AccountNote, AccountRecord } from "../../../ports/account-records.js";
import type { Consent } from "../../../ports/consents.js";
import type { ApiKey } from "../../../ports/keys.js";
import { paymentName, type TillPayment } from "../../../ports/till.js";
import type { Order } from "../../orders/store/order.js";
import { personText } from "../../people/balance-words.js";
import type { Person } from "../../people/people.js";
import { cutText, escapeHtml } from "../../texts/html.js";
import { localTimeHtml } from "../../texts/moment.js";
import type { Language } from "../../texts/texts.js";
import { tillName } from "../../texts/till-name.js";
import { termLines } from "../bans/make-ban.js";
import { type AccountAction, accountData } from "./account-data.js";

/** Bounds texts of others, so that the screen is one message. */
const REASON_SHOWN = 60;
const NOTE_SHOWN = 200;

export interface AccountFacts {
  person: Person;
  record: AccountRecord;
  /** Milliseconds since the epoch. */
  seen: { firstAt: number; lastAt: number } | undefined;
  /** The newest first. */
  orders: readonly Order[];
  /** The newest first. */
  payments: readonly TillPayment[];
  orderOf: (id: string) => Order | undefined;
  /** Names who did something, as HTML. */
  nameOf: (actor: string) => string;
  /** The newest first. */
  consents: readonly Consent[];
}

/** Shows an admin all about a person, as HTML. For private chats only. */
export function accountText(facts: AccountFacts, language: Language): string {
  const { person, record, orders } = facts;
  const { t, money } = language;
  const parts = [
    [
      personText(person),
      t("account-balance", { balance: money(record.balanceKopecks) }),
      t("account-since", { since: localTimeHtml(facts.seen?.firstAt ?? record.createdAt, language) }),
      ...(facts.seen ? [t("account-seen", { seen: localTimeHtml(facts.seen.lastAt, language) })] : []),
      ...(record.ban ? [t("account-banned"), ...termLines(record.ban, language)] : []),
    ],
    titled(
      t("account-entries"),
      record.entries.map((entry) => entryLine(entry, facts, language)),
    ),
    titled(
      t("account-orders"),
      orders.map((order) => orderLine(order, language)),
    ),
    titled(
      t("account-payments"),
      facts.payments.map((payment) => paymentLine(payment, language)),
    ),
    titled(
      t("account-keys"),
      record.keys.map((key) => keyLine(key, language)),
    ),
    titled(
      t("account-notes"),
      record.notes.map((note) => accountNoteLine(note, facts, language)),
    ),
    titled(
      t("account-consents"),
      facts.consents.map((consent) => consentLine(consent, language)),
    ),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

export function accountKeyboard({ person, record }: AccountFacts, { t }: Language): InlineKeyboard {
  const userId = person.id;
  const data = (action: AccountAction) => accountData.encode({ action, userId });
  const keyboard = new InlineKeyboard()
    .text(t("button-credit"), data("credit"))
    .text(t("button-debit"), data("debit"))
    .row()
    .text(t("button-message"), data("message"))
    .text(t("button-note"), data("note"))
    .row();
  return record.ban
    ? keyboard.text(t("button-unban"), data("unban"))
    : keyboard.text(t("button-ban"), data("ban")).danger();
}

function titled(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`<b>${title}</b>`, ...lines];
}

function entryLine(entry: AccountEntry, { orderOf, nameOf }: AccountFacts, language: Language): string {
  const { t, has, money } = language;
  const { kind, kopecks, orderId, cause, note, actor, at } = entry;
  const order = orderId === null ? undefined : orderOf(orderId);
  const ofCause = `entry-${kind}-${cause}`;
  const what = cause !== null && has(ofCause) ? t(ofCause) : t(`account-entry-${kind}`);
  const isCorrection = cause === null && (kind === "credit" || kind === "debit");
  const words = [
    localTimeHtml(at, language),
    `${kopecks > 0 ? "+" : "−"}${money(Math.abs(kopecks))}`,
    what,
    ...(order ? [orderName(order)] : []),
    ...(isCorrection ? [nameOf(actor)] : []),
    ...(note === null || order ? [] : [escapeHtml(cutText(note, REASON_SHOWN))]),
  ];
  return words.join(" · ");
}

function orderLine(order: Order, language: Language): string {
  const { t, money } = language;
  const words = [localTimeHtml(order.createdAt, language), orderName(order), money(order.quotedKopecks)];
  return [...words, t(`order-state-${order.state}`)].join(" · ");
}

function orderName({ number, modelTitle }: Order): string {
  return `/order ${number} · ${escapeHtml(modelTitle)}`;
}

function paymentLine({ id, till, kopecks, state, paidAt }: TillPayment, language: Language): string {
  const { t, money } = language;
  const sum = kopecks === null ? [] : [money(kopecks)];
  return [
    localTimeHtml(paidAt, language),
    paymentName(id),
    tillName(till, language),
    ...sum,
    t(`account-payment-${state}`),
  ].join(" · ");
}

function keyLine({ prefix, lastUsedAt }: ApiKey, language: Language): string {
  const { t } = language;
  const used = lastUsedAt === null ? t("key-never-used") : localTimeHtml(lastUsedAt, language);
  return `<code>${escapeHtml(prefix)}…</code> · ${used}`;
}

function consentLine({ document, version, at }: Consent, language: Language): string {
  return `${localTimeHtml(at, language)} · /${document} · <code>${escapeHtml(version)}</code>`;
}

function accountNoteLine(
  { at, actor, text }: AccountNote,
  { nameOf }: AccountFacts,
  language: Language,
): string {
  return `${localTimeHtml(at, language)} · ${nameOf(actor)}: ${escapeHtml(cutText(text, NOTE_SHOWN))}`;
}
