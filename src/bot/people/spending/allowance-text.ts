import { type Kopecks, NO_KOPECKS } from "../../../contract/money.js";
import type { Language } from "../../texts/texts.js";
import type { Audience } from "../balance-words.js";
import { type Allowance, leftKopecks } from "./spending.js";

/** Tells why an order was not taken, and when the limit renews, as plain text. A group sees no sums. */
export function limitExceededText(
  allowance: Allowance,
  priceKopecks: Kopecks,
  { language, isGroup }: Audience,
): string {
  const { t, money } = language;
  const date = renewalText(allowance, language);
  if (isGroup) return t("limit-exceeded-group", { date });
  const left = money(leftKopecks(allowance) ?? NO_KOPECKS);
  return t("limit-exceeded", { price: money(priceKopecks), left, date });
}

/** Tells a person what is left. Undefined without a limit. */
export function ownAllowanceText(allowance: Allowance, language: Language): string | undefined {
  const left = leftKopecks(allowance);
  if (left === undefined || allowance.limitKopecks === undefined) return undefined;
  const sums = { left: language.money(left), limit: language.money(allowance.limitKopecks) };
  return language.t("limit-own", { ...sums, date: renewalText(allowance, language) });
}

/** Tells admins what was spent this month and, with a limit, what is left of it. */
export function spentText(allowance: Allowance, language: Language): string {
  const { t, money } = language;
  const spent = money(allowance.spentKopecks);
  const left = leftKopecks(allowance);
  if (left === undefined) return t("limit-spent", { spent });
  return t("limit-spent-left", { spent, left: money(left), date: renewalText(allowance, language) });
}

/** Formats the day in UTC, such as `December 1`. */
function renewalText({ renewsAt }: Allowance, { code }: Language): string {
  return new Intl.DateTimeFormat(code, { day: "numeric", month: "long", timeZone: "UTC" })
    .format(renewsAt)
    .replace(" ", "\u00a0");
}
