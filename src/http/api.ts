import type { IncomingMessage } from "node:http";
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  RequestPayload,
} from "fastify";
import type { JobId } from "../contract/job.js";
import type { Api } from "../jobs/api.js";
import type { Clock } from "../platform/clock.js";
import { Budgets } from "../platform/rate-limit.js";
import { MINUTE_MS } from "../platform/units.js";
import { BodyBudget, BodyReservation, JsonBodies, readBody } from "./read-body.js";
import { balanceEndpoint } from "./v1/balance.js";
import { createGenerationEndpoint } from "./v1/create-generation.js";
import { authenticator, callerOf, type Endpoint } from "./v1/endpoint.js";
import { answerApiError, sendError } from "./v1/errors.js";
import { getGenerationEndpoint } from "./v1/get-generation.js";
import { healthEndpoint } from "./v1/health.js";
import { modelsEndpoint } from "./v1/models.js";

function rateLimiter(perMinute: number, clock: Clock) {
  const budgets = new Budgets<number>(clock, { most: perMinute, withinMs: MINUTE_MS });
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const waitMs = budgets.take(callerOf(request).accountId);
    if (waitMs === 0) done();
    else sendError(reply.header("retry-after", Math.max(1, Math.ceil(waitMs / 1000))), "rate_limited");
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** The reservation of a POST. */
    bodyReservation: BodyReservation | null;
    /** Hash of the body of a POST. */
    bodyFingerprint: string;
    /** The jobs that an answer shows or made, for the log; null where there are none. */
    jobIds: readonly JobId[] | null;
  }
}

interface ApiOptions {
  endpoints: readonly Endpoint[];
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

export function apiRoutes(scope: FastifyInstance, options: ApiOptions): void {
  const { endpoints, api, rateLimitPerMinute, clock } = options;
  scope.decorateRequest("caller", null);
  scope.decorateRequest("bodyReservation", null);
  scope.decorateRequest("bodyFingerprint", "");
  scope.decorateRequest("jobIds", null);
  scope.setErrorHandler(answerApiError);
  readJson(scope);
  const authenticate = authenticator(api);
  const prepareBody = bodyPreparation(new BodyBudget());
  const limit = rateLimitPerMinute > 0 ? [rateLimiter(rateLimitPerMinute, clock)] : [];
  for (const { method, path, needsKey, handle } of endpoints) {
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
