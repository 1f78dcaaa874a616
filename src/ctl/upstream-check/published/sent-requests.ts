import type { Mapping } from "../../../catalogue/mapping.js";
import { mappedInput, mappingFor } from "../../../catalogue/operation.js";
import { sampleRequests } from "../../../catalogue/sample-requests.js";
import type { Model } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";
import type { CatalogueModel } from "../find-model.js";
import { withTexts } from "../sample-texts.js";
import type { SentInput } from "./published-model.js";

/** A request, and what its mapping sends for it. */
export interface SentRequest {
  mapping: Mapping;
  request: GenerationRequest;
  input: SentInput;
}

export interface SentToEndpoint {
  model_key: string;
  endpoint: string;
  /** Requests of each combination of the model's values. */
  usual: readonly SentRequest[];
  /** The same requests with the longest and the shortest texts, and the longest lists, one field at a time. */
  extreme: readonly SentRequest[];
}

/** A context with the largest seed of an order; nothing is called back. */
const CONTEXT = { seed: 2 ** 31 - 1, callbackUrl: "https://callback.invalid/" };
const LINK = "https://reference.invalid/image";

/** Collects what is sent, in the order of the catalogue. */
export function sentToEndpoints(
  entries: readonly CatalogueModel[],
  provider: string,
): readonly SentToEndpoint[] {
  return entries.flatMap((entry) => {
    const mappings = Object.hasOwn(entry.mappings, provider) ? (entry.mappings[provider] ?? []) : [];
    const send = sender(entry, mappings);
    const usual = sampleRequests(entry.model).flatMap((sample) => send(withTexts(entry.model, sample)));
    return [...new Set(mappings.map(({ endpoint }) => endpoint))].map((endpoint) => {
      const own = usual.filter(({ mapping }) => mapping.endpoint === endpoint);
      const extreme = extremesOf(entry.model, own).flatMap(send);
      return {
        model_key: entry.model_key,
        endpoint,
        usual: own,
        extreme: extreme.filter(({ mapping }) => mapping.endpoint === endpoint),
      };
    });
  });
}

function sender({ tracks = 1 }: CatalogueModel, mappings: readonly Mapping[]) {
  return (request: GenerationRequest): readonly SentRequest[] => {
    const chosen = mappingFor(mappings, request);
    if (!("mapping" in chosen)) return [];
    const made = mappedInput(chosen.mapping, request, { ...CONTEXT, tracks });
    return "input" in made ? [{ mapping: chosen.mapping, request, input: made.input }] : [];
  };
}

/** Lists the extremes of the first request of each mapping that has the field. */
function extremesOf({ parameters }: Model, sent: readonly SentRequest[]): readonly GenerationRequest[] {
  return [...new Set(sent.map(({ mapping }) => mapping))].flatMap((mapping) =>
    Object.entries(parameters).flatMap(([name, parameter]) => {
      const from = sent.find((one) => one.mapping === mapping && one.request[name] !== undefined);
      if (!parameter || !from || parameter.values) return [];
      const max = Math.min(...[parameter.max, mapping.limits[name]].filter((bound) => bound !== undefined));
      const longest = Number.isFinite(max) ? [max] : [];
      const min = Math.max(1, parameter.min ?? 1, mapping.minima[name] ?? 1);
      if (parameter.type === "string")
        return [...longest, min].map((length) => ({ ...from.request, [name]: "a".repeat(length) }));
      if (parameter.type !== "array<string>") return [];
      return longest.map((length) => ({ ...from.request, [name]: links(length) }));
    }),
  );
}

function links(length: number): readonly string[] {
  return Array.from({ length }, (_, index) => `${LINK}/${index}`);
}
