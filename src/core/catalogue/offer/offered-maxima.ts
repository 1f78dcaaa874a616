import type { Model, ModelParameter, ParameterValue } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";
import type { Mapping } from "../../../mapping/mapping.js";
import { sampleRequests } from "../sample-requests.js";

/** Lowers the maxima of texts and lists to what a mapping takes in at least one of the requests. */
export function withMaxima(
  model: Model,
  requests: readonly GenerationRequest[],
  mappings: readonly Mapping[],
  takes: (request: GenerationRequest) => boolean,
): Model {
  const parameters = Object.entries(model.parameters).map(([name, parameter]) => {
    const lowered = parameter && loweredMax(name, parameter, requests, mappings, takes);
    return [name, parameter && lowered !== undefined ? { ...parameter, max: lowered } : parameter];
  });
  return { ...model, parameters: Object.fromEntries(parameters) };
}

/** Lowers the maxima of numbers to the highest that a mapping takes. A default above it becomes the maximum. */
export function withNumberMaxima(
  model: Model,
  mappings: readonly Mapping[],
  takes: (request: GenerationRequest) => boolean,
): Model {
  const parameters = Object.entries(model.parameters).map(([name, parameter]) => {
    if (!parameter || parameter.values || !NUMBERS.includes(parameter.type)) return [name, parameter];
    const max = sizesOf(name, parameter.max, mappings).find((size) => {
      const tried = { ...model, parameters: { ...model.parameters, [name]: { ...parameter, max: size } } };
      return sampleRequests(tried).some((request) => request[name] === size && takes(request));
    });
    return [name, max === undefined ? parameter : withMax(parameter, max)];
  });
  return { ...model, parameters: Object.fromEntries(parameters) };
}

const NUMBERS: readonly string[] = ["integer", "number"];

function withMax(parameter: ModelParameter, max: number): ModelParameter {
  const { default: fallback } = parameter;
  return { ...parameter, max, ...(typeof fallback === "number" && { default: Math.min(fallback, max) }) };
}

function loweredMax(
  name: string,
  { type, max }: ModelParameter,
  requests: readonly GenerationRequest[],
  mappings: readonly Mapping[],
  takes: (request: GenerationRequest) => boolean,
): number | undefined {
  const sample = SAMPLES[type];
  if (!sample) return undefined;
  const holders = requests.filter((request) => request[name] !== undefined);
  return sizesOf(name, max, mappings).find((size) =>
    holders.some((request) => takes({ ...request, [name]: sample(size) })),
  );
}

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
