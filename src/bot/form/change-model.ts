import type { Model, ParameterValue } from "../../contract/model.js";
import type { Draft } from "../draft/draft.js";
import type { DraftChange } from "../draft/draft-store.js";
import { mainTextName } from "./active-fields.js";
import { withAutoFormat } from "./auto-format.js";
import { defaultOf, fieldNamed, fieldsOf, isSetting, type ModelFields, type Parameters } from "./fields.js";
import { asStartFrame, holdsPictures, movePictures } from "./picture-fields.js";
import { startingParameters } from "./starting-parameters.js";

/**
 * Keeps what the new model takes, except defaults that nobody chose. The rest stays without effect.
 * @param lastOf the parameters that the person used last with a model
 */
export function toModel(
  draft: Pick<Draft, "parameters" | "prompt" | "chosen">,
  from: Model | undefined,
  to: Model,
  lastOf: (model: Model) => Parameters,
): DraftChange {
  const [before, after] = [from && fieldsOf(from), fieldsOf(to)];
  const given = from ? draft.parameters : asStartFrame(draft.parameters, after);
  const kept = Object.entries(given).filter(
    ([name, value]) => isGiven(draft, from, name, value) && isTaken(name, value, after),
  );
  const parameters = movePictures(after, {
    ...startingParameters(to, lastOf(to)),
    ...Object.fromEntries(kept),
  });
  return {
    modelKey: to.model_key,
    ...withMainText(draft, before, after, withAutoFormat(after, parameters, draft.chosen)),
    view: { kind: "card" },
  };
}

/** Sets parameters of a draft. A change of the mode may change which text is the main one. */
export function withParameters(draft: Draft, fields: ModelFields, parameters: Parameters): DraftChange {
  return { ...withMainText(draft, fields, fields, parameters), view: { kind: "card" } };
}

/** Sets a parameter that the person chose. */
export function withSetting(
  draft: Draft,
  fields: ModelFields,
  name: string,
  value: ParameterValue,
): DraftChange {
  const change = withParameters(draft, fields, { ...draft.parameters, [name]: value });
  return { ...change, chosen: [...new Set([...draft.chosen, name])] };
}

/** False for a default of the model that the person did not choose. */
export function isGiven(
  { chosen }: Pick<Draft, "chosen">,
  from: Model | undefined,
  name: string,
  value: ParameterValue,
): boolean {
  return !from || chosen.includes(name) || value !== (defaultOf(from, name) ?? false);
}

/** True unless the new model has the parameter and not this value of it. */
function isTaken(name: string, value: ParameterValue, to: ModelFields): boolean {
  if (holdsPictures(name, value)) return true;
  if (name === to.mode?.name) return to.mode.rules.has(String(value));
  const field = fieldNamed(to, name);
  if (!field) return true;
  return field.kind === "text" ? typeof value === "string" : isSetting(field, value);
}

/** Moves a text that is no longer the main one from `prompt` to the parameters, and the new one back. */
function withMainText(
  draft: Pick<Draft, "parameters" | "prompt">,
  from: ModelFields | undefined,
  to: ModelFields,
  parameters: Parameters,
): Pick<DraftChange, "parameters" | "prompt" | "promptMessageId"> {
  const before = from && mainTextName(from, draft.parameters);
  const after = mainTextName(to, parameters);
  if (before === undefined || after === undefined || before === after) return { parameters };
  const { [after]: text, ...others } = parameters;
  const put = draft.prompt === null ? others : { ...others, [before]: draft.prompt };
  return { parameters: put, prompt: typeof text === "string" ? text : null, promptMessageId: null };
}
