import { z } from "zod";
import type { Json } from "../../../catalogue/json.js";
import type { PublishedField, PublishedFields, PublishedWay } from "./published-model.js";

const number = z.number().nullish().catch(undefined);
const list = z.array(z.unknown()).nullish().catch(undefined);
const properties = z.record(z.string(), z.unknown());
/** The part of JSON Schema that says which values fit. What is written in another form limits nothing. */
const schemaPart = z.looseObject({
  $ref: z.string().optional().catch(undefined),
  type: z
    .union([z.string().transform((type) => [type]), z.array(z.string())])
    .optional()
    .catch(undefined),
  enum: z.array(z.json()).optional().catch(undefined),
  const: z.json().optional().catch(undefined),
  anyOf: list,
  oneOf: list,
  allOf: list,
  minimum: number,
  maximum: number,
  minLength: number,
  maxLength: number,
  minItems: number,
  maxItems: number,
  items: z.unknown().optional(),
  properties: properties.optional().catch(undefined),
  required: z.array(z.string()).optional().catch(undefined),
  nullable: z.boolean().optional().catch(undefined),
  default: z.json().optional().catch(undefined),
});
type SchemaPart = z.infer<typeof schemaPart>;
type Schemas = Readonly<Record<string, unknown>>;

/** The depth of schemas that are read: what is deeper, such as one that contains itself, limits nothing. */
const DEPTH_MAX = 8;
const REFERENCE = /^#\/components\/schemas\/([^/]+)$/;

/** Reads the fields of an input. Undefined where the schema tells none. */
export function inputFields(schema: unknown, schemas: Schemas): PublishedFields | undefined {
  const { properties: own, required = [] } = resolved(schema, schemas, 0);
  return own && fieldsOf(own, required, schemas, 0);
}

function fieldsOf(
  own: Readonly<Record<string, unknown>>,
  required: readonly string[],
  schemas: Schemas,
  depth: number,
): PublishedFields {
  return Object.fromEntries(
    Object.entries(own).map(([name, schema]): [string, PublishedField] => {
      const ways = waysOf(schema, schemas, depth + 1);
      const { default: fallback } = resolved(schema, schemas, depth + 1);
      return [name, { isRequired: required.includes(name), fallback: fallback as Json | undefined, ways }];
    }),
  );
}

/** Lists the ways to fill a field. Empty where any value fits. */
function waysOf(given: unknown, schemas: Schemas, depth: number): readonly PublishedWay[] {
  if (depth > DEPTH_MAX) return [];
  const part = resolved(given, schemas, depth);
  const alternatives = part.anyOf ?? part.oneOf;
  if (!alternatives) return wayOf(part, schemas, depth);
  const ways = alternatives.map((alternative) => waysOf(alternative, schemas, depth + 1));
  return ways.some((found) => found.length === 0) ? [] : ways.flat();
}

function wayOf(part: SchemaPart, schemas: Schemas, depth: number): readonly PublishedWay[] {
  const { type, properties: own, required = [], items } = part;
  const values = part.const === undefined ? part.enum : [part.const];
  const way: PublishedWay = {
    types: type && [...type, ...(part.nullable ? ["null"] : [])],
    values: values as readonly Json[] | undefined,
    min: part.minimum ?? undefined,
    max: part.maximum ?? undefined,
    lengthMin: part.minLength ?? undefined,
    lengthMax: part.maxLength ?? undefined,
    countMin: part.minItems ?? undefined,
    countMax: part.maxItems ?? undefined,
    items: items === undefined ? undefined : waysOf(items, schemas, depth + 1),
    fields: own && fieldsOf(own, required, schemas, depth + 1),
  };
  return Object.values(way).some((limit) => limit !== undefined) ? [way] : [];
}

/** Resolves a reference, with what stands beside it; several of `allOf` as one. */
function resolved(given: unknown, schemas: Schemas, depth: number): SchemaPart {
  const { data: part = {} } = schemaPart.safeParse(given);
  if (depth > DEPTH_MAX) return {};
  const name = REFERENCE.exec(part.$ref ?? "")?.[1];
  const named = name !== undefined && Object.hasOwn(schemas, name) ? [schemas[name]] : [];
  const parts = [...named, ...(part.allOf ?? [])].map((one) => resolved(one, schemas, depth + 1));
  return Object.assign({}, ...parts, withoutAbsent(part));
}

function withoutAbsent(part: SchemaPart): SchemaPart {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined));
}
