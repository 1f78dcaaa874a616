import { type Kopecks, parseRubles } from "../../../contract/money.js";
import { type PersonRef, readPersonRef } from "../../people/person-ref.js";
import { cleanText, cutText } from "../../texts/html.js";
import type { Translate } from "../../texts/texts.js";

export interface CorrectionRequest {
  person: PersonRef;
  kopecks: Kopecks;
  reason: string | null;
}

export type CorrectionFault =
  | { fault: "empty" }
  | { fault: "person"; word: string }
  | { fault: "amount_missing" }
  | { fault: "amount"; word: string }
  /** An amount with a space in it. */
  | { fault: "amount_split"; word: string }
  /** A second number, which is no reason. */
  | { fault: "amount_twice"; word: string }
  /** A number in a reply that may be an id or an amount. */
  | { fault: "two_meanings"; word: string };

interface Surroundings {
  replied: PersonRef | undefined;
  isKnownId: (id: number) => boolean;
  isKnownName: (username: string) => boolean;
}

const REASON_MAX = 200;
const WORD_SHOWN = 60;
const NUMBER = /^[-+]?\d[\d\s.,]*(?:₽|rub|руб\.?)?$/i;

/** Reads `USER RUB [reason]`, or `RUB [reason]` in a reply to the person. */
export function readCorrection(
  text: string,
  { replied, isKnownId, isKnownName }: Surroundings,
): CorrectionRequest | CorrectionFault {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const [first = "", second = ""] = words;
  if (first === "") return { fault: "empty" };
  const named = readPersonRef(first, isKnownName);
  const isNamed = first.startsWith("@") || (named && "username" in named && /^\d/.test(second));
  const isToReplied = replied !== undefined && !isNamed;
  // "/credit 5 7" in a reply has two meanings: neither is executed.
  if (isToReplied && (/^\d/.test(second) || isKnownId(Number(first))))
    return { fault: "two_meanings", word: first };
  const person = isToReplied ? replied : named;
  if (!person) return { fault: "person", word: first };
  const [amount, ...reasonWords] = words.slice(isToReplied ? 0 : 1);
  const kopecks = readAmount(amount, reasonWords[0]);
  if (typeof kopecks !== "number") return kopecks;
  const reason = cutText(cleanText(reasonWords.join(" ")), REASON_MAX);
  if (NUMBER.test(reason)) return { fault: "amount_twice", word: reason };
  return { person, kopecks, reason: reason || null };
}

function readAmount(amount: string | undefined, next = ""): Kopecks | CorrectionFault {
  if (amount === undefined) return { fault: "amount_missing" };
  // "1 000" means a thousand, not one ruble with the reason "000".
  if (/^\d{1,3}$/.test(amount) && /^\d{3}(?!\d)/.test(next))
    return { fault: "amount_split", word: `${amount} ${next}` };
  return parseRubles(amount) || { fault: "amount", word: amount };
}

/** Tells what is wrong, as plain text. Undefined for an empty command. */
export function faultText(problem: CorrectionFault, t: Translate): string | undefined {
  if (problem.fault === "empty") return undefined;
  const word = "word" in problem ? cutText(problem.word, WORD_SHOWN) : "";
  return t(`fault-${problem.fault}`, { word });
}
