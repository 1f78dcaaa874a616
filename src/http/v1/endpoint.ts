import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiErrorCode } from "./errors.js";
import type { JsonSchema } from "./json-schema.js";

/** One endpoint of the API: how it answers, and what its reference says. */
export interface Endpoint {
  method: "GET" | "POST";
  /** Below `/v1`, as OpenAPI writes it: `/generations/{id}`. */
  path: string;
  /** How the reference and generated clients call it. */
  operationId: string;
  summary: string;
  description: string;
  needsKey: boolean;
  /** The parameters of the path, each with what it means and its schema. */
  parameters?: Readonly<Record<string, { description: string; schema: JsonSchema }>>;
  /** The body of a POST. */
  body?: { schema: JsonSchema; examples: Readonly<Record<string, unknown>> };
  /** The answer with status 200. */
  answer: { schema: JsonSchema; examples: Readonly<Record<string, unknown>> };
  /** The errors of its own, beside those of authentication and of the server. */
  errors: readonly ApiErrorCode[];
  /** Answers by returning the body, or by sending it. */
  handle(request: FastifyRequest, reply: FastifyReply): unknown;
}
