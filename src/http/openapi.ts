import type { FastifyInstance } from "fastify";
import type { Api } from "../ports/api.js";
import { openApiDocument } from "./v1/openapi.js";
import type { OpenApiDocument } from "./v1/openapi-document.js";
import { apiEndpoints } from "./v1/routes.js";

export interface ReferenceOptions {
  api: Api;
  publicUrl: string;
}

export function apiReference({ api, publicUrl }: ReferenceOptions): OpenApiDocument {
  return openApiDocument(apiEndpoints(api), `${publicUrl}/v1`);
}

export function openApiRoute(app: FastifyInstance, reference: OpenApiDocument): void {
  const bytes = Buffer.from(JSON.stringify(reference));
  app.route({
    method: ["GET", "HEAD"],
    url: "/openapi.json",
    handler: (_request, reply) => reply.type("application/json; charset=utf-8").send(bytes),
  });
}
