import type {
  GenerationType,
  Model,
  ModelParameter,
  ParameterValue,
  PriceFactors,
} from "../contract/model.js";
import { priceLevels, withPrices } from "../contract/price.js";
import type { GenerationRequest } from "../contract/request.js";
import { Catalogue, type CatalogueEntry, type CatalogueSource } from "./catalogue.js";
import {
  activeProvidersOf,
  type ListedProvider,
  mappingsOf,
  providersOf,
  takesJobs,
} from "./choose-provider.js";
import type { Mapping } from "./mapping.js";
import type { ModelOverrides } from "./model-overrides.js";
import { mappingFor, namedFields } from "./operation.js";
import { sampleRequests } from "./sample-requests.js";

/** Changes the parameters that a model has. */
function withParameters(
  model: Model,
  change: (parameter: ModelParameter, name: string) => ModelParameter | null,
): Model {
  const parameters = Object.entries(model.parameters).map(([name, parameter]) => [
    name,
    parameter && change(parameter, name),
  ]);
  return { ...model, parameters: Object.fromEntries(parameters) };
}

/** Lowers the maxima of texts and lists to what a mapping takes in at least one of the requests. */
function withMaxima(
  model: Model,
  requests: readonly GenerationRequest[],
  mappings: readonly Mapping[],
  takes: (request: GenerationRequest) => boolean,
): Model {
  return withParameters(model, (parameter, name) => {
    const sample = SAMPLES[parameter.type];
    if (!sample) return parameter;
    const holders = requests.filter((request) => request[name] !== undefined);
    const max = sizesOf(name, parameter.max, mappings).find((size) =>
      holders.some((request) => takes({ ...request, [name]: sample(size) })),
    );
    return max === undefined ? parameter : { ...parameter, max };
  });
}

/** Lowers the maxima of numbers to the highest that a mapping takes. A default above it becomes the maximum. */
function withNumberMaxima(
  model: Model,
  mappings: readonly Mapping[],
  takes: (request: GenerationRequest) => boolean,
): Model {
  return withParameters(model, (parameter, name) => {
    const { values, type, default: fallback } = parameter;
    if (values || !NUMBERS.includes(type)) return parameter;
    const max = sizesOf(name, parameter.max, mappings).find((size) => {
      const tried = { ...model, parameters: { ...model.parameters, [name]: { ...parameter, max: size } } };
      return sampleRequests(tried).some((request) => request[name] === size && takes(request));
    });
    if (max === undefined) return parameter;
    return { ...parameter, max, ...(typeof fallback === "number" && { default: Math.min(fallback, max) }) };
  });
}

const NUMBERS: readonly string[] = ["integer", "number"];

/** Lists the model's own maximum and the lower ones of mappings, the highest first; empty where no mapping has any. */
function sizesOf(name: string, max: number | undefined, mappings: readonly Mapping[]): readonly number[] {
  const limits = mappings.map((mapping) => mapping.limits[name]).filter((limit) => limit !== undefined);
  if (max === undefined || limits.length === 0) return [];
  return [...new Set([max, ...limits.filter((limit) => limit < max)])].sort((a, b) => b - a);
}

const SAMPLES: Readonly<Partial<Record<ModelParameter["type"], (size: number) => ParameterValue>>> = {
  string: (size) => "x".repeat(size),
  "array<string>": (size) => Array.from({ length: size }, (_, index) => `https://reference.invalid/${index}`),
};

/** Parameters that a price may depend on: without a value there is no price. */
const PRICED: Readonly<Record<GenerationType, readonly string[]>> = {
  image: ["generation_mode", "resolution"],
  video: ["resolution", "duration_sec"],
  music: [],
};

