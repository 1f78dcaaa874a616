import { InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import type { Model } from "../../contract/model.js";
import type { Kopecks } from "../../platform/money.js";
import { codePoints, cutText, escapeHtml } from "../html.js";
import type { Language } from "../texts.js";
import { type CardAction, writeCardData } from "./card-data.js";
import type { Draft } from "./draft.js";

const PROMPT_SHOWN = 700;
const TITLE_SHOWN = 100;
/** Clients cut longer labels at a place of their own choice. */
const LABEL_SHOWN = 60;

/** What a phone shows of a label, in characters, where one, two, three and four buttons share a row. */
const CHARACTERS_SHOWN = [40, 18, 12, 8];

/** Everything that a card shows beside its draft. */
export interface CardSurroundings {
  /** The models of the draft's type. */
  models: readonly Model[];
  /** Undefined where it is not shown: see `showsBalance`. */
  balanceKopecks: Kopecks | undefined;
  language: Language;
  isLocalPreview: boolean;
  supportContact: string | undefined;
  /** In a group only answers to the bot's question reach it. */
  isGroup: boolean;
  /** Whose card it is: several people's cards stand in one group. */
  ownerName: string;
}

/** A message as it is sent: HTML and buttons. */
export interface CardMessage {
  text: string;
  keyboard: InlineKeyboard;
}

export function button(draft: Draft, label: string, action: CardAction): InlineKeyboardButton {
  const data = writeCardData({ draftId: draft.id, revision: draft.revision, action });
  return InlineKeyboard.text(cutText(label, LABEL_SHOWN), data);
}

/** Lays buttons out in rows of so many at most; one whose label would be cut on a phone gets a wider place. */
export function inRows(buttons: readonly InlineKeyboardButton[], inARow: number): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  for (const one of buttons) {
    const row = rows.at(-1);
    if (row && row.length < inARow && isReadable(row, one)) row.push(one);
    else rows.push([one]);
  }
  return rows;
}

/** True where every label of the row is shown whole with one more: the buttons of a row are equally wide. */
function isReadable(row: readonly InlineKeyboardButton[], added: InlineKeyboardButton): boolean {
  const shown = CHARACTERS_SHOWN[row.length] ?? 0;
  const fits = ({ text }: InlineKeyboardButton) => text.length <= shown || codePoints(text) <= shown;
  return fits(added) && row.every(fits);
}

export function titleOf({ title }: Model): string {
  return `<b>${escapeHtml(cutText(title, TITLE_SHOWN))}</b>`;
}

/** The main text of a draft under its name, as far as there is room for it. */
export function quotedText(name: string, text: string): string {
  return `${escapeHtml(name)}:\n<blockquote>${escapeHtml(cutText(text, PROMPT_SHOWN))}</blockquote>`;
}
