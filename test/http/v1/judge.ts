import { Ajv2020 } from "ajv/dist/2020.js";
import { loadCatalogue } from "../../../src/catalogue/catalogue.js";
import { publicTitle } from "../../../src/contract/model.js";
import { apiEndpoints } from "../../../src/http/api.js";
import { JsonBodies } from "../../../src/http/read-body.js";
import { openApiDocument } from "../../../src/http/v1/openapi.js";

/** What the API answered: judged by its own reference. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

interface Media {
  content: Record<string, { schema: object; examples?: Record<string, { value: unknown }> }>;
  description?: string;
}

export interface Operation {
  operationId: string;
  security?: object[];
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: Media;
  responses: Record<string, Media & { headers?: Record<string, object> }>;
}

/** As much of an OpenAPI document as the tests look at. */
export interface Reference {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
}

const nobody = () => {
  throw new Error("the reference asks the service nothing");
};
/** The stub provider of the tests stands in for the models, as the local renderer does. */
const models = loadCatalogue("data/catalogue.json").models.map((model) => ({
  ...model,
  title: publicTitle({ ...model, isPreview: true }),
}));

/** The reference of the API, as a client reads it. */
export const reference = JSON.parse(
  JSON.stringify(
    openApiDocument(
      apiEndpoints(
        {
          models,
          authenticate: nobody,
          balance: nobody,
          submit: nobody,
          submitKeyed: nobody,
          job: nobody,
        },
        new JsonBodies(new Set()),
      ),
      models,
      "http://127.0.0.1:8080/v1",
    ),
  ),
) as Reference;

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
ajv.addKeyword("components");
ajv.addSchema({ components: reference.components }, "openapi");

/** Makes a judge out of a schema of the reference. */
export function judgeOf(schema: object) {
  return ajv.compile(pointInto(schema));
}

/** References point into the whole document. */
function pointInto(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/')) as object;
}

const judges = new Map<object, ReturnType<typeof judgeOf>>();

/** @throws unless the reference knows the status of an answer, its body and its headers */
export function judgeAnswer(method: string, path: string, { status, headers, body }: Answer): void {
  const where = `${method} ${path} → ${status} ${JSON.stringify(body).slice(0, 300)}`;
  if (headers.get("content-type") !== "application/json; charset=utf-8") throw new Error(`${where}: no JSON`);
  if (headers.get("idempotency-key-retention") !== "86400") throw new Error(`${where}: no retention`);
  const operation = operationOf(method, path);
  const media = operation?.responses[status]?.content["application/json"];
  // An unknown path or method belongs to no operation: any of them says how it is answered.
  const schema = media?.schema ?? errorSchema(status);
  if (!schema) throw new Error(`${where}: the reference does not know it`);
  const judge = judges.get(schema) ?? judgeOf(schema);
  judges.set(schema, judge);
  if (!judge(body)) throw new Error(`${where}: ${JSON.stringify(judge.errors)}`);
}

function operationOf(method: string, path: string): Operation | undefined {
  const asked = path.split("?", 1)[0] ?? "";
  for (const [pattern, operations] of Object.entries(reference.paths)) {
    if (new RegExp(`^${pattern.replace(/\{\w+\}/g, "[^/]+")}$`).test(asked)) {
      return operations[method.toLowerCase()];
    }
  }
  return undefined;
}

function errorSchema(status: number): object | undefined {
  return reference.paths["/health"]?.get?.responses[status]?.content["application/json"]?.schema;
}
