import type { Model, ModelParameter, ParameterValue } from "../../contract/model.js";

/** An integer parameter with more steps than this is no row of buttons. */
const MOST_STEPS = 12;

/** A parameter that a person sets on the card by picking one of a few values. */
export interface Control {
  name: string;
  choices: readonly (string | number | boolean)[];
}

/** The controls of a model, in the catalogue's order: whatever its parameters are called. */
export function controlsOf(model: Model): Control[] {
  const controls: Control[] = [];
  for (const [name, parameter] of Object.entries(model.parameters)) {
    const choices = parameter && choicesOf(parameter);
    if (choices && choices.length > 1) controls.push({ name, choices });
  }
  return controls;
}

function choicesOf(parameter: ModelParameter): Control["choices"] | undefined {
  if (parameter.values) return parameter.values;
  if (parameter.type === "boolean") return [false, true];
  if (parameter.type !== "integer") return undefined;
  const { min, max } = parameter;
  if (min === undefined || max === undefined || max - min >= MOST_STEPS) return undefined;
  return Array.from({ length: max - min + 1 }, (_, step) => min + step);
}

/**
 * The values that a card starts with: the model's defaults, then what its person used last, as far as the
 * model still offers it.
 */
export function startingParameters(
  model: Model,
  last: Readonly<Record<string, ParameterValue>>,
): Record<string, ParameterValue> {
  const start: Record<string, ParameterValue> = {};
  for (const { name, choices } of controlsOf(model)) {
    const used = last[name];
    const fallback = model.defaults[name] ?? model.parameters[name]?.default ?? undefined;
    if (used !== undefined && choices.some((choice) => choice === used)) start[name] = used;
    else if (fallback !== undefined && fallback !== null) start[name] = fallback;
  }
  return start;
}
