import type { Model } from "../../contract/model.js";
import { IDEMPOTENCY_RETENTION_SEC } from "../../jobs/idempotent-submissions.js";
import { errorBody, STATUS_CODES } from "../errors.js";
import { PROMPT } from "./create-generation.js";
import type { Described, Endpoint, JsonSchema } from "./endpoint.js";
import { API_ERRORS, type ApiErrorCode, ERROR_EXAMPLES, SERVER_ERRORS } from "./errors.js";
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
  Prompt: PROMPT,
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

/** Generators name their classes by it. */
const TAG = "Generation";

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
    info: {
      title: "Generation API",
      version: "v1",
      description: INTRODUCTION,
      contact: { name: "The operator of this service" },
      license: { name: "All rights reserved", identifier: "LicenseRef-All-Rights-Reserved" },
    },
    servers: [{ url: baseUrl }] as const,
    tags: [{ name: TAG, description: "Every endpoint of the API" }],
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
      schemas: Object.fromEntries([
        ...Object.entries(SCHEMAS).map(([name, schema]) => [name, withReferences(schema, name)] as const),
        ...endpoints.flatMap(schemasOf),
      ]),
    },
  };
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

type NamedSchema = readonly [name: string, schema: JsonSchema];

/** Names every body of an operation: what a generator makes of it then has a name. */
function schemasOf(endpoint: Endpoint): readonly NamedSchema[] {
  const { body, answer } = endpoint;
  const kinds = Object.entries(body?.kinds ?? {});
  return [
    ...kinds.map(([name, schema]) => [name, withReferences(schema)] as const),
    ...(body ? [[body.name, { anyOf: kinds.map(([name]) => referenceTo(name)) }] as const] : []),
    [answerName(endpoint), withReferences(answer.schema)],
    ...refusalsOf(endpoint).map(({ name, codes }) => [name, errorSchema(codes)] as const),
  ];
}

function answerName({ operationId }: Endpoint): string {
  return `${capitalised(operationId)}Answer`;
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function referenceTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function errorSchema(codes: readonly ApiErrorCode[]): JsonSchema {
  return { allOf: [referenceTo("Error"), { type: "object", properties: { error: { enum: codes } } }] };
}

interface Refusal {
  status: number;
  /** Names its schema, which operations share where none has codes of its own with the status. */
  name: string;
  codes: readonly ApiErrorCode[];
}

function refusalsOf({ operationId, needsKey, errors }: Endpoint): readonly Refusal[] {
  const common = [...(needsKey ? AUTHENTICATION_ERRORS : []), ...SERVER_ERRORS];
  const byStatus = Map.groupBy([...errors, ...common], (code) => API_ERRORS[code].status);
  return [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, codes]) => {
      const words = (STATUS_CODES[status] ?? `${status}`).replaceAll(/[^A-Za-z]/g, "");
      const isOwn = codes.some((code) => errors.includes(code));
      return { status, name: `${isOwn ? capitalised(operationId) : ""}${words}`, codes };
    });
}

function operationOf(endpoint: Endpoint, models: readonly Model[]) {
  const { operationId, summary, description, needsKey, body, answer } = endpoint;
  const parameters = parametersOf(endpoint);
  return {
    operationId,
    tags: [TAG],
    summary,
    description,
    ...(!needsKey && { security: [] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: true, content: contentOf(body.name, examplesOf(body.examples(models))) },
    }),
    responses: {
      200: {
        description: "OK",
        headers: { ...RETENTION, ...answer.headers },
        content: contentOf(answerName(endpoint), examplesOf(answer.examples(models))),
      },
      ...Object.fromEntries(refusalsOf(endpoint).map((refusal) => [refusal.status, responseOf(refusal)])),
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

function contentOf(name: string, examples: Readonly<Record<string, Example>>) {
  return { "application/json": { schema: referenceTo(name), examples } };
}

function examplesOf(values: Readonly<Record<string, unknown>>): Readonly<Record<string, Example>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }]));
}

function responseOf({ status, name, codes }: Refusal) {
  const examples = Object.fromEntries(codes.map((code) => [code, exampleOf(code)]));
  return {
    description: codes.map((code) => `\`${code}\`: ${API_ERRORS[code].meaning}.`).join("\n\n"),
    headers: { ...RETENTION, ...HEADERS[status] },
    content: contentOf(name, examples),
  };
}

function exampleOf(code: ApiErrorCode): Example {
  const { meaning } = API_ERRORS[code];
  return { summary: meaning, value: { ...errorBody(code, meaning), ...ERROR_EXAMPLES[code] } };
}

/** Replaces named schemas with references, except `itself`. */
function withReferences(schema: JsonSchema, itself?: string): JsonSchema {
  const replace = (node: unknown): unknown => {
    const [name] = Object.entries(SCHEMAS).find(([, named]) => named === node) ?? [];
    if (name !== undefined && name !== itself) return referenceTo(name);
    if (Array.isArray(node)) return node.map(replace);
    if (typeof node !== "object" || node === null) return node;
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, replace(value)]));
  };
  return replace(schema) as JsonSchema;
}
