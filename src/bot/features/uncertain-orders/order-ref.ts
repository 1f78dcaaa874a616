import { cutText } from "../../texts/html.js";
import type { Translate } from "../../texts/texts.js";

/** An order that a text names. `jobs`: what follows the number, the ids of its jobs. */
type OrderRef = { word: string; jobs: string } & ({ number: number } | { orderId: string });

/** Why a text names no order. `word`: it is no number; `unknown`: no such order. */
interface OrderFault {
  fault: "word" | "unknown";
  word: string;
}

const WORD_SHOWN = 60;

/** Reads the number of an order, with or without `#` or `№`, or the whole id that the log has. */
export function readOrderRef(text: string): OrderRef | OrderFault {
  const [word = "", ...rest] = text.trim().split(/\s+/);
  const jobs = rest.join(" ");
  const [, digits] = /^[#№]?(\d{1,9})$/.exec(word) ?? [];
  if (digits !== undefined) return { word, jobs, number: Number(digits) };
  return /^[\w-]{16}$/.test(word) ? { word, jobs, orderId: word } : { fault: "word", word };
}

export function orderFaultText({ fault, word }: OrderFault, t: Translate): string {
  return `${t(`order-fault-${fault}`, { word: cutText(word, WORD_SHOWN) })}\n\n${t("usage-order")}`;
}