/** Keeps what at least one of the requests holds: values, parameters, defaults, prices and factors. */
function withOfferedValues(model: Model, requests: readonly GenerationRequest[]): Model {
  const offered = withParameters(model, (parameter, name) =>
    name === "count" ? parameter : offeredParameter(name, parameter, requests),
  );
  const parameters = withStandIns(offered.parameters, model, requests);
  const { price_factors: factors, ...rest } = model;
  const kept = factors && keptFactors(factors, parameters);
  const levels = priceLevels({ ...model, parameters }, columnsOf(requests)).map(
    (names) => new Set(names.map(String)),
  );
  return {
    ...rest,
    parameters,
    defaults: Object.fromEntries(
      Object.keys(model.defaults).map((name) => [name, parameters[name]?.default ?? null]),
    ),
    // Variants go that the parameters, or all of the requests, leave out.
    price_rub: withPrices(model.price_rub, (rubles, path) =>
      path.every((name, level) => levels[level]?.has(name) ?? true) ? rubles : undefined,
    ),
    ...(kept && { price_factors: kept }),
  };
}

function offeredParameter(
  name: string,
  parameter: ModelParameter,
  requests: readonly GenerationRequest[],
): ModelParameter | null {
  const held = new Set(requests.map((request) => request[name]));
  if (parameter.values)
    return withValues(
      parameter,
      parameter.values.filter((value) => held.has(value)),
    );
  switch (parameter.type) {
    case "boolean":
      if (!held.has(true)) return null;
      return held.has(false) ? parameter : { ...parameter, default: true };
    case "integer":
    case "number":
      return held.has(parameter.min) && held.has(parameter.max) ? parameter : null;
    default:
      return held.size === 1 && held.has(undefined) ? null : parameter;
  }
}

function withValues(parameter: ModelParameter, values: readonly (string | number)[]): ModelParameter | null {
  const [first] = values;
  if (first === undefined) return null;
  const { default: fallback } = parameter;
  const isKept = fallback === undefined || values.some((value) => value === fallback);
  return { ...parameter, values, ...(!isKept && { default: first }) };
}

/** Keeps reference links with frames: the first references stand in for missing frames (section 9). */
function withStandIns(
  parameters: Model["parameters"],
  { type, parameters: before }: Model,
  requests: readonly GenerationRequest[],
): Model["parameters"] {
  const { start_frame_url: start, end_frame_url: end, reference_urls: references = null } = parameters;
  if (type === "image") {
    const isRequired = requests.every((request) => request.reference_urls !== undefined);
    return references
      ? { ...parameters, reference_urls: { ...references, required: isRequired } }
      : parameters;
  }
  if (type !== "video" || !start) return parameters;
  const onlyFrames = requests.every((request) => request.video_input_mode === "frames");
  const stands = before.reference_urls;
  return {
    ...parameters,
    start_frame_url: { ...start, required: onlyFrames },
    reference_urls:
      references ?? (stands ? { ...stands, max: Math.min(stands.max ?? 1, end ? 2 : 1) } : null),
  };
}

function keptFactors(factors: PriceFactors, parameters: Model["parameters"]): PriceFactors | undefined {
  const { sound, fast } = factors;
  const kept = {
    ...(sound !== undefined && parameters.sound && { sound }),
    ...(fast !== undefined && parameters.video_speed_mode?.values?.includes("fast") && { fast }),
  };
  return Object.keys(kept).length > 0 ? kept : undefined;
}

function columnsOf(requests: readonly GenerationRequest[]): string[] {
  return ["text", "reference"].filter((column) =>
    requests.some((request) => (request.reference_urls !== undefined) === (column === "reference")),
  );
}

/** Keeps the catalogue as the providers that take jobs at the moment serve it. */
export class OfferedCatalogue {
  /** Catalogues by the names of the providers that take jobs. */
  readonly #offered = new Map<string, Catalogue>();
  #of: Catalogue | undefined;

  constructor(
    private readonly offers: CatalogueSource,
    private readonly providers: readonly ListedProvider[],
    private readonly overrides?: ModelOverrides,
  ) {
    overrides?.onChange(() => this.#offered.clear());
  }

  /** The same object while neither offers nor models are changed, and the same providers take jobs. */
  get current(): Catalogue {
    const of = this.offers.current();
    if (of !== this.#of) this.#offered.clear();
    this.#of = of;
    const taking = this.providers
      .filter(takesJobs)
      .map(({ name }) => name)
      .join();
    return this.#offered.getOrInsertComputed(taking, () => {
      const offered = offeredCatalogue(of, this.providers);
      return this.overrides?.applyTo(offered) ?? offered;
    });
  }
}

