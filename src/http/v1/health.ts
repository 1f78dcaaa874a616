import { type Endpoint, okSchema } from "./endpoint.js";

const ANSWER = { ok: true, version: "v1" };

/** Serves GET /health (section 4.1). */
export function healthEndpoint(): Endpoint {
  return {
    method: "GET",
    path: "/health",
    operationId: "getHealth",
    summary: "Is the API there?",
    description: "Tells that the HTTP API answers. It checks no model and starts no generation.",
    needsKey: false,
    answer: {
      schema: okSchema({ version: { type: "string", const: "v1" } }),
      examples: () => ({ available: ANSWER }),
    },
    errors: [],
    handle: () => ANSWER,
  };
}
