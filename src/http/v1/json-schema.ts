import { z } from "zod";

export type JsonSchema = Readonly<Record<string, unknown>>;

export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { override: ({ jsonSchema }) => merge(jsonSchema) });
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
