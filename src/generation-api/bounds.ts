import { z } from "zod";

/** The most tracks of a job; one of more is cut and logged. */
export const TRACKS_MAX = 20;
/** The most ids of an acceptance. The contract's `count` ends at 4. */
export const JOB_IDS_MAX = 10;
/** The most characters of what a card, a caption or a button names. */
const TITLE_MAX = 100;
/** The most characters of an error, a note or a line about a model. */
const WORDS_MAX = 500;
const LINK_MAX = 8192;
const AMOUNT_MAX_RUB = 1e9;

export const amountRub = z.number().min(0).max(AMOUNT_MAX_RUB);
/** Accepts negative balances: one may be overdrawn. */
export const balanceRub = z.number().min(-AMOUNT_MAX_RUB).max(AMOUNT_MAX_RUB);

export const title = z.string().transform((text) => cutTo(TITLE_MAX, text));
export const words = z.string().transform((text) => cutTo(WORDS_MAX, text));
export const link = z.string().max(LINK_MAX);

/** Cuts between characters, and marks it by an ellipsis. */
function cutTo(max: number, text: string): string {
  if (text.length <= max) return text;
  const characters = [...text.slice(0, 2 * max + 2)];
  return characters.length <= max ? characters.join("") : `${characters.slice(0, max - 1).join("")}…`;
}
