import type { FastifyInstance } from "fastify";
import type { Api } from "../jobs/api.js";
import type { Budgets } from "../platform/rate-limit.js";
import type { JsonBodies } from "./read-body.js";
import { balanceEndpoint } from "./v1/balance.js";
import { createGenerationEndpoint } from "./v1/create-generation.js";
import type { Endpoint } from "./v1/endpoint.js";
import { answerApiError } from "./v1/errors.js";
import { getGenerationEndpoint } from "./v1/get-generation.js";
import { healthEndpoint } from "./v1/health.js";
import { modelsEndpoint } from "./v1/models.js";

/**
 * Lists the endpoints in the order of section 4.
 * @param limit of POSTs, by account; by default there is none
 */
export function apiEndpoints(api: Api, bodies: JsonBodies, limit?: Budgets<number>): readonly Endpoint[] {
  return [
    healthEndpoint(),
    balanceEndpoint(api),
    modelsEndpoint(api),
    createGenerationEndpoint(api, bodies, limit),
    getGenerationEndpoint(api),
  ];
}

export function apiRoutes(scope: FastifyInstance, endpoints: readonly Endpoint[]): void {
  scope.decorateRequest("caller", null);
  scope.decorateRequest("jobIds", null);
  scope.setErrorHandler(answerApiError);
  // An endpoint reads its body itself, as JSON whatever its type.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
  scope.addHook("onRequest", ({ headers }, _reply, done) => {
    delete headers["content-type"];
    done();
  });
  for (const { method, path, handle } of endpoints)
    scope.route({
      method: method === "GET" ? ["GET", "HEAD"] : method,
      url: path.replace(/\{(\w+)\}/g, ":$1"),
      handler: handle,
    });
}
