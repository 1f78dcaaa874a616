import type { Model } from "../../contract/model.js";
import { codePoints } from "../html.js";
import type { Draft } from "./draft.js";
import { controlNamed, formOf } from "./form.js";
import { counts, mainTextName, modeValue } from "./relevance.js";

/** What a draft still lacks before its request can be accepted. */
export type Need =
  | { kind: "text"; name: string }
  | { kind: "too_short"; name: string; min: number }
  | { kind: "too_long"; name: string; max: number }
  /** One of these must be set. */
  | { kind: "one_of"; names: readonly string[] };

/** Everything that keeps a draft from being paid, by the rules of the contract; empty when nothing does. */
export function needsOf(draft: Draft, model: Model): Need[] {
  const main = mainTextName(model, draft.parameters);
  const groups = neededGroups(draft, model);
  const needs: Need[] = [];
  if (main !== undefined) {
    const isNeeded = groups.some((names) => names.includes(main));
    const text = textNeed(draft.prompt, main, isNeeded, model);
    if (text) needs.push(text);
  }
  for (const names of groups) {
    const isMet = names.some((name) => name === main || draft.parameters[name] !== undefined);
    if (!isMet) needs.push({ kind: "one_of", names });
  }
  return needs;
}

/** What is wrong with a text as the value of a parameter, where something is. */
export function textNeed(
  text: string | null,
  name: string,
  isNeeded: boolean,
  model: Model,
): Exclude<Need, { kind: "one_of" }> | undefined {
  if (text === null) return isNeeded ? { kind: "text", name } : undefined;
  const control = controlNamed(model, name);
  if (control?.kind !== "text") return undefined;
  const { min, max } = control;
  if (min !== undefined && text.length < 2 * min && codePoints(text) < min)
    return { kind: "too_short", name, min };
  // No text has more code points than UTF-16 units, so most need no counting.
  if (max !== undefined && text.length > max && codePoints(text) > max)
    return { kind: "too_long", name, max };
  return undefined;
}

/** Of each group one parameter must be set: what is required always, then what the mode asks for. */
function neededGroups({ parameters }: Draft, model: Model): (readonly string[])[] {
  const form = formOf(model);
  const required = form.required
    .filter((control) => counts(control, form, parameters))
    .map(({ name }) => [name]);
  const byMode = form.mode?.rules.get(modeValue(form, parameters) ?? "")?.needs ?? [];
  const fresh = byMode.filter(
    (names) => !required.some(([name]) => name !== undefined && names.includes(name)),
  );
  return [...required, ...fresh];
}
