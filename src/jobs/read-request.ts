import type { Catalogue, CatalogueEntry } from "../catalogue/catalogue.js";
import type { RefusedRequest } from "../catalogue/operation.js";
import { ContractError, type ContractErrorCode } from "../contract/errors.js";
import type { GenerationType } from "../contract/model.js";
import { asKopecks, type Kopecks, priceKopecks } from "../contract/price.js";
import type { GenerationRequest } from "../contract/request.js";
import { type Envelope, openEnvelope } from "./envelope.js";
import { type IsOwnLink, readParameters } from "./parameters.js";

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
  const param = field in model.parameters ? field : "model_key";
  if (code === undefined) return new ContractError("model_disabled", { param });
  if (code === "bad_reference_url" && request[field] === undefined)
    return new ContractError("reference_required", { param });
  const { values = [] } = model.parameters[field] ?? {};
  const allowed = values.filter((value) => isTaken({ ...request, [field]: value }));
  return new ContractError(code, { ...(allowed.length > 0 && { allowed }), param });
}

export interface PricedRequest {
  entry: CatalogueEntry;
  /** Normalised request. Reading it again returns the same. */
  request: GenerationRequest;
  count: number;
  unitKopecks: Kopecks;
  totalKopecks: Kopecks;
}

const BAD_MODEL: Readonly<Record<GenerationType, ContractErrorCode>> = {
  image: "bad_model",
  video: "bad_video_model",
  music: "bad_music_model",
};

/**
 * Reads the body of POST /generations: aliases, checks, normalisation and price (sections 4.4, 8 and 9).
 * @param isOwnLink recognises a valid link of this service, which skips the address checks
 * @throws ContractError of the first check that fails, in this order: type, model, prompt or song, mode,
 *   ratio, duration, references
 */
export function readRequest(
  body: unknown,
  catalogue: Catalogue,
  isOwnLink: IsOwnLink = () => false,
): PricedRequest {
  const envelope = openEnvelope(body);
  const entry = entryFor(envelope, catalogue);
  const { type, model_key, model } = entry;
  const request: GenerationRequest = { type, model_key, ...readParameters(envelope, model, isOwnLink) };
  const unitKopecks = priceKopecks(model, request);
  // The catalogue prices every variant, so this is a bug.
  if (unitKopecks === undefined) throw new Error(`no price for ${JSON.stringify(request)}`);
  const count = typeof request.count === "number" ? request.count : 1;
  return { entry, request, count, unitKopecks, totalKopecks: asKopecks(unitKopecks * count) };
}

function entryFor({ type, given }: Envelope, catalogue: Catalogue): CatalogueEntry {
  const { name: param, value: key } = given("model_key");
  const entry = key === undefined ? catalogue.defaultOf(type) : entryOf(type, key, catalogue);
  if (!entry) throw new ContractError(BAD_MODEL[type], { allowed: catalogue.keysOf(type), param });
  if (entry.status === "disabled") throw new ContractError("model_disabled", { param });
  if (entry.status === "cabinet_only") throw new ContractError("model_not_supported_via_api", { param });
  return entry;
}

function entryOf(type: GenerationType, key: unknown, catalogue: Catalogue): CatalogueEntry | undefined {
  return typeof key === "string" ? catalogue.find(type, key.trim()) : undefined;
}
