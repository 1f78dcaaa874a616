import type { Kopecks } from "../platform/money.js";
import { escapeHtml } from "./html.js";
import type { Language } from "./texts.js";

/**
 * Who reads the words. What somebody has is nobody else's business: a group reads no sum that tells it, and so
 * not what is missing either, since the price stands beside it.
 */
export interface Reader {
  language: Language;
  /** An alert is seen by who tapped alone, in a group too. */
  isGroup: boolean;
}

/** That the balance is too low, by how much or where to see it, and whom to ask, as HTML. */
export function shortfallText(missing: Kopecks, reader: Reader, supportContact: string | undefined): string {
  const { t, money } = reader.language;
  const lack = reader.isGroup ? t("money-missing-group") : t("money-missing", { missing: money(missing) });
  const ask = supportContact
    ? t("money-ask", { contact: escapeHtml(supportContact) })
    : t("money-ask-nobody");
  return `${lack} ${ask}`;
}

/** A correction as its admin reads it. */
export interface Correction {
  kind: "credit" | "debit";
  /** Whose balance it is. */
  name: string;
  kopecks: Kopecks;
  /** What is on the balance behind it. */
  balanceKopecks: Kopecks;
}

/** What an admin has changed, as HTML. */
export function correctedText({ kind, ...correction }: Correction, { language, isGroup }: Reader): string {
  const { t, money } = language;
  const sums = { name: escapeHtml(correction.name), sum: money(correction.kopecks) };
  const done = t(`corrected-${kind}`, sums);
  if (isGroup) return done;
  return `${done} ${t("corrected-balance", { balance: money(correction.balanceKopecks) })}`;
}

/** Why a debit changed nothing, as HTML. */
export function tooLargeText(
  { name, balanceKopecks }: Pick<Correction, "name" | "balanceKopecks">,
  { language, isGroup }: Reader,
): string {
  const { t, money } = language;
  const whose = { name: escapeHtml(name) };
  if (isGroup) return t("correction-too-large-group", whose);
  return t("correction-too-large", { ...whose, balance: money(balanceKopecks) });
}
