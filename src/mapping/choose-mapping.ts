import type { GenerationRequest } from "../contract/request.js";
import { brokenCondition } from "./condition.js";
import {
  type MappedInput,
  type MappingContext,
  mappedInput,
  operationWith,
  type RefusedRequest,
} from "./map-request.js";
import type { Mapping } from "./mapping.js";
import type { Operation } from "./operation.js";

/** Values of what is known only when the request is submitted. */
const SAMPLE: MappingContext = { seed: 0, tracks: 1, callbackUrl: "https://callback.invalid/" };

/**
 * Finds the first mapping that takes the request whole.
 * @returns otherwise the field that the nearest mapping does not take, `model_key` where there is no mapping
 */
export function mappingFor(
  mappings: readonly Mapping[],
  request: GenerationRequest,
): { mapping: Mapping } | RefusedRequest {
  const found = firstTaking(mappings, request, SAMPLE);
  return "mapping" in found ? { mapping: found.mapping } : found;
}

/** Finds the first mapping, with the operation that it makes of the request. */
export function operationFor(
  mappings: readonly Mapping[],
  request: GenerationRequest,
  context: MappingContext,
): { mapping: Mapping; operation: Operation } | RefusedRequest {
  const found = firstTaking(mappings, request, context);
  if (!("mapping" in found)) return found;
  return { mapping: found.mapping, operation: operationWith(found.mapping, request, found.input, context) };
}

function firstTaking(
  mappings: readonly Mapping[],
  request: GenerationRequest,
  context: MappingContext,
): ({ mapping: Mapping } & MappedInput) | RefusedRequest {
  let nearest: { refusal: RefusedRequest; held: number } = {
    refusal: { refusedField: "model_key" },
    held: -1,
  };
  for (const mapping of mappings) {
    const broken = brokenCondition(mapping.when, request);
    const made = broken ? { refusedField: broken.field } : mappedInput(mapping, request, context);
    if ("input" in made) return { mapping, ...made };
    const held = broken?.held ?? Number.POSITIVE_INFINITY;
    if (held > nearest.held) nearest = { refusal: made, held };
  }
  return nearest.refusal;
}
