import type { Model } from "../../contract/model.js";
import type { Draft } from "./draft.js";
import type { DraftChange } from "./drafts.js";
import { controlNamed, formOf, isSetting, type Parameters, startingParameters } from "./form.js";
import { holdsPictures, rehousePictures } from "./picture-slots.js";
import { mainTextName } from "./relevance.js";

/**
 * Gives a draft another model. What its person set on this card goes along where the new model takes it, and so
 * do the texts and pictures; every other setting begins anew.
 * @param lastOf what the person used last with a model
 */
export function toModel(
  draft: Draft,
  from: Model | undefined,
  to: Model,
  lastOf: (model: Model) => Parameters,
): DraftChange {
  const given = Object.entries(draft.parameters).filter(
    ([name, value]) =>
      holdsPictures(name, value) || (from && controlNamed(from, name)?.kind === "text") === true,
  );
  const parameters = rehousePictures(to, {
    ...startingParameters(to, lastOf(to)),
    ...(from ? setOnCard(draft.parameters, startingParameters(from, lastOf(from)), to) : {}),
    ...keptMode(draft.parameters, to),
    ...Object.fromEntries(given),
  });
  return { modelKey: to.model_key, ...withMainText(draft, from, to, parameters), view: { kind: "card" } };
}

/** Sets parameters of a draft; a change of its mode may make another text the main one. */
export function withParameters(draft: Draft, model: Model, parameters: Parameters): DraftChange {
  return { ...withMainText(draft, model, model, parameters), view: { kind: "card" } };
}

/** The settings that are no longer what the card began with, as far as the model offers them too. */
function setOnCard(parameters: Parameters, start: Parameters, to: Model): Parameters {
  const changed = formOf(to).controls.flatMap((control) => {
    const value = parameters[control.name];
    const isKept = value !== undefined && value !== start[control.name] && isSetting(control, value);
    return isKept ? [[control.name, value] as const] : [];
  });
  return Object.fromEntries(changed);
}

function keptMode(parameters: Parameters, model: Model): Parameters {
  const { mode } = formOf(model);
  const chosen = mode && parameters[mode.name];
  return mode && typeof chosen === "string" && mode.rules.has(chosen) ? { [mode.name]: chosen } : {};
}

/** The main text stands by itself; one that is the main text no more goes among the parameters, to come back. */
function withMainText(
  draft: Draft,
  from: Model | undefined,
  to: Model,
  parameters: Parameters,
): Pick<DraftChange, "parameters" | "prompt" | "promptMessageId"> {
  const before = from && mainTextName(from, draft.parameters);
  const after = mainTextName(to, parameters);
  if (before === undefined || after === undefined || before === after) return { parameters };
  const { [after]: text, ...others } = parameters;
  const put = draft.prompt === null ? others : { ...others, [before]: draft.prompt };
  return { parameters: put, prompt: typeof text === "string" ? text : null, promptMessageId: null };
}
