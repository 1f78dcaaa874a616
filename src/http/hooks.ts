import type { FastifyInstance } from "fastify";

/** Far above the results of any service; nothing of a body is kept. */
const HOOK_BODY_BYTES_MAX = 1024 * 1024;

/**
 * `/hooks/NAME`: the address that some services insist on calling when a task has ended. It answers and does
 * nothing: anybody can call it, and the service is asked for its tasks anyway.
 */
export function hookRoutes(app: FastifyInstance): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: HOOK_BODY_BYTES_MAX },
      (_request, _body, done) => done(null),
    );
    scope.route({
      method: ["GET", "HEAD", "POST"],
      url: "/hooks/:name",
      handler: (_request, reply) => reply.code(200).send(),
    });
  });
}
