import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiErrorCode } from "./errors.js";
import type { JsonSchema } from "./json-schema.js";

export interface Described {
  description: string;
  schema: JsonSchema;
}

export interface Endpoint {
  method: "GET" | "POST";
  /** The path after `/v1` in OpenAPI notation: `/generations/{id}`. */
  path: string;
  operationId: string;
  summary: string;
  description: string;
  needsKey: boolean;
  parameters?: Readonly<Record<string, Described>>;
  /** Optional request headers, except the key. */
  headers?: Readonly<Record<string, Described>>;
  body?: { schema: JsonSchema; examples: Readonly<Record<string, unknown>> };
  answer: {
    schema: JsonSchema;
    examples: Readonly<Record<string, unknown>>;
    headers?: Readonly<Record<string, Described>>;
  };
  /** Codes of errors, without those of authentication and of the server. */
  errors: readonly ApiErrorCode[];
  /** Returns the body, or sends it. */
  handle(request: FastifyRequest, reply: FastifyReply): unknown;
}
