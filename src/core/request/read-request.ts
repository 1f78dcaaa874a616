import { ContractError, type ContractErrorCode } from "../../contract/errors.js";
import type { GenerationType } from "../../contract/model.js";
import { priceKopecks } from "../../contract/price.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { Kopecks } from "../../platform/money.js";
import type { Catalogue, CatalogueEntry } from "../catalogue/catalogue.js";
import { type Envelope, openEnvelope } from "./envelope.js";
import { readParameters } from "./parameters.js";
import type { IsOwnLink } from "./reference-address.js";

/** A request that may be charged. */
export interface PricedRequest {
  entry: CatalogueEntry;
  /** Canonical names, normalised, defaults filled in; reading it again gives the same. */
  request: GenerationRequest;
  /** How many jobs it makes: the number of images, else 1. */
  count: number;
  /** The price of one job. */
  unitKopecks: Kopecks;
  /** The price of the whole request. */
  totalKopecks: Kopecks;
}

const BAD_MODEL: Readonly<Record<GenerationType, ContractErrorCode>> = {
  image: "bad_model",
  video: "bad_video_model",
  music: "bad_music_model",
};

/**
 * Reads the body of a POST /generations: aliases, checks, normalisation and price (sections 4.4, 8 and 9).
 *
 * @param body the parsed JSON of the body, whatever it is
 * @param isOwnLink recognises a valid link of this service, which no address check applies to
 * @throws ContractError the first check that fails: type, model, prompt or song, mode, ratio, duration,
 *   references
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
  // The catalogue was checked to price every variant, so this is a fault of ours.
  if (unitKopecks === undefined) throw new Error(`no price for ${JSON.stringify(request)}`);
  const count = typeof request.count === "number" ? request.count : 1;
  return { entry, request, count, unitKopecks, totalKopecks: unitKopecks * count };
}

function entryFor({ type, given }: Envelope, catalogue: Catalogue): CatalogueEntry {
  const key = given("model_key");
  if (key === undefined) return catalogue.defaultOf(type);
  const entry = typeof key === "string" ? catalogue.find(type, key.trim()) : undefined;
  if (!entry) throw new ContractError(BAD_MODEL[type], { allowed: catalogue.keysOf(type) });
  if (entry.status === "disabled") throw new ContractError("model_disabled");
  if (entry.status === "cabinet_only") throw new ContractError("model_not_supported_via_api");
  return entry;
}
