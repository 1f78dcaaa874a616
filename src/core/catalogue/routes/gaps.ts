import type { GenerationType, Model } from "../../../contract/model.js";
import type { GenerationRequest } from "../../../contract/request.js";
import { routeFor } from "../../../routes/choose-route.js";
import type { Route } from "../../../routes/route.js";
import { sampleRequests } from "./sample-requests.js";

/** Always the same, or told by `video_input_mode` and `mode`. */
const SAID_OTHERWISE: Readonly<Record<GenerationType, readonly string[]>> = {
  image: ["prompt", "count"],
  video: ["prompt", "start_frame_url", "reference_urls"],
  music: ["description", "lyrics"],
};

/** Longest combination that is named; longer ones are counted. */
const SIZE_MAX = 3;

/**
 * The combinations of a model's parameters that no route takes, each as short as possible, such as
 * `duration_sec 30 with resolution 1080p has no mapping`.
 */
export function gaps(model: Model, routes: readonly Route[]): string[] {
  const samples = sampleRequests(model).map((request) => ({
    facts: factsOf(model, request),
    isTaken: "route" in routeFor(routes, request),
  }));
  const taken = samples.filter(({ isTaken }) => isTaken);
  let missing = samples.filter(({ isTaken }) => !isTaken);
  const named: string[] = [];
  for (let size = 1; size <= SIZE_MAX && missing.length > 0; size += 1) {
    const covered = new Set(taken.flatMap(({ facts }) => combinations(facts, size)));
    const open = new Set(
      missing.flatMap(({ facts }) => combinations(facts, size)).filter((name) => !covered.has(name)),
    );
    named.push(...[...open].map((name) => `${name} has no mapping`));
    missing = missing.filter(({ facts }) => !combinations(facts, size).some((name) => open.has(name)));
  }
  if (missing.length > 0) named.push(`${missing.length} more combinations have no mapping`);
  return named;
}

/** `resolution 4K`, `reference_urls`, `no reference_urls`, in the order of the model's parameters. */
function factsOf({ type, parameters }: Model, request: GenerationRequest): string[] {
  return Object.entries(parameters).flatMap(([name, parameter]) => {
    if (!parameter || SAID_OTHERWISE[type].includes(name)) return [];
    const value = request[name];
    if (value === undefined) return [`no ${name}`];
    const isGiven = parameter.values === undefined && ["string", "array<string>"].includes(parameter.type);
    return [isGiven ? name : `${name} ${value}`];
  });
}

function combinations(facts: readonly string[], size: number): string[] {
  if (size === 0) return [""];
  return facts.flatMap((fact, index) =>
    combinations(facts.slice(index + 1), size - 1).map((rest) =>
      rest === "" ? fact : `${fact} with ${rest}`,
    ),
  );
}
