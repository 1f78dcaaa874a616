import type { Model } from "../../contract/model.js";
import type { Draft } from "../draft/draft.js";
import type { DraftChange } from "../draft/draft-store.js";
import { mainTextName } from "./active-fields.js";
import { fieldNamed, fieldsOf, isSetting, type ModelFields, type Parameters } from "./fields.js";
import { holdsPictures, rehousePictures } from "./picture-fields.js";
import { startingParameters } from "./starting-parameters.js";

/**
 * Keeps texts, pictures and the settings changed on this card, where the new model takes them.
 * @param lastOf the parameters that the person used last with a model
 */
export function toModel(
  draft: Draft,
  from: Model | undefined,
  to: Model,
  lastOf: (model: Model) => Parameters,
): DraftChange {
  const [before, after] = [from && fieldsOf(from), fieldsOf(to)];
  const given = Object.entries(draft.parameters).filter(
    ([name, value]) => holdsPictures(name, value) || (before && fieldNamed(before, name)?.kind === "text"),
  );
  const parameters = rehousePictures(after, {
    ...startingParameters(to, lastOf(to)),
    ...(from ? setOnCard(draft.parameters, startingParameters(from, lastOf(from)), after) : {}),
    ...keptMode(draft.parameters, after),
    ...Object.fromEntries(given),
  });
  return {
    modelKey: to.model_key,
    ...withMainText(draft, before, after, parameters),
    view: { kind: "card" },
  };
}

/** Sets parameters of a draft. A change of the mode may change which text is the main one. */
export function withParameters(draft: Draft, fields: ModelFields, parameters: Parameters): DraftChange {
  return { ...withMainText(draft, fields, fields, parameters), view: { kind: "card" } };
}

function setOnCard(parameters: Parameters, start: Parameters, to: ModelFields): Parameters {
  const changed = to.all.flatMap((field) => {
    const value = parameters[field.name];
    const isKept = value !== undefined && value !== start[field.name] && isSetting(field, value);
    return isKept ? [[field.name, value] as const] : [];
  });
  return Object.fromEntries(changed);
}

function keptMode(parameters: Parameters, { mode }: ModelFields): Parameters {
  const chosen = mode && parameters[mode.name];
  return mode && typeof chosen === "string" && mode.rules.has(chosen) ? { [mode.name]: chosen } : {};
}

/** Moves a text that is no longer the main one from `prompt` to the parameters, and the new one back. */
function withMainText(
  draft: Draft,
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
