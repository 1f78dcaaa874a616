import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from "fastify";
import type { Clock } from "../../platform/clock.js";
import type { Api } from "../../ports/api.js";
import { authenticator, callerOf } from "./authentication.js";
import { balanceEndpoint } from "./balance.js";
import { BodyBudget, BodyReservation } from "./body-budget.js";
import { createGenerationEndpoint } from "./create-generation.js";
import type { Endpoint } from "./endpoint.js";
import { answerApiError } from "./errors.js";
import { getGenerationEndpoint } from "./get-generation.js";
import { healthEndpoint } from "./health.js";
import { JsonBodies } from "./json-body.js";
import { modelsEndpoint } from "./models.js";
import { RequestRateLimit, rateLimiter } from "./rate-limit.js";
import { readBody } from "./read-body.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The reservation of a POST. */
    bodyReservation: BodyReservation | null;
    /** Hash of the body of a POST. */
    bodyFingerprint: string;
  }
}

export interface ApiOptions {
  api: Api;
  rateLimitPerMinute: number;
  clock: Clock;
}

/** Lists the endpoints in the order of section 4. */
export function apiEndpoints(api: Api): readonly Endpoint[] {
  return [
    healthEndpoint(),
    balanceEndpoint(api),
    modelsEndpoint(api),
    createGenerationEndpoint(api),
    getGenerationEndpoint(api),
  ];
}

export function apiRoutes(app: FastifyInstance, options: ApiOptions): void {
  app.register(async (scope) => addRoutes(scope, options), { prefix: "/v1" });
}

function addRoutes(scope: FastifyInstance, { api, rateLimitPerMinute, clock }: ApiOptions): void {
  scope.decorateRequest("caller", null);
  scope.decorateRequest("bodyReservation", null);
  scope.decorateRequest("bodyFingerprint", "");
  scope.setErrorHandler(answerApiError);
  readJson(scope);
  const authenticate = authenticator(api);
  const prepareBody = bodyPreparation(new BodyBudget());
  const limit = rateLimitPerMinute > 0 ? [rateLimiter(new RequestRateLimit(rateLimitPerMinute, clock))] : [];
  for (const { method, path, needsKey, handle } of apiEndpoints(api)) {
    scope.route({
      method: method === "GET" ? ["GET", "HEAD"] : method,
      url: path.replace(/\{(\w+)\}/g, ":$1"),
      onRequest: [...(needsKey ? [authenticate] : []), ...(method === "POST" ? limit : [])],
      // A body may take a minute, and its key may be revoked meanwhile.
      ...(method === "POST" && { preParsing: prepareBody, preHandler: authenticate }),
      handler: handle,
    });
  }
}

function readJson(scope: FastifyInstance): void {
  const bodies = new JsonBodies();
  scope.addHook("onClose", () => bodies.close());
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    "application/json",
    async (request: FastifyRequest, payload: IncomingMessage) => {
      const { bodyReservation } = request;
      if (!bodyReservation) throw new Error("the route takes no body");
      const bytes = await readBody(payload, request.headers, bodyReservation);
      const { json, fingerprint } = await bodies.parse(bytes);
      request.bodyFingerprint = fingerprint;
      return json;
    },
  );
}

/** Returns a hook after authentication: reserves bytes for a body, and parses it as JSON whatever its type. */
function bodyPreparation(budget: BodyBudget) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: RequestPayload,
    done: (error: null, payload: RequestPayload) => void,
  ): void => {
    request.bodyReservation = new BodyReservation(budget, callerOf(request).accountId, reply.raw);
    // Without a type or a body, fastify would skip the parser.
    request.headers["content-type"] = "application/json";
    done(null, payload);
  };
}
