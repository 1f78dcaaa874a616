import type {
  GenerationType,
  Model,
  ModelParameter,
  PriceFactors,
  PriceTable,
} from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";

/** Parameters that a price may depend on: without a value there is no price. */
export const PRICED: Readonly<Record<GenerationType, readonly string[]>> = {
  image: ["generation_mode", "resolution"],
  video: ["resolution", "duration_sec"],
  music: [],
};

/** Keeps what at least one of the requests holds: values, parameters, defaults, prices and factors. */
export function withOfferedValues(model: Model, requests: readonly GenerationRequest[]): Model {
  const offered = Object.entries(model.parameters).map(([name, parameter]) => [
    name,
    parameter && name !== "count" ? offeredParameter(name, parameter, requests) : parameter,
  ]);
  const parameters = withStandIns(Object.fromEntries(offered), model, requests);
  const { price_factors: factors, ...rest } = model;
  const kept = factors && keptFactors(factors, parameters);
  return {
    ...rest,
    parameters,
    defaults: Object.fromEntries(
      Object.keys(model.defaults).map((name) => [name, parameters[name]?.default ?? null]),
    ),
    price_rub: offeredPrices({ ...model, parameters }, requests),
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

/** Removes the variants that the parameters, or all of the requests, leave out. */
function offeredPrices(
  { type, price_rub, parameters }: Model,
  requests: readonly GenerationRequest[],
): PriceTable {
  if (typeof price_rub === "number") return price_rub;
  const { generation_mode, resolution, duration_sec } = parameters;
  const levels: (readonly (string | number)[])[] = [];
  if (type === "image" && generation_mode) levels.push(generation_mode.values ?? [], columnsOf(requests));
  if (resolution) levels.push(resolution.values ?? []);
  if (type === "video") levels.push(duration_sec?.values ?? []);
  return keptPrices(price_rub, levels);
}

function columnsOf(requests: readonly GenerationRequest[]): string[] {
  return ["text", "reference"].filter((column) =>
    requests.some((request) => (request.reference_urls !== undefined) === (column === "reference")),
  );
}

function keptPrices<T extends PriceTable>(
  table: T,
  [names, ...rest]: readonly (readonly (string | number)[])[],
): T;
function keptPrices(table: unknown, [names, ...rest]: readonly (readonly (string | number)[])[]): unknown {
  if (typeof table !== "object" || table === null || !names) return table;
  const kept = new Set(names.map(String));
  return Object.fromEntries(
    Object.entries(table)
      .filter(([name]) => kept.has(name))
      .map(([name, inner]) => [name, keptPrices(inner, rest)]),
  );
}
