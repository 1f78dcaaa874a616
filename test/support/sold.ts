import type { GenerationRequest } from "../../src/contract/request.js";
import { operationFor } from "../../src/routes/choose-route.js";
import type { Route } from "../../src/routes/route.js";
import { markedRequest, storedForm } from "../../src/routes/sold-operation.js";

/** What a job was sold as, as the acceptance stores it; undefined where no route takes it. */
export function soldForm(
  routes: readonly Route[],
  request: GenerationRequest,
  { seed = 7, tracks = 1 } = {},
): string | undefined {
  const { request: marked, marks } = markedRequest(request);
  const found = operationFor(routes, marked, { seed, tracks, callbackUrl: marks.callback });
  return "route" in found ? storedForm({ operation: found.operation, marks }) : undefined;
}
