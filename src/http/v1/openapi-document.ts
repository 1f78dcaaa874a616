import type { JsonSchema } from "./json-schema.js";

/** As much of an OpenAPI 3.1 document as this service writes. */
export interface OpenApiDocument {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  servers: readonly [{ url: string }];
  security: readonly Readonly<Record<string, readonly string[]>>[];
  /** Path → method in small letters → operation. */
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: {
    securitySchemes: Readonly<Record<string, object>>;
    schemas: Readonly<Record<string, JsonSchema>>;
  };
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  /** An empty list: it needs no key. Absent: what the document says. */
  security?: readonly never[];
  parameters?: readonly PathParameter[];
  requestBody?: { required: true; content: Content };
  /** Status → answer. */
  responses: Readonly<Record<string, Answer>>;
}

export interface PathParameter {
  name: string;
  in: "path";
  required: true;
  description: string;
  schema: JsonSchema;
}

export interface Answer {
  description: string;
  headers?: Readonly<Record<string, object>>;
  content: Content;
}

export type Content = Readonly<Record<"application/json", Media>>;

export interface Media {
  schema: JsonSchema;
  /** The examples of a refusal are named by their error codes. */
  examples: Readonly<Record<string, Example>>;
}

export interface Example {
  /** What an error code means. */
  summary?: string;
  value: unknown;
}
