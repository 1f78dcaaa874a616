import { MAIN_TEXTS } from "../draft/draft.js";
import { mainTextName } from "./active-fields.js";
import type { ModelFields, Parameters } from "./fields.js";

/** Holds the text of a card whose model is not chosen. */
const HELD = "prompt";

/** Names the parameter that the next text sets. Undefined when the model takes no text. */
function nameIn(parameters: Parameters, fields: ModelFields | undefined): string | undefined {
  if (fields) return mainTextName(fields, parameters);
  return MAIN_TEXTS.find((name) => typeof parameters[name] === "string");
}

export function mainTextOf(parameters: Parameters, fields: ModelFields | undefined): string | undefined {
  const name = nameIn(parameters, fields);
  const text = name === undefined ? undefined : parameters[name];
  return typeof text === "string" ? text : undefined;
}

export function withMainText(
  parameters: Parameters,
  fields: ModelFields | undefined,
  text: string,
): Parameters {
  const name = fields ? mainTextName(fields, parameters) : HELD;
  return { ...parameters, [name ?? HELD]: text };
}

export function withoutMainText(parameters: Parameters, fields: ModelFields | undefined): Parameters {
  const name = nameIn(parameters, fields);
  if (name === undefined) return parameters;
  const { [name]: _text, ...others } = parameters;
  return others;
}

/** Gives a text that was held before a model was chosen the name that the model has for it. */
export function namedMainText(parameters: Parameters, fields: ModelFields): Parameters {
  const { [HELD]: text, ...others } = parameters;
  if (typeof text !== "string" || mainTextName(fields, parameters) === HELD) return parameters;
  return withMainText(others, fields, text);
}
