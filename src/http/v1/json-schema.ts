import { z } from "zod";

/** A JSON Schema (2020-12, as OpenAPI 3.1 uses it). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What zod describes, as a JSON Schema. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { override: ({ jsonSchema }) => merge(jsonSchema) });
  return rest;
}

/** The schema of an answer with status 200: `ok` and these fields. */
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

/**
 * Writes a choice between different types as one schema with several types, which means the same and can be
 * serialized without trying one after the other.
 */
function merge(schema: Record<string, unknown>): void {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return;
  const branches = anyOf as Record<string, unknown>[];
  const types = branches.map(({ type }) => type);
  if (!types.every((type) => typeof type === "string") || new Set(types).size < types.length) return;
  delete schema.anyOf;
  Object.assign(schema, ...branches, { type: types });
}
