import type { Model } from "../../contract/model.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { Draft } from "./draft.js";

/** The request that paying a draft sends. */
export function requestOf(draft: Draft, model: Model): GenerationRequest {
  const request: GenerationRequest = { type: model.type, model_key: model.model_key, ...draft.parameters };
  if (draft.prompt !== null) request.prompt = draft.prompt;
  return request;
}
