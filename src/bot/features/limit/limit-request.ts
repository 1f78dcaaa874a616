import { type Kopecks, parseRubles } from "../../../contract/money.js";
import { type PersonRef, readPersonRef } from "../../people/person-ref.js";
import { cutText } from "../../texts/html.js";
import type { Translate } from "../../texts/texts.js";

export type LimitChange = { kind: "show" } | { kind: "remove" } | { kind: "set"; kopecks: Kopecks };

export interface LimitRequest {
  person: PersonRef;
  change: LimitChange;
}

/** `amount_split`: an amount with a space in it. */
type LimitFault = { fault: "empty" } | { fault: "person" | "amount" | "amount_split"; word: string };

const WORD_SHOWN = 60;

/** Reads `USER`, `USER off` or `USER RUB`. Zero rubles are a limit too. */
export function readLimit(
  text: string,
  isKnownName: (username: string) => boolean,
): LimitRequest | LimitFault {
  const [first, ...rest] = text.trim().split(/\s+/).filter(Boolean);
  if (first === undefined) return { fault: "empty" };
  const person = readPersonRef(first, isKnownName);
  if (!person) return { fault: "person", word: first };
  const word = rest.join(" ");
  if (word === "") return { person, change: { kind: "show" } };
  if (word.toLowerCase() === "off") return { person, change: { kind: "remove" } };
  const kopecks = parseRubles(word);
  if (kopecks !== undefined) return { person, change: { kind: "set", kopecks } };
  return { fault: /^\d[\d ]*(?:[.,]\d+)?$/.test(word) && rest.length > 1 ? "amount_split" : "amount", word };
}

/** Tells what is wrong, as plain text. Undefined for an empty command. */
export function limitFaultText(problem: LimitFault, t: Translate): string | undefined {
  if (problem.fault === "empty") return undefined;
  return t(`fault-${problem.fault}`, { word: cutText(problem.word, WORD_SHOWN) });
}