/** Disables models that nobody makes now; the others show what at least one active mapping takes. */
function offeredCatalogue(catalogue: Catalogue, providers: readonly ListedProvider[]): Catalogue {
  return new Catalogue(
    catalogue.entries.map((entry) => (entry.status === "active" ? offeredEntry(entry, providers) : entry)),
    catalogue,
  );
}

function offeredEntry(entry: CatalogueEntry, providers: readonly ListedProvider[]): CatalogueEntry {
  const active = activeProvidersOf(entry, providers);
  const [first] = active;
  if (!first) return { ...entry, status: "disabled" };
  if (first.kind === "renderer")
    return first.isPreview ? { ...entry, model: { ...entry.model, isPreview: true } } : entry;
  const mappings = active.flatMap(({ name }) => mappingsOf(entry.mappings, name));
  const model = offeredModel(entry.model, mappings);
  return model ? { ...entry, model } : { ...entry, status: "disabled" };
}

/**
 * Reduces values, maxima, prices and title to what mappings take; a parameter that none takes is null.
 * @param mappings of the active services, the preferred first
 * @returns undefined when nothing remains
 */
export function offeredModel(model: Model, mappings: readonly Mapping[]): Model | undefined {
  const takes = (request: GenerationRequest) => "mapping" in mappingFor(mappings, request);
  let offered = withNumberMaxima(withoutUnnamed(model, mappings), mappings, takes);
  // Each turn takes something away, so it ends.
  for (;;) {
    const uses = usesOf(offered, mappings);
    if (uses.length === 0) return undefined;
    const requests = uses.map(({ request }) => request);
    const kept = withOfferedValues(offered, requests);
    if (JSON.stringify(kept) === JSON.stringify(offered)) {
      const title = [...new Set(uses.map((use) => use.title))].join(" / ");
      const versions = versionsOf(model, uses);
      return { ...withMaxima(kept, requests, mappings, takes), title, ...(versions && { versions }) };
    }
    offered = kept;
  }
}

interface Use {
  request: GenerationRequest;
  /** Title of the version that makes it. */
  title: string;
}

function usesOf(model: Model, mappings: readonly Mapping[]): readonly Use[] {
  return sampleRequests(model).flatMap((request) => {
    const found = mappingFor(mappings, request);
    return "mapping" in found ? [{ request, title: found.mapping.substitute ?? model.title }] : [];
  });
}

/** Removes the parameters that no mapping names. Those that a price depends on stay. */
function withoutUnnamed(model: Model, mappings: readonly Mapping[]): Model {
  const named = new Set(mappings.flatMap((mapping) => [...namedFields(mapping)]));
  const kept = [
    "prompt",
    "mode",
    "description",
    "count",
    "video_input_mode",
    "reference_urls",
    ...PRICED[model.type],
  ];
  return withParameters(model, (parameter, name) =>
    named.has(name) || kept.includes(name) ? parameter : null,
  );
}

/** Finds the first parameter whose value alone decides the version; undefined for one version, or without one. */
function versionsOf(model: Model, uses: readonly Use[]): Model["versions"] {
  if (new Set(uses.map(({ title }) => title)).size < 2) return undefined;
  for (const [parameter, described] of Object.entries(model.parameters)) {
    if (!described?.values) continue;
    const titles = new Map<string, Set<string>>();
    for (const { request, title } of uses) {
      const value = String(request[parameter]);
      titles.getOrInsertComputed(value, () => new Set()).add(title);
    }
    const decided = [...titles].flatMap(([value, [title, ...more]]) =>
      title === undefined || more.length > 0 ? [] : [[value, title] as const],
    );
    if (decided.length === titles.size) return { parameter, titles: Object.fromEntries(decided) };
  }
  return undefined;
}

/** Counts the active models that a provider makes, and those of them that nobody takes jobs for now. */
export function coverageOf(
  { entries }: Pick<Catalogue, "entries">,
  listed: readonly ListedProvider[],
  name: string,
): { count: number; off: number } {
  const made = entries.filter(
    (entry) =>
      entry.status === "active" && providersOf(entry, listed).some((provider) => provider.name === name),
  );
  return {
    count: made.length,
    off: made.filter((entry) => activeProvidersOf(entry, listed).length === 0).length,
  };
}
