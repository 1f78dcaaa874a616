import { isBlank } from "../../contract/blank.js";
import { ContractError } from "../../contract/errors.js";
import type { Field } from "./field.js";

/** Throws ContractError `prompt_required` | `prompt_too_long`. */
export function readPrompt({ value, parameter }: Field): string {
  const prompt = cleanText(value);
  if (prompt === undefined) throw new ContractError("prompt_required");
  if (isLongerThan(prompt, maxOf(parameter))) throw new ContractError("prompt_too_long");
  return prompt;
}

/** Cuts a text to its limit; undefined when it is absent, not a string, or the model lacks it. */
export function readText({ value, parameter }: Field): string | undefined {
  const text = parameter ? cleanText(value) : undefined;
  const kept = text === undefined ? "" : truncated(text, maxOf(parameter));
  return isBlank(kept) ? undefined : kept;
}

export function isLongEnough(text: string | undefined, { parameter }: Field): boolean {
  return text !== undefined && isLongerThan(text, (parameter?.min ?? 1) - 1);
}

function maxOf(parameter: Field["parameter"]): number {
  return parameter?.max ?? Number.POSITIVE_INFINITY;
}

/** Replaces lone surrogates, which UTF-8 cannot encode. */
function cleanText(value: unknown): string | undefined {
  if (typeof value !== "string" || isBlank(value)) return undefined;
  return value.replace(/\p{Surrogate}/gu, "\uFFFD").trim();
}

function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > limit) return true;
  }
  return false;
}

function truncated(text: string, limit: number): string {
  if (!isLongerThan(text, limit)) return text;
  let end = 0;
  let count = 0;
  for (const point of text) {
    if (count === limit) break;
    end += point.length;
    count += 1;
  }
  // The cut may end in a space, which a second reading would remove.
  return text.slice(0, end).trimEnd();
}
