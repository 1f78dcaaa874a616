import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Clock } from "../platform/clock.js";
import { MEGABYTE } from "../platform/units.js";
import type { Callbacks } from "../ports/callbacks.js";
import { refuse } from "./errors.js";
import { HookLimit } from "./hook-limit.js";

export interface HookOptions {
  callbacks?: Callbacks | undefined;
  clock: Clock;
}

interface HookParameters {
  name: string;
  token?: string;
}

/** The most bytes of a body, far above what a service says of a task. */
const BODY_BYTES_MAX = MEGABYTE / 4;

/**
 * Serves `/hooks/NAME/TOKEN`, which services call when a task has ended. Nothing of the body is kept, and the answer is
 * the same for everybody. A call is heeded after its answer, whose time does not tell whether the token is known.
 */
export function hookRoutes(app: FastifyInstance, { callbacks, clock }: HookOptions): void {
  const limit = new HookLimit(clock);
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, body, done) => drain(body, done));
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
  const { name, token } = request.params as HookParameters;
  if (token === undefined) return;
  if (limit.take(request.ip)) callbacks.take(name, token);
  else callbacks.drop(name);
}

class TooLargeError extends Error {
  readonly statusCode = 413;
}

function drain(body: IncomingMessage, done: (error: Error | null) => void): void {
  let bytes = 0;
  const end = (error: Error | null) => {
    body.off("data", onData).off("end", onEnd).off("error", end);
    // Discards the rest.
    body.resume();
    done(error);
  };
  const onEnd = () => end(null);
  const onData = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) end(new TooLargeError("the body is too large"));
  };
  body.on("data", onData).once("end", onEnd).once("error", end);
}
