import type { Model } from "../../contract/model.js";
import type { Api } from "../../jobs/api.js";
import { type Endpoint, okSchema, perOffer } from "./endpoint.js";
import { MODEL } from "./schemas.js";

/** Serves GET /models (section 4.3). */
export function modelsEndpoint(api: Pick<Api, "models">): Endpoint {
  const body = perOffer(api, (models) => Buffer.from(JSON.stringify({ ok: true, models })));
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
      examples: (models) => ({
        "the first model, in short": { ok: true, models: models.slice(0, 1).map(withoutParameterDefaults) },
      }),
    },
    errors: [],
    handle: (_request, reply) => reply.type("application/json; charset=utf-8").send(body()),
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
