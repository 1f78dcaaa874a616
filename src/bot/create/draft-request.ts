import type { Model, ParameterValue } from "../../contract/model.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { Draft } from "./draft.js";
import { formOf, offeredParameters, type Parameters } from "./form.js";
import { holdsPictures } from "./picture-slots.js";
import { counts, mainTextName, modeValue } from "./relevance.js";

/**
 * The request that paying a draft sends: what has an effect, and nothing else. Its pictures may still be those
 * of the chat: see `Pictures.published`.
 */
export function requestOf({ prompt, ...draft }: Draft, model: Model): GenerationRequest {
  const parameters = offeredParameters(model, draft.parameters);
  const form = formOf(model);
  const request: GenerationRequest = { type: model.type, model_key: model.model_key };
  const main = mainTextName(model, parameters);
  for (const control of form.controls) {
    const value = parameters[control.name];
    if (value !== undefined && counts(control, form, parameters)) request[control.name] = value;
  }
  // Said in so many words: left open, references would be taken for missing frames.
  const mode = modeValue(form, parameters);
  if (form.mode && mode !== undefined) request[form.mode.name] = mode;
  if (main !== undefined && prompt !== null) request[main] = prompt;
  return request;
}

/**
 * The other way round: what a card begins with to ask for the same once more. The pictures come from the draft
 * that the request was made of, where it is still kept: links in a request are valid for an hour only.
 */
export function composedAgain(
  request: GenerationRequest,
  model: Model,
  ordered: Pick<Draft, "parameters"> | undefined,
): Pick<Draft, "parameters" | "prompt"> {
  const { type: _type, model_key: _key, ...asked } = request;
  const main = mainTextName(model, asked as Parameters);
  const text = main === undefined ? undefined : asked[main];
  const parameters: Record<string, ParameterValue> = {};
  for (const [name, value] of Object.entries(asked)) {
    if (value !== undefined && name !== main && !holdsPictures(name, value)) parameters[name] = value;
  }
  for (const [name, value] of Object.entries(ordered?.parameters ?? {})) {
    if (holdsPictures(name, value)) parameters[name] = value;
  }
  return { parameters: offeredParameters(model, parameters), prompt: typeof text === "string" ? text : null };
}
