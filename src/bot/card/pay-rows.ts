import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import { NO_KOPECKS } from "../../contract/money.js";
import type { Draft } from "./draft/draft.js";
import type { FormState } from "./form/evaluate-form.js";
import { choicesOf } from "./form/fields.js";
import { valuePrices } from "./form/value-prices.js";
import { button, type CardSurroundings, inPairs } from "./layout.js";
import { valueName } from "./parameter-names.js";
import { shownPrice } from "./shown-price.js";
import { shortfallOf } from "./sums.js";

const CHEAPER_SHOWN = 2;

/** Draws the paying button with the price, or, where it could not work, what helps: less for less, or more money. */
export function payRows(draft: Draft, form: FormState, around: CardSurroundings): InlineKeyboardButton[][] {
  const { payable } = form;
  const { language } = around;
  if (payable === undefined) return [];
  if (shortfallOf(form, around) === 0) {
    const price = shownPrice(payable, form, language);
    const label = `✅ ${language.t("button-generate", { price })}`;
    return [[button(draft, label, { kind: "pay", kopecks: payable })]];
  }
  const again = button(draft, language.t("button-refresh"), { kind: "card" });
  const { topUps } = around;
  const bought = topUps?.isOn ? topUps.missingButtons(shortfallOf(form, around), around) : undefined;
  return inPairs([
    ...(bought ?? []),
    ...cheaperButtons(draft, form, around),
    ...(bought ? [] : contactButton(around)),
    again,
  ]);
}

/** Offers the values that the balance pays, the dearest first. */
function cheaperButtons(
  draft: Draft,
  form: FormState,
  { balanceKopecks = NO_KOPECKS, language, isGroup }: CardSurroundings,
): InlineKeyboardButton[] {
  // In a group it would tell others about how much is left.
  if (isGroup) return [];
  const offers = form.active.flatMap((field) => {
    const prices = valuePrices(form, field);
    const paid = choicesOf(field).flatMap((value, index) => {
      const price = prices?.get(value);
      return price !== undefined && price <= balanceKopecks ? [{ value, index, price }] : [];
    });
    const best = paid.toSorted((one, other) => other.price - one.price)[0];
    return best ? [{ field, ...best }] : [];
  });
  const shown = offers.toSorted((one, other) => other.price - one.price).slice(0, CHEAPER_SHOWN);
  return shown.map(({ field, value, index, price }) => {
    const label = `⬇️ ${valueName(field, value, language)} · ${language.money(price)}`;
    return button(draft, label, { kind: "value", token: field.token, index });
  });
}

function contactButton({ supportContact, language }: CardSurroundings): InlineKeyboardButton[] {
  const address = supportContact === undefined ? undefined : contactAddress(supportContact);
  if (address === undefined) return [];
  const contact = supportContact?.replace(/^https?:\/\//, "") ?? "";
  return [InlineKeyboard.url(language.t("button-contact", { contact }), address)];
}

/** Returns the link that opens a chat with whom `SUPPORT_CONTACT` names. Undefined where it is something else. */
function contactAddress(contact: string): string | undefined {
  const name = /^@(\w{4,32})$/.exec(contact)?.[1];
  if (name !== undefined) return `https://t.me/${name}`;
  if (/^t\.me\/\w+$/.test(contact)) return `https://${contact}`;
  return /^https?:\/\/\S+$/.test(contact) && URL.canParse(contact) ? contact : undefined;
}
