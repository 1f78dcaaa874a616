import { Unavailable } from "../../contract/errors.js";
import { type Kopecks, leftOf, NO_KOPECKS, sumOf } from "../../contract/price.js";
import { type Gateway, NOT_CONNECTED } from "../../ports/gateway.js";
import type { BotContext } from "../context.js";
import { isPrivate } from "../telegram/place.js";
import { escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import type { Person } from "./people.js";

/** Thrown when the person has connected no account. The error handler asks them to. */
export class NotConnectedError extends Error {
  override readonly name = "NotConnectedError";
  constructor() {
    super("no account is connected");
  }
}

/** Returns the gateway. Throws NotConnectedError. */
export function connectedGateway({ gateway }: Pick<BotContext, "gateway">): Gateway {
  if (gateway === NOT_CONNECTED) throw new NotConnectedError();
  return gateway;
}

/** True when the person has to connect a key first, or another one. */
export function needsAccount(error: unknown): boolean {
  if (error instanceof NotConnectedError) return true;
  return error instanceof Unavailable && error.reason === "account";
}

/** Tells what to do about `error`, as plain text. */
export function accountNeededText(error: unknown, ctx: BotContext): string {
  const { t } = ctx.language;
  const place = isPrivate(ctx) ? "" : "-group";
  return t(error instanceof NotConnectedError ? `connect-first${place}` : `connect-refused${place}`);
}

export interface Audience {
  language: Language;
  /** Hides the balance and the missing sum. False for an alert, which only one person sees. */
  isGroup: boolean;
}

/** What helps a person whose balance is too low. */
export interface MoneyHelp {
  supportContact: string | undefined;
  /** True where a top-up can be bought here, with a button of the card. */
  topUps?: { isOn: boolean } | undefined;
}

/** Returns what has to be added before a price can be paid: a debt is paid first. */
export function lackOf(price: Kopecks, balance: Kopecks, owed: Kopecks): Kopecks {
  return price > balance ? sumOf([leftOf(price, balance), owed]) : NO_KOPECKS;
}

/** Says that the balance is too low, by how much, and what to do, as HTML. */
export function shortfallText(
  missing: Kopecks,
  audience: Audience,
  { supportContact, topUps }: MoneyHelp,
): string {
  const { t, money } = audience.language;
  const lack = audience.isGroup ? t("money-missing-group") : t("money-missing", { missing: money(missing) });
  if (topUps?.isOn) return `${lack} ${t("money-top-up")}`;
  const contact = supportContact && escapeHtml(supportContact);
  return `${lack} ${contact ? t("money-ask", { contact }) : t("money-ask-nobody")}`;
}

/** Says what an account owes, or nothing where it owes nothing. */
export function debtLines(debt: Kopecks, { t, money }: Language): readonly string[] {
  return debt > 0 ? [t("balance-debt", { debt: money(debt) })] : [];
}

/** Names a person as HTML, with id and @name, since a display name can be copied. */
export function personText({ id, name, username }: Person): string {
  const marks = [...(username === null ? [] : [`@${username}`]), `id <code>${id}</code>`];
  return `<b>${escapeHtml(name)}</b> (${marks.join(", ")})`;
}
