import type { Model } from "../../contract/model.js";
import { IDEMPOTENCY_RETENTION_SEC } from "../../jobs/idempotent-submissions.js";
import { errorBody } from "../errors.js";
import type { Described, Endpoint, JsonSchema } from "./endpoint.js";
import { API_ERRORS, type ApiErrorCode, SERVER_ERRORS } from "./errors.js";
import { BALANCE, ERROR, JOB, JOB_ID, MODEL } from "./schemas.js";

type Headers = Readonly<Record<string, Described>>;

interface Example {
  summary?: string;
  value: unknown;
}

const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  Balance: BALANCE,
  Model: MODEL,
  Job: JOB,
  JobId: JOB_ID,
  Error: ERROR,
};

const AUTHENTICATION_ERRORS: readonly ApiErrorCode[] = ["api_key_required", "invalid_api_key"];

const RETENTION: Headers = {
  "Idempotency-Key-Retention": {
    description: "An extension of this service: for how many seconds an `Idempotency-Key` is remembered",
    schema: { type: "integer", const: IDEMPOTENCY_RETENTION_SEC },
  },
};

const HEADERS: Readonly<Record<string, Headers>> = {
  401: { "WWW-Authenticate": { description: "`Bearer`", schema: { type: "string" } } },
  405: { Allow: { description: "The methods of the path", schema: { type: "string" } } },
  429: { "Retry-After": { description: "Seconds to wait", schema: { type: "integer" } } },
  503: { "Retry-After": { description: "Seconds to wait", schema: { type: "integer" } } },
};

const INTRODUCTION = `Creates images, videos and music from parameters and charges a ruble balance.

Read the catalogue, submit a job, poll it until it is \`done\` or \`error\`, and download the file from its
temporary link. Look at the HTTP status first, then at \`error\`. There are no webhooks, and no endpoints to
list, cancel or delete jobs.`;

/** Writes the OpenAPI 3.1 document, made from the routes and the response schemas. `baseUrl` includes the version. */
export function openApiDocument(endpoints: readonly Endpoint[], models: readonly Model[], baseUrl: string) {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operationOf(endpoint, models),
    };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Generation API", version: "v1", description: INTRODUCTION },
    servers: [{ url: baseUrl }] as const,
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "`Authorization: Bearer <API_KEY>`. It decides alone where both headers are sent",
        },
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
      },
      schemas: Object.fromEntries(
        Object.entries(SCHEMAS).map(([name, schema]) => [name, withReferences(schema, name)]),
      ),
    },
  };
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

function operationOf(endpoint: Endpoint, models: readonly Model[]) {
  const { operationId, summary, description, needsKey, body, answer, errors } = endpoint;
  const parameters = parametersOf(endpoint);
  const codes = [...errors, ...(needsKey ? AUTHENTICATION_ERRORS : []), ...SERVER_ERRORS];
  return {
    operationId,
    summary,
    description,
    ...(!needsKey && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: true, content: contentOf(body.schema, examplesOf(body.examples(models))) },
    }),
    responses: {
      200: {
        description: "OK",
        headers: { ...RETENTION, ...answer.headers },
        content: contentOf(answer.schema, examplesOf(answer.examples(models))),
      },
      ...refusalsOf(codes),
    },
  };
}

function parametersOf({ parameters = {}, headers = {} }: Endpoint) {
  const places = [
    { place: "path", described: parameters },
    { place: "header", described: headers },
  ];
  return places.flatMap(({ place, described }) =>
    Object.entries(described).map(([name, { description, schema }]) => ({
      name,
      in: place,
      required: place === "path",
      description,
      schema: withReferences(schema),
    })),
  );
}

function contentOf(schema: JsonSchema, examples: Readonly<Record<string, Example>>) {
  return { "application/json": { schema: withReferences(schema), examples } };
}

function examplesOf(values: Readonly<Record<string, unknown>>): Readonly<Record<string, Example>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

function refusalsOf(codes: readonly ApiErrorCode[]) {
  const byStatus = Map.groupBy(codes, (code) => API_ERRORS[code].status);
  const ascending = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(ascending.map(([status, found]) => [status, refusalOf(status, found)]));
}

function refusalOf(status: number, codes: readonly ApiErrorCode[]) {
  const schema = {
    allOf: [
      { $ref: "#/components/schemas/Error" },
      { type: "object", properties: { error: { enum: codes } } },
    ],
  };
  const examples = Object.fromEntries(codes.map((code) => [code, exampleOf(code)]));
  return {
    description: codes.map((code) => `\`${code}\`: ${API_ERRORS[code].meaning}.`).join("\n\n"),
    headers: { ...RETENTION, ...HEADERS[status] },
    content: contentOf(schema, examples),
  };
}

function exampleOf(code: ApiErrorCode): Example {
  const { meaning, example } = API_ERRORS[code];
  return { summary: meaning, value: { ...errorBody(code, meaning), ...example } };
}

/** Replaces named schemas with references, except `itself`. */
function withReferences(schema: JsonSchema, itself?: string): JsonSchema {
  const replace = (node: unknown): unknown => {
    const [name] = Object.entries(SCHEMAS).find(([, named]) => named === node) ?? [];
    if (name !== undefined && name !== itself) return { $ref: `#/components/schemas/${name}` };
    if (Array.isArray(node)) return node.map(replace);
    if (typeof node !== "object" || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replace(value)]));
  };
  return replace(schema) as JsonSchema;
}
