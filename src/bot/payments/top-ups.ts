import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import { asKopecks, type Kopecks } from "../../contract/price.js";
import { paymentName, type Till, type TillPayment, type TopUp } from "../../tills/till.js";
import type { Audience } from "../people/balance-words.js";
import { actionData, matching, natural } from "../telegram/button-data.js";
import { escapeHtml } from "../texts/html.js";
import { localTimeHtml } from "../texts/moment.js";
import type { Language } from "../texts/texts.js";

/** Parameter of the link that opens the top-up in the private chat. */
export const START_TOP_UP = "topup";

const offer = [matching("till", /^\w{1,20}$/), natural("price"), natural("kopecks")] as const;

/**
 * `t:m`, `t:o` and `t:<b or a>:<till>:<price>:<kopecks>`. The sums are what the person saw: a button of other prices sells
 * nothing. `agree`: buy, with the consent to the terms that the message shows.
 */
export const topUpData = actionData("t", {
  menu: ["m"],
  own: ["o"],
  buy: ["b", ...offer],
  agree: ["a", ...offer],
});

/** A top-up at a till that sells it now. */
export interface OfferedTopUp {
  till: Till;
  topUp: TopUp;
}

/** What people can buy for their balance, at every till. */
export class TopUps {
  /** @param tills those that are open, in the order in which they are offered */
  constructor(
    readonly tills: readonly Till[],
    private readonly botName: string,
  ) {}

  get isOn(): boolean {
    return this.tills.length > 0;
  }

  /** Finds what a button names. Undefined when the till sells it no longer, or for another price. */
  find(tillName: string, { price, kopecks }: { price: number; kopecks: number }): OfferedTopUp | undefined {
    const till = this.tills.find(({ name }) => name === tillName);
    if (!till) return undefined;
    const isSame = (one: TopUp | undefined) => one?.price === price && one.kopecks === kopecks;
    const topUp = [...till.packs, till.topUpOf(asKopecks(kopecks))].find(isSame);
    return topUp && { till, topUp };
  }

  /** Offers a sum at each till that sells it. */
  offersOf(kopecks: Kopecks): OfferedTopUp[] {
    return this.tills.flatMap((till) => {
      const topUp = till.topUpOf(kopecks);
      return topUp ? [{ till, topUp }] : [];
    });
  }

  /**
   * Offers what is missing, at each till that sells it. A group gets a link to the private chat, since everybody can pay
   * what stands there.
   */
  missingButtons(missing: Kopecks, { language, isGroup }: Audience): InlineKeyboardButton[] {
    if (!this.isOn) return [];
    if (isGroup) return [this.linkButton(language)];
    const exact = this.offersOf(missing).map(({ till, topUp }, index) => {
      const isLeast = topUp.kopecks > missing && topUp.kopecks === till.limits?.minKopecks ? 1 : 0;
      const label = language.t(`button-missing-${till.name}`, {
        sum: language.money(topUp.kopecks),
        isLeast,
      });
      return topUpButton({ till, topUp }, label, index === 0);
    });
    if (exact.length === 0) return [this.menuButton(language)];
    const menu = topUpData.encode({ action: "menu" });
    return [...exact, InlineKeyboard.text(language.t("button-other-sum"), menu)];
  }

  menuButton({ t }: Language): InlineKeyboardButton {
    return InlineKeyboard.text(t("button-top-up"), topUpData.encode({ action: "menu" }));
  }

  linkButton({ t }: Language): InlineKeyboardButton {
    return InlineKeyboard.url(t("button-top-up"), `https://t.me/${this.botName}?start=${START_TOP_UP}`);
  }
}

/** Draws the button of a top-up. Of several the first stands out. */
export function topUpButton(
  { till, topUp }: OfferedTopUp,
  label: string,
  isFirst = false,
): InlineKeyboardButton {
  const made = InlineKeyboard.text(label, topUpData.encode({ action: "buy", till: till.name, ...topUp }));
  return isFirst ? { ...made, style: "success" } : made;
}

/**
 * Writes a price in the currency of its till, in the words of `price-<till>`: `price` as it is, `sum` as kopecks. One in
 * another currency is written with that.
 */
export function priceText(
  { till, price, currency }: { till: string; price: number; currency?: string | null },
  { t, money }: Pick<Language, "t" | "money">,
): string {
  if (currency) return `${(price / 100).toFixed(2)} ${escapeHtml(currency)}`;
  return t(`price-${till}`, { price, sum: money(price) });
}

/** Says what a payment was, what it brought, and what has become of it, as arguments of a text in HTML. */
export function paymentWords(payment: TillPayment, language: Language) {
  const { id, kopecks, state, paid_at } = payment;
  return {
    number: paymentName(id),
    time: localTimeHtml(paid_at, language),
    price: priceText(payment, language),
    sum: kopecks === null ? "–" : language.money(kopecks),
    state: language.t(`payment-state-${state}`),
  };
}
