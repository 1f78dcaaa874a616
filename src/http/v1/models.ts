import type { Api } from "../../ports/api.js";
import type { Endpoint } from "./endpoint.js";
import { okSchema } from "./json-schema.js";
import { MODEL } from "./schemas.js";

/** GET /models (section 4.3). The catalogue is constant, so the body is built once. */
export function modelsEndpoint({ models }: Pick<Api, "models">): Endpoint {
  const bytes = Buffer.from(JSON.stringify({ ok: true, models }));
  return {
    method: "GET",
    path: "/models",
    operationId: "listModels",
    summary: "The catalogue of models",
    description:
      "The models that can be used, with their parameters, defaults and prices. Their order and content may " +
      "change: read them before you integrate a model.",
    needsKey: true,
    answer: {
      schema: okSchema({ models: { type: "array", items: MODEL } }),
      examples: { "the first model": { ok: true, models: models.slice(0, 1) } },
    },
    errors: [],
    handle: (_request, reply) => reply.type("application/json; charset=utf-8").send(bytes),
  };
}
