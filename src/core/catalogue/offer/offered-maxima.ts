import type { Model, ModelParameter, ParameterValue } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";
import type { Route } from "../../../routes/route.js";
import { sampleRequests } from "../sample-requests.js";

/** Lowers the maxima of texts and lists to what a route takes in at least one of the requests. */
export function withMaxima(
  model: Model,
  requests: readonly GenerationRequest[],
  routes: readonly Route[],
  takes: (request: GenerationRequest) => boolean,
): Model {
  const parameters = Object.entries(model.parameters).map(([name, parameter]) => {
    const lowered = parameter && loweredMax(name, parameter, requests, routes, takes);
    return [name, parameter && lowered !== undefined ? { ...parameter, max: lowered } : parameter];
  });
  return { ...model, parameters: Object.fromEntries(parameters) };
}

/** Lowers the maxima of numbers to the highest that a route takes. A default above it becomes the maximum. */
export function withNumberMaxima(
  model: Model,
  routes: readonly Route[],
  takes: (request: GenerationRequest) => boolean,
): Model {
  const parameters = Object.entries(model.parameters).map(([name, parameter]) => {
    if (!parameter || parameter.values || !NUMBERS.includes(parameter.type)) return [name, parameter];
    const max = sizesOf(name, parameter.max, routes).find((size) => {
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
  routes: readonly Route[],
  takes: (request: GenerationRequest) => boolean,
): number | undefined {
  const sample = SAMPLES[type];
  if (!sample) return undefined;
  const holders = requests.filter((request) => request[name] !== undefined);
  return sizesOf(name, max, routes).find((size) =>
    holders.some((request) => takes({ ...request, [name]: sample(size) })),
  );
}

/** The model's own maximum and the lower ones of routes, from the highest down. Empty where no route has any. */
function sizesOf(name: string, max: number | undefined, routes: readonly Route[]): readonly number[] {
  const limits = routes.map((route) => route.limits[name]).filter((limit) => limit !== undefined);
  if (max === undefined || limits.length === 0) return [];
  return [...new Set([max, ...limits.filter((limit) => limit < max)])].sort((a, b) => b - a);
}

const SAMPLES: Readonly<Partial<Record<ModelParameter["type"], (size: number) => ParameterValue>>> = {
  string: (size) => "x".repeat(size),
  "array<string>": (size) => Array.from({ length: size }, (_, index) => `https://reference.invalid/${index}`),
};
