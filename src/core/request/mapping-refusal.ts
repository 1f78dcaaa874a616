import { ContractError, type ContractErrorCode } from "../../contract/errors.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { RefusedRequest } from "../../mapping/map-request.js";
import type { CatalogueEntry } from "../catalogue/catalogue.js";

/** Codes of section 7 that name a parameter. */
const CODES: Readonly<Record<string, ContractErrorCode>> = {
  prompt: "prompt_too_long",
  aspect_ratio: "bad_aspect_ratio",
  duration_sec: "bad_duration_sec",
  generation_mode: "bad_generation_mode",
  start_frame_url: "bad_reference_url",
  end_frame_url: "bad_reference_url",
  reference_urls: "bad_reference_url",
  description: "bad_music_description",
  lyrics: "bad_music_lyrics",
  style_preset_id: "bad_music_style",
  custom_style: "bad_music_style",
};

/** Codes of texts that are too short; the others have one code for both. */
const SHORT_CODES: Readonly<Record<string, ContractErrorCode>> = { prompt: "prompt_required" };

/** Builds the refusal of a request that no active mapping takes. @param isTaken whether a request would be taken */
export function mappingRefusal(
  { refusedField: field, isTooShort = false }: RefusedRequest,
  { model }: Pick<CatalogueEntry, "model">,
  request: GenerationRequest,
  isTaken: (request: GenerationRequest) => boolean,
): ContractError {
  const code = (isTooShort ? SHORT_CODES[field] : undefined) ?? CODES[field];
  if (code === undefined) return new ContractError("model_disabled");
  if (code === "bad_reference_url" && request[field] === undefined)
    return new ContractError("reference_required");
  const { values = [] } = model.parameters[field] ?? {};
  const allowed = values.filter((value) => isTaken({ ...request, [field]: value }));
  return new ContractError(code, allowed.length > 0 ? { allowed } : {});
}
