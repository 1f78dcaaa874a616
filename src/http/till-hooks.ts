import type { FastifyInstance } from "fastify";
import type { Clock } from "../platform/clock.js";
import type { TillHooks } from "../ports/till.js";
import { HookLimit } from "./hook-limit.js";

export interface TillHookOptions {
  hooks?: TillHooks | undefined;
  clock: Clock;
}

interface TillHookParameters {
  till: string;
  token: string;
}

/** The most bytes of a notification, far above what a service tells of a payment. */
const BODY_BYTES_MAX = 64 * 1024;

/**
 * Serves `/hooks/tills/NAME/TOKEN`, which a payment service calls when money has moved. The answer is 200 for everybody and
 * whatever the body says. A call is heeded after its answer.
 */
export function tillHookRoutes(app: FastifyInstance, { hooks, clock }: TillHookOptions): void {
  const limit = new HookLimit(clock);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "string", bodyLimit: BODY_BYTES_MAX },
      (_request, body, done) => done(null, body),
    );
    scope.setErrorHandler(
      (_error, _request, reply) => void reply.header("connection", "close").code(200).send(),
    );
    scope.addHook("onResponse", (request, _reply, done) => {
      const { till, token } = request.params as TillHookParameters;
      const body = jsonOf(request.body);
      if (hooks && body !== undefined && limit.take(request.ip)) hooks.take(till, token, body);
      done();
    });
    scope.post("/hooks/tills/:till/:token", (_request, reply) => reply.code(200).send());
  });
}

function jsonOf(body: unknown): unknown {
  if (typeof body !== "string") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
