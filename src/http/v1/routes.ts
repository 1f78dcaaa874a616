import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from "fastify";
import type { ApiDoor } from "../../core/core.js";
import type { Clock } from "../../platform/clock.js";
import { authenticator } from "./authentication.js";
import { balanceEndpoint } from "./balance.js";
import { createGenerationEndpoint } from "./create-generation.js";
import type { Endpoint } from "./endpoint.js";
import { answerApiError } from "./errors.js";
import { getGenerationEndpoint } from "./get-generation.js";
import { healthEndpoint } from "./health.js";
import { BODY_BYTES_MAX, parseJsonBody } from "./json-body.js";
import { modelsEndpoint } from "./models.js";
import { RateLimit, rateLimiter } from "./rate-limit.js";
import { ERROR } from "./schemas.js";

/** The service behind the API: the core. */
export type Api = Pick<ApiDoor, "authenticate" | "balance" | "models" | "submit" | "job">;

export interface ApiOptions {
  api: Api;
  /** POSTs an API key; 0: off. */
  rateLimitPerMinute: number;
  clock: Clock;
}

/** The endpoints of Generation API v1, in the order of section 4. */
export function apiEndpoints(api: Api): readonly Endpoint[] {
  return [
    healthEndpoint(),
    balanceEndpoint(api),
    modelsEndpoint(api),
    createGenerationEndpoint(api),
    getGenerationEndpoint(api),
  ];
}

/** `/v1/…`: Generation API v1. */
export function apiRoutes(app: FastifyInstance, options: ApiOptions): void {
  app.register(async (scope) => addRoutes(scope, options), { prefix: "/v1" });
}

function addRoutes(scope: FastifyInstance, { api, rateLimitPerMinute, clock }: ApiOptions): void {
  scope.decorateRequest("caller", null);
  scope.setErrorHandler(answerApiError);
  readJson(scope);
  const authenticate = authenticator(api);
  const limit = rateLimitPerMinute > 0 ? [rateLimiter(new RateLimit(rateLimitPerMinute, clock))] : [];
  for (const { method, path, needsKey, answer, handle } of apiEndpoints(api)) {
    scope.route({
      method: method === "GET" ? ["GET", "HEAD"] : method,
      url: path.replace(/\{(\w+)\}/g, ":$1"),
      onRequest: [...(needsKey ? [authenticate] : []), ...(method === "POST" ? limit : [])],
      // A body may take a minute: a key that was revoked meanwhile spends nothing more.
      ...(method === "POST" && { preParsing: countAsJson, preHandler: authenticate }),
      schema: { response: { 200: answer.schema, "4xx": ERROR, "5xx": ERROR } },
      handler: handle,
    });
  }
}

function readJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/json",
    { parseAs: "buffer", bodyLimit: BODY_BYTES_MAX },
    (_request: FastifyRequest, bytes: Buffer, done) => {
      try {
        done(null, parseJsonBody(bytes));
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  );
}

/** A body is JSON whatever its header says, also when it says nothing or there is no body. */
function countAsJson(
  request: FastifyRequest,
  _reply: FastifyReply,
  payload: RequestPayload,
  done: (error: null, payload: RequestPayload) => void,
): void {
  request.headers["content-type"] = "application/json";
  done(null, payload);
}
