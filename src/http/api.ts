import type { FastifyInstance, onRequestHookHandler } from "fastify";
import type { Api } from "../jobs/api.js";
import type { Clock } from "../platform/clock.js";
import { Budgets } from "../platform/rate-limit.js";
import { MINUTE_MS } from "../platform/units.js";
import { docsRoutes } from "./docs.js";
import { JsonBodies } from "./read-body.js";
import { balanceEndpoint } from "./v1/balance.js";
import { createGenerationEndpoint, FIELD_NAMES } from "./v1/create-generation.js";
import type { Endpoint } from "./v1/endpoint.js";
import { answerApiError } from "./v1/errors.js";
import { getGenerationEndpoint } from "./v1/get-generation.js";
import { healthEndpoint } from "./v1/health.js";
import { modelsEndpoint } from "./v1/models.js";
import { openApiDocument } from "./v1/openapi.js";

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

interface ApiOptions {
  publicUrl: string;
  /** POSTs per account; 0 disables the limit. */
  rateLimitPerMinute: number;
  clock: Clock;
}

/** Serves `/v1/…`, and its reference. */
export function apiRoutes(app: FastifyInstance, api: Api, options: ApiOptions): void {
  const { publicUrl, rateLimitPerMinute, clock } = options;
  const bodies = new JsonBodies(FIELD_NAMES);
  app.addHook("onClose", () => bodies.close());
  const budget = { most: rateLimitPerMinute, withinMs: MINUTE_MS };
  const limit = rateLimitPerMinute > 0 ? new Budgets<number>(clock, budget) : undefined;
  const endpoints = apiEndpoints(api, bodies, limit);
  const serveEndpoints = async (scope: FastifyInstance) => {
    scope.decorateRequest("caller", null);
    scope.decorateRequest("jobIds", null);
    scope.setErrorHandler(answerApiError);
    // An endpoint reads its body itself, as JSON whatever its type.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    const ignoreType: onRequestHookHandler = ({ headers }, _reply, done) => {
      delete headers["content-type"];
      done();
    };
    for (const { method, path, handle } of endpoints) {
      const url = path.replace(/\{(\w+)\}/g, ":$1");
      if (method === "GET") scope.route({ method: ["GET", "HEAD"], url, handler: handle });
      else scope.route({ method, url, handler: handle, onRequest: ignoreType });
    }
  };
  app.register(serveEndpoints, { prefix: "/v1" });
  const documentOf = (models: Api["models"]) => openApiDocument(endpoints, models, `${publicUrl}/v1`);
  docsRoutes(app, documentOf, api, rateLimitPerMinute);
}
