import { z } from "zod";
import type { Json } from "../../../src/catalogue/json.js";
import { reasonOf } from "../../../src/platform/errors.js";
import { detailOf, isSuccess } from "../../../src/providers/judge-status.js";
import type { Finding } from "./findings.js";
import {
  type Ask,
  missing,
  type PublishedFields,
  type PublishedModel,
  type Publisher,
  unreadable,
} from "./published.js";

/*
 * Source: https://fal.ai/models/ENDPOINT/llms.txt, which names the OpenAPI document of each endpoint. Its POST at
 * /ENDPOINT takes the schema of the input. It needs no key; https://api.fal.ai/v1/models/pricing does.
 */

const PAGE = "https://fal.ai/api/openapi/queue/openapi.json";
const REFERENCES = "#/components/schemas/";

const schemas = z.record(z.string(), z.unknown());
const openApi = z.looseObject({
  paths: z.record(z.string(), z.unknown()),
  components: z.looseObject({ schemas: schemas.nullish() }).nullish(),
});
const path = z.looseObject({
  post: z.looseObject({
    requestBody: z.looseObject({
      content: z.looseObject({ "application/json": z.looseObject({ schema: z.unknown() }) }),
    }),
  }),
});
const input = z.looseObject({ properties: schemas, required: z.array(z.string()).catch([]) });

/** The input of each endpoint of fal.ai. */
export const falSchemas: Publisher = {
  hosts: ["fal.ai"],
  page: `${PAGE}?endpoint_id=…`,
  notCompared: "fal tells prices only with a key: they are not compared",
  async read(ask, endpoints) {
    const found = new Map<string, PublishedModel | Finding>();
    for (const id of endpoints)
      found.set(id, await one(ask, id).catch((error: unknown) => unreadable(reasonOf(error))));
    return found;
  },
};

async function one(ask: Ask, endpoint: string): Promise<PublishedModel | Finding> {
  const answer = await ask(`${PAGE}?endpoint_id=${encodeURIComponent(endpoint)}`);
  if (answer.status === 404) return missing();
  if (!isSuccess(answer) || !answer.text.trim().startsWith("{")) return unreadable(detailOf(answer));
  // Patterns of strangers may take for ever.
  const document = JSON.parse(answer.text.replaceAll(REFERENCES, "#/definitions/"), (name, value: unknown) =>
    name === "pattern" && typeof value === "string" ? undefined : value,
  );
  const { success, data } = openApi.safeParse(document);
  if (!success) return unreadable("it is no OpenAPI document");
  const place = `/${endpoint}`;
  const operation = path.safeParse(Object.hasOwn(data.paths, place) ? data.paths[place] : undefined);
  if (!operation.success) return unreadable(`its document has no POST of ${place} with a JSON body`);
  const { schema } = operation.data.post.requestBody.content["application/json"];
  const fields = inputFields(schema, data.components?.schemas ?? {});
  return fields ? { fields, readsNoOther: true } : unreadable("the schema of its input has no properties");
}

/** Reads the fields of an input. Undefined where the schema tells none. */
export function inputFields(
  schema: unknown,
  definitions: Readonly<Record<string, unknown>>,
): PublishedFields | undefined {
  const reference = z
    .object({ $ref: z.string() })
    .safeParse(schema)
    .data?.$ref.slice("#/definitions/".length);
  const { data } = input.safeParse(
    reference !== undefined && Object.hasOwn(definitions, reference) ? definitions[reference] : schema,
  );
  if (!data) return undefined;
  return Object.fromEntries(
    Object.entries(data.properties).map(([name, given]) => {
      const { data: fallback } = z.looseObject({ default: z.json().optional() }).safeParse(given);
      const isRequired = data.required.includes(name);
      return [
        name,
        { isRequired, fallback: fallback?.default as Json | undefined, schema: schemaOf(given, definitions) },
      ];
    }),
  );
}

/** Reads a JSON Schema. What is written in another form limits nothing. */
function schemaOf(given: unknown, definitions: Readonly<Record<string, unknown>>): z.ZodType {
  try {
    return z.fromJSONSchema({ ...Object(given), definitions }, { defaultTarget: "openapi-3.0" });
  } catch {
    return z.unknown();
  }
}
