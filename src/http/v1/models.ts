import type { Model } from "../../contract/model.js";
import type { Api } from "../../jobs/api.js";
import { StaticBody } from "../compression.js";
import { authenticate, type Endpoint, okSchema, perOffer } from "./endpoint.js";
import { MODEL } from "./schemas.js";

/** Serves GET /models (section 4.3). */
export function modelsEndpoint(api: Pick<Api, "authenticate" | "models">): Endpoint {
  const body = perOffer(api, (models) => new StaticBody(Buffer.from(JSON.stringify({ ok: true, models }))));
  return {
    method: "GET",
    path: "/models",
    operationId: "listModels",
    summary: "The catalogue of models",
    description:
      "The models that can be used, with their parameters, defaults and prices. Their order and content may " +
      "change: read them before you integrate a model. As an extension of this service the answer has an `ETag`: sent " +
      "in `If-None-Match` it is answered with 304 and no body while nothing has changed.",
    needsKey: true,
    answer: {
      schema: okSchema({ models: { type: "array", items: MODEL } }),
      examples: (models) => ({
        "the first model, in short": { ok: true, models: models.slice(0, 1).map(withoutParameterDefaults) },
      }),
      headers: {
        ETag: {
          description: "An extension of this service: the tag of these bytes, for `If-None-Match`",
          schema: { type: "string" },
        },
      },
    },
    errors: [],
    handle: (request, reply) => {
      authenticate(api, request);
      // Whoever has a key may keep it, and asks each time whether it is still the same.
      reply.header("cache-control", "private, no-cache").type("application/json; charset=utf-8");
      return body().answer(request, reply);
    },
  };
}

/** Linters of OpenAPI take a parameter with `default` for a schema, wherever it stands; `defaults` has the same values. */
function withoutParameterDefaults({ parameters, ...model }: Model): Model {
  const short = Object.entries(parameters).map(([name, parameter]) => {
    const { default: _default, ...rest } = parameter ?? {};
    return [name, parameter && rest];
  });
  return { ...model, parameters: Object.fromEntries(short) };
}
