import { z } from "zod";
import { whenSchema } from "./condition.js";
import type { Json } from "./json.js";
import type { Value } from "./value.js";

const field = z.string().regex(/^[a-z][a-z0-9_]*$/, "must be the name of a field");
const value: z.ZodType<Value> = z.lazy(() => valueSchema);
const object = z.record(z.string().min(1), value);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const count = z.int().positive();

const FORMS: readonly string[] = ["string", "number", "ms", "words", "title"];
const form = z
  .string()
  .refine(
    (text) => FORMS.includes(text) || text.includes("{}"),
    `must be ${FORMS.join(", ")}, or a text with {}`,
  );

const fieldValue = z
  .strictObject({
    from: field,
    snap: z.union([z.array(z.number()).min(1), z.number().positive()]).exactOptional(),
    to: z.enum(["up", "down", "nearest"]).exactOptional(),
    map: z
      .union([z.record(z.string(), scalar), z.array(z.union([z.string(), z.number(), z.boolean()])).min(1)])
      .exactOptional(),
    else: scalar.exactOptional(),
    as: form.exactOptional(),
  })
  .refine(({ snap, to }) => (snap === undefined) === (to === undefined), "snap and to belong together")
  .refine(({ map, else: other }) => map !== undefined || other === undefined, "else needs map");

const size = z.strictObject({
  size: z.enum(["object", "WxH"]),
  pixels: z.union([count, z.record(z.string(), count)]),
  multiple: count.exactOptional(),
  pixels_min: count.exactOptional(),
  pixels_max: count.exactOptional(),
  side_max: count.exactOptional(),
  presets: z.record(z.string(), z.json()).exactOptional(),
});

/** Maps the first key of each verb to its schema. */
const VERBS: Readonly<Record<string, z.ZodType<Value>>> = {
  const: z.strictObject({ const: z.json() }),
  from: fieldValue,
  size,
  list: z.strictObject({
    list: z.array(value).min(1),
    max: count.exactOptional(),
    each: object.exactOptional(),
  }),
  join: z.strictObject({ join: z.array(value).min(1), separator: z.string(), max: count.exactOptional() }),
  omit: z.strictObject({ omit: value }),
  when: z.strictObject({ when: whenSchema, value, else: value.exactOptional() }),
  object: z.strictObject({ object }),
};

/** Rejects an unknown verb, and an unknown key of a verb. */
export const valueSchema: z.ZodType<Value> = z.unknown().transform((given, context): Value => {
  if (!isObject(given)) return literalOf(given, context);
  const verb = Object.keys(VERBS).find((name) => Object.hasOwn(given, name));
  const schema = verb === undefined ? undefined : VERBS[verb];
  if (!schema) {
    context.addIssue({ code: "custom", message: `must hold one of ${Object.keys(VERBS).join(", ")}` });
    return z.NEVER;
  }
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) context.addIssue({ ...issue });
  return z.NEVER;
});

export const inputSchema = object;

function literalOf(given: unknown, context: z.RefinementCtx): Value {
  const parsed = scalar.safeParse(given);
  const isReference = typeof given === "string" && given.startsWith("$");
  if (parsed.success && (!isReference || field.safeParse(given.slice(1)).success)) return parsed.data;
  context.addIssue({
    code: "custom",
    message: "must be a text, a number, a boolean, null, $field or a verb",
  });
  return z.NEVER;
}

function isObject(given: unknown): given is Readonly<Record<string, Json>> {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}
