import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import type { Kopecks } from "../../contract/money.js";
import type { Till, TopUp } from "../../ports/till.js";
import type { Language } from "../texts/texts.js";
import { START_TOP_UP, topUpData } from "./top-up-data.js";

/** A top-up at a till that sells it now. */
export interface OfferedTopUp {
  till: Till;
  topUp: TopUp;
}

/** Whom a button is for: a group gets a link to the private chat, since everybody can pay what stands there. */
export interface TopUpAudience {
  language: Language;
  isGroup: boolean;
}

/** What people can buy for their balance, at every till. */
export class TopUps {
  readonly #tills: readonly Till[];
  readonly #botName: string;

  /** @param tills those that are open, in the order in which they are offered */
  constructor(tills: readonly Till[], botName: string) {
    this.#tills = tills;
    this.#botName = botName;
  }

  get isOn(): boolean {
    return this.#tills.length > 0;
  }

  get tills(): readonly Till[] {
    return this.#tills;
  }

  /** Finds what a button names. Undefined when the till sells it no longer, or for another price. */
  find(tillName: string, { price, kopecks }: TopUp): OfferedTopUp | undefined {
    const till = this.#tills.find(({ name }) => name === tillName);
    if (!till) return undefined;
    const isSame = (one: TopUp | undefined) => one?.price === price && one.kopecks === kopecks;
    const topUp = [...till.packs, till.topUpOf(kopecks)].find(isSame);
    return topUp && { till, topUp };
  }

  /** Offers what is missing, at each till that sells it. */
  missingButtons(missing: Kopecks, { language, isGroup }: TopUpAudience): InlineKeyboardButton[] {
    if (!this.isOn) return [];
    if (isGroup) return [this.linkButton(language)];
    const exact = this.#tills.flatMap((till) => {
      const topUp = till.topUpOf(missing);
      return topUp ? [topUpButton(till.name, topUp, language)] : [];
    });
    return exact.length > 0 ? exact : [this.menuButton(language)];
  }

  menuButton({ t }: Language): InlineKeyboardButton {
    return InlineKeyboard.text(t("button-top-up"), topUpData.encode({ action: "menu" }));
  }

  linkButton({ t }: Language): InlineKeyboardButton {
    return InlineKeyboard.url(t("button-top-up"), `https://t.me/${this.#botName}?start=${START_TOP_UP}`);
  }
}

/** Draws the button of a top-up: its price and what it brings. */
export function topUpButton(till: string, topUp: TopUp, { t, money }: Language): InlineKeyboardButton {
  const { price, kopecks } = topUp;
  const label = t(`button-top-up-${till}`, { price, sum: money(kopecks) });
  return {
    ...InlineKeyboard.text(label, topUpData.encode({ action: "buy", till, topUp })),
    style: "success",
  };
}
