import type { Model, ModelParameter, ParameterValue } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";
import type { Route } from "../../../routes/route.js";

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

function loweredMax(
  name: string,
  { type, max }: ModelParameter,
  requests: readonly GenerationRequest[],
  routes: readonly Route[],
  takes: (request: GenerationRequest) => boolean,
): number | undefined {
  const sample = SAMPLES[type];
  if (max === undefined || !sample) return undefined;
  const limits = routes.map((route) => route.limits[name]).filter((limit) => limit !== undefined);
  if (limits.length === 0) return undefined;
  const sizes = [...new Set([max, ...limits.filter((limit) => limit < max)])].sort((a, b) => b - a);
  const holders = requests.filter((request) => request[name] !== undefined);
  return sizes.find((size) => holders.some((request) => takes({ ...request, [name]: sample(size) })));
}

const SAMPLES: Readonly<Partial<Record<ModelParameter["type"], (size: number) => ParameterValue>>> = {
  string: (size) => "x".repeat(size),
  "array<string>": (size) => Array.from({ length: size }, (_, index) => `https://reference.invalid/${index}`),
};
