import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import type { Model } from "../../contract/model.js";
import type { Kopecks } from "../../contract/money.js";
import { versionTitle } from "../../contract/version-title.js";
import type { TopUps } from "../payments/top-ups.js";
import { blockquote, codePoints, cutText, escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import { type CardAction, cardData } from "./callback-data.js";
import type { Draft } from "./draft/draft.js";
import type { Parameters } from "./form/fields.js";

const PROMPT_SHOWN = 700;
const TITLE_SHOWN = 100;
const LABEL_SHOWN = 60;

/** Label characters that a phone of 320 px shows when one to four buttons share a row: of each, and of all. */
const CHARACTERS_SHOWN = [40, 18, 12, 7];
const ROW_SHOWN = [40, 29, 25, 20];

export interface CardSurroundings {
  models: readonly Model[];
  /** Undefined where the card does not show it: see `showsBalance`. */
  balanceKopecks: Kopecks | undefined;
  /** What is left of the person's limit, where there is one: the card shows it in place of the balance. */
  limitLeftKopecks?: Kopecks | undefined;
  language: Language;
  supportContact: string | undefined;
  isGroup: boolean;
  ownerName: string;
  /** Offers what is missing, where it can be bought here. */
  topUps?: Pick<TopUps, "isOn" | "missingButtons">;
}

export interface CardMessage {
  text: string;
  keyboard: InlineKeyboard;
}

/** Styles of buttons. Only the paying one stands out; what ends or removes something is red. */
const STYLES: Partial<Record<CardAction["kind"], InlineKeyboardButton["style"]>> = {
  pay: "success",
  cancel: "danger",
  clear: "danger",
  remove: "danger",
};

export function button(draft: Draft, label: string, action: CardAction): InlineKeyboardButton {
  const data = cardData.encode({ draftId: draft.id, revision: draft.revision, action });
  const style = STYLES[action.kind];
  const made = InlineKeyboard.text(cutText(label, LABEL_SHOWN), data);
  return style ? { ...made, style } : made;
}

/** Lays buttons out in rows of at most `inARow`. A label that a phone would cut gets a wider button. */
export function inRows(buttons: readonly InlineKeyboardButton[], inARow: number): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  for (const one of buttons) {
    const row = rows.at(-1);
    if (row && row.length < inARow && isReadable(row, one)) row.push(one);
    else rows.push([one]);
  }
  return rows;
}

/** Lays buttons out in twos. A label that needs a row of its own leaves no gap before it. */
export function inPairs(buttons: readonly InlineKeyboardButton[]): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  let open: InlineKeyboardButton[] | undefined;
  for (const one of buttons) {
    if (open && isReadable(open, one)) {
      open.push(one);
      open = undefined;
      continue;
    }
    const row = [one];
    rows.push(row);
    if (codePoints(one.text) <= (CHARACTERS_SHOWN[1] ?? 0)) open = row;
  }
  return rows;
}

function isReadable(row: readonly InlineKeyboardButton[], added: InlineKeyboardButton): boolean {
  const shown = CHARACTERS_SHOWN[row.length] ?? 0;
  const lengths = [...row, added].map(({ text }) => codePoints(text));
  const all = lengths.reduce((sum, length) => sum + length, 0);
  return lengths.every((length) => length <= shown) && all <= (ROW_SHOWN[row.length] ?? 0);
}

/** Returns the title of the version that makes it with these settings, as HTML. */
export function titleOf(model: Model, settings: Parameters = {}): string {
  return `<b>${escapeHtml(cutText(versionTitle(model, settings), TITLE_SHOWN))}</b>`;
}

/** Returns what an admin wants people to know of a model, as a line of HTML after its title. */
export function noteLine({ note }: Model): string {
  return note === undefined ? "" : `\n⚠️ ${escapeHtml(note)}`;
}

/** Returns the title of a model, marked where the local renderer serves it, as HTML. */
export function titleLine(model: Model, settings: Parameters, { language }: CardSurroundings): string {
  const title = titleOf(model, settings);
  if (!model.isPreview) return title;
  return `${title} <i>${previewMark(model.type, language)}</i>`;
}

/** Says that the local renderer makes files of this type, as plain text. */
export function previewMark(type: Model["type"], { t, has }: Language): string {
  const own = `local-preview-${type}`;
  return t(has(own) ? own : "local-preview");
}

/** Quotes the main text of a draft under its name, shortened, as HTML. */
export function quotedText(name: string, text: string): string {
  return `${escapeHtml(name)}:\n${blockquote(cutText(text, PROMPT_SHOWN))}`;
}
