import type { Model } from "../../contract/model.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { Draft } from "./draft.js";
import { formOf } from "./form.js";
import { counts, mainTextName, modeValue } from "./relevance.js";

/**
 * The request that paying a draft sends: what has an effect, and nothing else. Its pictures may still be those
 * of the chat: see `Pictures.published`.
 */
export function requestOf({ parameters, prompt }: Draft, model: Model): GenerationRequest {
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
