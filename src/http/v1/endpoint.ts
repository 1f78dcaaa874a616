import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Caller } from "../../accounts/key-store.js";
import { ContractError } from "../../contract/errors.js";
import type { JobId } from "../../contract/job.js";
import type { Model } from "../../contract/model.js";
import type { Api } from "../../jobs/api.js";
import type { ApiErrorCode } from "./errors.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The owner of the key, once it is known. */
    caller: Caller | null;
    /** The jobs that an answer shows or made, for the log; null where there are none. */
    jobIds: readonly JobId[] | null;
  }
}

const BEARER = /^bearer(?:[ \t]+(.*))?$/i;

/** Returns the owner of a valid key (section 5). Throws ContractError. */
export function authenticate(api: Pick<Api, "authenticate">, request: FastifyRequest): Caller {
  // Node keeps the first; a proxy before it may have judged the last.
  const isAmbiguous = (request.raw.headersDistinct.authorization?.length ?? 0) > 1;
  const key = isAmbiguous ? undefined : presentedKey(request);
  request.caller = (key && api.authenticate(key)) || null;
  if (request.caller) return request.caller;
  throw new ContractError(key === "" ? "api_key_required" : "invalid_api_key");
}

/** Reads the key. A Bearer header takes precedence, even if it is empty. */
function presentedKey({ headers }: FastifyRequest): string {
  const bearer = headers.authorization === undefined ? null : BEARER.exec(headers.authorization.trim());
  if (bearer) return (bearer[1] ?? "").trim();
  const key = headers["x-api-key"];
  return typeof key === "string" ? key.trim() : "";
}

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
  /** The kinds of body by their names in the document, and the name of any of them. */
  body?: { name: string; kinds: Readonly<Record<string, JsonSchema>>; examples: ExamplesOf };
  answer: {
    schema: JsonSchema;
    examples: ExamplesOf;
    headers?: Readonly<Record<string, Described>>;
  };
  /** Codes of errors, without those of authentication and of the server. */
  errors: readonly ApiErrorCode[];
  /** Returns the body, or sends it. */
  handle(request: FastifyRequest, reply: FastifyReply): unknown;
}

/** Examples of what is offered, by name. */
type ExamplesOf = (models: readonly Model[]) => Readonly<Record<string, unknown>>;

/** Builds something of the models anew when others are offered. */
export function perOffer<T>(api: Pick<Api, "models">, build: (models: Api["models"]) => T): () => T {
  let built: { models: Api["models"]; value: T } | undefined;
  return () => {
    const { models } = api;
    if (built?.models !== models) built = { models, value: build(models) };
    return built.value;
  };
}

export type JsonSchema = Readonly<Record<string, unknown>>;

export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    override: ({ jsonSchema }) => {
      merge(jsonSchema);
      // It says what its absence says, and a generated type with it takes any field.
      if (JSON.stringify(jsonSchema.additionalProperties) === "{}") delete jsonSchema.additionalProperties;
    },
  });
  return rest;
}

/** Builds the schema of a response with status 200: `ok` and these fields. */
export function okSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  return {
    type: "object",
    properties: { ok: { type: "boolean", const: true }, ...properties },
    required: ["ok", ...Object.keys(properties).filter((name) => !optional.includes(name))],
    additionalProperties: false,
  };
}

/** Merges a union of types into one schema with several types: equivalent, and shorter to read. */
function merge(schema: Record<string, unknown>): void {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return;
  const branches = anyOf as Record<string, unknown>[];
  const types = branches.map(({ type }) => type);
  if (!types.every((type) => typeof type === "string") || new Set(types).size < types.length) return;
  delete schema.anyOf;
  Object.assign(schema, ...branches, { type: types });
}
