import type { Mapping } from "../../catalogue/mapping.js";
import type { Model } from "../../contract/model.js";

export interface CatalogueModel {
  model_key: string;
  model: Model;
  mappings: Readonly<Record<string, readonly Mapping[]>>;
  tracks?: number;
}

export interface FoundModel {
  entry: CatalogueModel;
  /** All mappings of the service for the model: the first that takes a request makes it. */
  mappings: readonly Mapping[];
  wanted: readonly Mapping[];
}

/** Thrown when nothing fits. The message says what would. */
export class UnknownModelError extends Error {
  override readonly name = "UnknownModelError";
}

/** Lists the keys of models that the service has a mapping for. */
export function modelKeys(entries: readonly CatalogueModel[], provider: string): readonly string[] {
  return servedBy(entries, provider).map(({ entry }) => entry.model_key);
}

function servedBy(entries: readonly CatalogueModel[], provider: string): readonly FoundModel[] {
  return entries.flatMap((entry) => {
    const mappings = Object.hasOwn(entry.mappings, provider) ? (entry.mappings[provider] ?? []) : [];
    return mappings.length > 0 ? [{ entry, mappings, wanted: mappings }] : [];
  });
}

/**
 * Finds a model. Throws UnknownModelError.
 * @param name a model's key, with or without `music:`, an endpoint, or a part of one endpoint's name
 */
export function findModel(entries: readonly CatalogueModel[], provider: string, name: string): FoundModel {
  const served = servedBy(entries, provider);
  const byKey = served.find(({ entry: { model_key } }) => [name, `music:${name}`].includes(model_key));
  if (byKey) return byKey;
  const byEndpoint =
    withEndpoints(served, (endpoint) => endpoint === name) ??
    withEndpoints(served, (endpoint) => name !== "" && endpoint.includes(name));
  if (byEndpoint) return byEndpoint;
  const keys = served.map(({ entry }) => entry.model_key).join(", ");
  throw new UnknownModelError(
    keys === ""
      ? `the catalogue has no mapping of ${provider}`
      : `${provider} has no mapping for "${name}"; possible are ${keys}, or a part of an endpoint's name`,
  );
}

function withEndpoints(
  served: readonly FoundModel[],
  isWanted: (endpoint: string) => boolean,
): FoundModel | undefined {
  const [first] = served.flatMap((found) => {
    const wanted = found.mappings.filter(({ endpoint }) => isWanted(endpoint));
    return wanted.length > 0 ? [{ ...found, wanted }] : [];
  });
  return first;
}
