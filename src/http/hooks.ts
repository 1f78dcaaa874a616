import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../platform/clock.js";
import { parseJson } from "../platform/json.js";
import { MEGABYTE, SECOND_MS } from "../platform/units.js";
import type { Callbacks } from "../providers/callbacks.js";
import type { TillHooks } from "../tills/till.js";
import { hostOf } from "./connections.js";
import { refuse } from "./errors.js";

const WINDOW_MS = 10 * SECOND_MS;
/** The most calls of a host: several times what a service calls when hundreds of tasks end in a minute. */
const HOST_MAX = 300;
const ALL_MAX = 1000;

/** Limits how many callbacks are looked at, by address and in all, in windows of ten seconds. */
export class HookLimit {
  #startedAt = Number.NEGATIVE_INFINITY;
  readonly #byHost = new Map<string, number>();
  #all = 0;

  constructor(private readonly clock: Clock) {}

  /** Counts one call. Returns false for one that is not looked at. */
  take(address: string): boolean {
    const now = this.clock.monotonic();
    if (now - this.#startedAt >= WINDOW_MS) {
      this.#startedAt = now;
      this.#byHost.clear();
      this.#all = 0;
    }
    const host = hostOf(address);
    const ofHost = this.#byHost.get(host) ?? 0;
    if (ofHost >= HOST_MAX || this.#all >= ALL_MAX) return false;
    this.#byHost.set(host, ofHost + 1);
    this.#all += 1;
    return true;
  }
}

/** The most bytes of a body, far above what a service says of a task. */
const BODY_BYTES_MAX = MEGABYTE / 4;

/**
 * Serves `/hooks/NAME/TOKEN`, which services call when a task has ended. Nothing of the body is kept, and the answer is
 * the same for everybody. A call is heeded after its answer, whose time does not tell whether the token is known.
 */
export function hookRoutes(app: FastifyInstance, clock: Clock, callbacks?: Callbacks | undefined): void {
  const limit = new HookLimit(clock);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request: FastifyRequest, body: IncomingMessage) => drain(body));
    scope.addHook("onRequest", ({ headers }, reply, done) => {
      if (Number(headers["content-length"] ?? 0) <= BODY_BYTES_MAX) done();
      else refuse(reply.header("connection", "close"), 413);
    });
    scope.addHook("onResponse", (request, { statusCode }, done) => {
      if (callbacks && request.method === "POST" && statusCode === 200) heed(request, callbacks, limit);
      done();
    });
    // Without a token it is the address of tasks that nobody is called about.
    for (const url of ["/hooks/:name", "/hooks/:name/:token"])
      scope.route({
        method: ["GET", "HEAD", "POST"],
        url,
        handler: (_request, reply) => reply.code(200).send(),
      });
  });
}

function heed(request: FastifyRequest, callbacks: Callbacks, limit: HookLimit): void {
  const { name, token } = request.params as { name: string; token?: string };
  if (token === undefined) return;
  if (limit.take(request.ip)) callbacks.take(name, token);
  else callbacks.drop(name);
}

class TooLargeError extends Error {
  readonly statusCode = 413;
}

/** Reads a body and keeps nothing of it. */
async function drain(body: IncomingMessage): Promise<void> {
  const chunks: AsyncIterable<Buffer> = body.iterator({ destroyOnReturn: false });
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) throw new TooLargeError("the body is too large");
    }
  } finally {
    // Discards the rest.
    body.resume();
  }
}

/** The most bytes of a notification, far above what a service tells of a payment. */
const TILL_BODY_BYTES_MAX = 64 * 1024;

/**
 * Serves `/hooks/tills/NAME/TOKEN`, which a payment service calls when money has moved. The answer is 200 for everybody and
 * whatever the body says. A call is heeded after its answer.
 */
export function tillHookRoutes(app: FastifyInstance, clock: Clock, hooks?: TillHooks | undefined): void {
  const limit = new HookLimit(clock);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "string", bodyLimit: TILL_BODY_BYTES_MAX },
      (_request, body, done) => done(null, body),
    );
    scope.setErrorHandler(
      (_error, _request, reply) => void reply.header("connection", "close").code(200).send(),
    );
    scope.addHook("onResponse", (request, _reply, done) => {
      const { till, token } = request.params as { till: string; token: string };
      const body = typeof request.body === "string" ? parseJson(request.body) : undefined;
      if (hooks && body !== undefined && limit.take(request.ip)) hooks.take(till, token, body);
      done();
    });
    scope.post("/hooks/tills/:till/:token", (_request, reply) => reply.code(200).send());
  });
}
