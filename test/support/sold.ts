import type { Mapping } from "../../src/catalogue/mapping.js";
import { markedRequest, operationFor, storedForm } from "../../src/catalogue/operation.js";
import type { GenerationRequest } from "../../src/contract/request.js";

/** What a job was sold as, as the acceptance stores it; undefined where no mapping takes it. */
export function soldForm(
  mappings: readonly Mapping[],
  request: GenerationRequest,
  { seed = 7, tracks = 1 } = {},
): string | undefined {
  const { request: marked, marks } = markedRequest(request);
  const found = operationFor(mappings, marked, { seed, tracks, callbackUrl: marks.callback });
  return "mapping" in found ? storedForm({ operation: found.operation, marks }) : undefined;
}
