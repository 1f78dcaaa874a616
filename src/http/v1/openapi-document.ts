import type { JsonSchema } from "./json-schema.js";

/** The subset of OpenAPI 3.1 that this service writes. */
export interface OpenApiDocument {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  servers: readonly [{ url: string }];
  security: readonly Readonly<Record<string, readonly string[]>>[];
  /** Path → method in lower case → operation. */
  paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  components: {
    securitySchemes: Readonly<Record<string, object>>;
    schemas: Readonly<Record<string, JsonSchema>>;
  };
}

export interface OpenApiOperation {
  operationId: string;
  summary: string;
  description: string;
  /** Empty: no key needed. Absent: the document's default. */
  security?: readonly never[];
  parameters?: readonly Parameter[];
  requestBody?: { required: true; content: OpenApiContent };
  /** Status → response. */
  responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface Parameter {
  name: string;
  in: "path" | "header";
  required: boolean;
  description: string;
  schema: JsonSchema;
}

export interface OpenApiResponse {
  description: string;
  headers?: Readonly<Record<string, { description: string; schema: JsonSchema }>>;
  content: OpenApiContent;
}

export type OpenApiContent = Readonly<Record<"application/json", OpenApiMedia>>;

export interface OpenApiMedia {
  schema: JsonSchema;
  examples: Readonly<Record<string, Example>>;
}

export interface Example {
  summary?: string;
  value: unknown;
}
