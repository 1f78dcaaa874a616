import type { Mapping } from "../../src/catalogue/mapping.js";
import { mappingFor, markedRequest, operationWith } from "../../src/catalogue/operation.js";
import type { GenerationRequest } from "../../src/contract/request.js";

/** What a job was sold as, as the acceptance stores it; undefined where no mapping takes it. */
export function soldForm(
  mappings: readonly Mapping[],
  request: GenerationRequest,
  { seed = 7, tracks = 1 } = {},
): string | undefined {
  const { request: marked, marks } = markedRequest(request);
  const context = { seed, tracks, callbackUrl: marks.callback };
  const found = mappingFor(mappings, marked, context);
  if (!("mapping" in found)) return undefined;
  return JSON.stringify({ operation: operationWith(found.input, found.mapping, marked, context), marks });
}
