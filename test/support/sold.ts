import type { Mapping } from "../../src/catalogue/mapping.js";
import {
  mappingFor,
  markedRequest,
  operationWith,
  type SoldOperation,
} from "../../src/catalogue/operation.js";
import type { GenerationRequest } from "../../src/contract/request.js";

/** What a job was sold as, as the acceptance stores it; undefined where no mapping takes it. */
export function soldAs(
  mappings: readonly Mapping[],
  request: GenerationRequest,
  { seed = 7, tracks = 1 } = {},
): SoldOperation | undefined {
  const { request: marked, marks } = markedRequest(request);
  const context = { seed, tracks };
  const found = mappingFor(mappings, marked, context);
  if (!("mapping" in found)) return undefined;
  return { operation: operationWith(found.input, found.mapping, marked, context), marks };
}
