import { fieldNamed, type ModelFields, type Parameters } from "./fields.js";
import { requiredGroups } from "./missing-fields.js";

/** What is sent where the contract wants a value and the person leaves it to the model. Nobody reads it. */
const NEUTRAL: Readonly<Record<string, string>> = { custom_style: "a style that suits the lyrics" };

/** Returns the values that the mode needs and nobody gave, as far as the model takes neutral ones. */
export function neutralValues(
  fields: ModelFields,
  parameters: Parameters,
  mainText: string | undefined,
): Parameters {
  const unmet = requiredGroups(fields, parameters).filter(
    (names) => !names.some((name) => name === mainText || parameters[name] !== undefined),
  );
  const filled = unmet.flatMap((names) => {
    const name = names.find((one) => NEUTRAL[one] !== undefined && fieldNamed(fields, one)?.kind === "text");
    return name === undefined ? [] : [[name, NEUTRAL[name] ?? ""] as const];
  });
  return Object.fromEntries(filled);
}

export function isNeutral(name: string, value: unknown): boolean {
  return value !== undefined && NEUTRAL[name] === value;
}
