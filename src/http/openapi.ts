import type { FastifyInstance } from "fastify";
import { openApiDocument } from "./v1/openapi.js";
import { type Api, apiEndpoints } from "./v1/routes.js";

export interface OpenApiOptions {
  api: Api;
  /** What links begin with. */
  publicUrl: string;
}

/** `/openapi.json`: the reference of the API for programs, made once. */
export function openApiRoute(app: FastifyInstance, { api, publicUrl }: OpenApiOptions): void {
  const bytes = Buffer.from(JSON.stringify(openApiDocument(apiEndpoints(api), `${publicUrl}/v1`)));
  app.route({
    method: ["GET", "HEAD"],
    url: "/openapi.json",
    handler: (_request, reply) => reply.type("application/json; charset=utf-8").send(bytes),
  });
}
