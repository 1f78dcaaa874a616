import { z } from "zod";
import type { ParameterValue } from "../contract/model.js";
import type { GenerationRequest } from "../contract/request.js";
import { type Json, json } from "./json.js";
import type { Workflow } from "./workflow.js";

/** Accepts present or absent, or one of the listed values; null in a list stands for absent, and false for it too. */
const conditionSchema = z.union([
  z.boolean(),
  z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).min(1),
]);

/** Conditions by field of the request. A field with a list of values is refused with any other value. */
const whenSchema = z.record(z.string().min(1), conditionSchema);
type Condition = z.infer<typeof conditionSchema>;
export type When = z.infer<typeof whenSchema>;

/** Finds the first field whose condition does not hold, and how many held before it. */
export function brokenCondition(
  when: When,
  request: GenerationRequest,
): { field: string; held: number } | undefined {
  const conditions = Object.entries(when);
  const held = conditions.findIndex(([field, condition]) => !holds(condition, fieldOf(request, field)));
  const broken = conditions[held];
  return broken && { field: broken[0], held };
}

/** Returns undefined for an absent field and for an empty list. */
export function fieldOf(request: GenerationRequest, field: string): ParameterValue | undefined {
  const value = Object.hasOwn(request, field) ? request[field] : undefined;
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

function holds(condition: Condition, value: ParameterValue | undefined): boolean {
  if (typeof condition === "boolean") return condition === (value !== undefined);
  return condition.some((wanted) => wanted === (value ?? null) || (wanted === false && value === undefined));
}

export type Scalar = string | number | boolean | null;

const field = z.string().regex(/^[a-z][a-z0-9_]*$/, "must be the name of a field");
const value: z.ZodType<Value> = z.lazy(() => valueSchema);
const object = z.record(z.string().min(1), value);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const count = z.int().positive();

/** `ms` is of seconds, `words` of an id, and `title` the first line with words, 80 characters at most. */
const FORMS: readonly string[] = ["string", "number", "ms", "words", "title"];
const form = z
  .string()
  .refine(
    (text) => FORMS.includes(text) || text.includes("{}"),
    `must be ${FORMS.join(", ")}, or a text with {}`,
  );

/** Takes a field, snapped, then mapped, then written in a form. */
const fieldValue = z
  .strictObject({
    from: field,
    /** Snaps to one of these numbers, or to a multiple of one. A number beyond the list is refused, `nearest` aside. */
    snap: z.union([z.array(z.number()).min(1), z.number().positive()]).exactOptional(),
    to: z.enum(["up", "down", "nearest"]).exactOptional(),
    /** Maps values; a list stands for values that stay as they are. Others are refused without `else`. */
    map: z
      .union([z.record(z.string(), scalar), z.array(z.union([z.string(), z.number(), z.boolean()])).min(1)])
      .exactOptional(),
    else: scalar.exactOptional(),
    /** One of the forms, or a text in which `{}` stands for the value. */
    as: form.exactOptional(),
  })
  .refine(({ snap, to }) => (snap === undefined) === (to === undefined), "snap and to belong together")
  .refine(({ map, else: other }) => map !== undefined || other === undefined, "else needs map");
export type FieldValue = z.infer<typeof fieldValue>;

/** Computes sides for `aspect_ratio` and, where pixels depend on it, `resolution`, as `{ width, height }` or `WxH`. */
const size = z.strictObject({
  size: z.enum(["object", "WxH"]),
  /** Pixels of the image: one number, or by resolution. */
  pixels: z.union([count, z.record(z.string(), count)]),
  /** Multiple of which each side is; 1 by default. */
  multiple: count.exactOptional(),
  pixels_min: count.exactOptional(),
  pixels_max: count.exactOptional(),
  side_max: count.exactOptional(),
  /** Values by `RATIO RESOLUTION` or `RATIO`, taken instead. A ratio that is no W:H needs one. */
  presets: z.record(z.string(), json).exactOptional(),
});
export type SizeValue = z.infer<typeof size>;

/** Lists what is present, in this order; lists are spread. More than `max` is refused. */
export interface ListValue {
  list: readonly Value[];
  max?: number;
  /** Object for each element, which is `$item`. */
  each?: Readonly<Record<string, Value>>;
}

/** Joins texts that are present. More than `max` characters are refused. */
export interface JoinValue {
  join: readonly Value[];
  separator: string;
  max?: number;
}

export interface WhenValue {
  when: When;
  value: Value;
  else?: Value;
}

/**
 * Tells how one value of a service's input is made from a request. `"$name"` is the field itself; another text,
 * a number, a boolean or null stands for itself, and `const` for any JSON, also a text that begins with `$`.
 * An absent field is allowed only in `omit`, which leaves its name out, `list` and `join`.
 */
export type Value =
  | Scalar
  | { const: Json }
  | FieldValue
  | SizeValue
  | ListValue
  | JoinValue
  | { omit: Value }
  | WhenValue
  | { object: Readonly<Record<string, Value>> };

/** Lists the values that a value is made of, in their order. */
export function valuesIn(value: Value): readonly Value[] {
  if (typeof value !== "object" || value === null) return [];
  if ("list" in value) return [...value.list, ...Object.values(value.each ?? {})];
  if ("join" in value) return value.join;
  if ("omit" in value) return [value.omit];
  if ("when" in value) return value.else === undefined ? [value.value] : [value.value, value.else];
  return "object" in value ? Object.values(value.object) : [];
}

/** Maps the first key of each verb to its schema. */
const VERBS: Readonly<Record<string, z.ZodType<Value>>> = {
  const: z.strictObject({ const: json }),
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
const valueSchema: z.ZodType<Value> = z.unknown().transform((given, context): Value => {
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

/** JSON pointers into the document of a finished task; `*` stands for each element of a list. */
export const outputSchema = z.strictObject({
  kind: z.enum(["image", "video", "audio"]),
  /** Pointer to the address of each file, or to its base64 text. */
  files: z.string().startsWith("/"),
  encoding: z.enum(["url", "base64"]).default("url"),
  /** Pointer to the covers of the files, in the order of `files`. */
  covers: z.string().startsWith("/").exactOptional(),
  titles: z.string().startsWith("/").exactOptional(),
  durations: z.string().startsWith("/").exactOptional(),
});
export type OutputSpec = z.infer<typeof outputSchema>;

const ms = z.int().positive();
export const pollSchema = z.strictObject({
  /** Time from the acceptance to the first poll: 10 s at most. */
  first_ms: ms.max(10_000),
  /** The following pauses; the last one repeats. */
  every_ms: z.array(ms).min(1),
  /** Seconds from the acceptance to the deadline. */
  deadline_sec: z.int().positive(),
});
export type PollSchedule = z.infer<typeof pollSchema>;

/** Limits the cost of one task, in any currency. */
const COST_MAX = 1_000_000;
export type CostTable = number | { [value: string]: CostTable };
const costTableSchema: z.ZodType<CostTable> = z.lazy(() =>
  z.union([z.number().nonnegative().max(COST_MAX), z.record(z.string(), costTableSchema)]),
);

/** What the service asks for one task: an amount, or a table by the values of fields in the order of `by`. */
const costSchema = z.strictObject({
  currency: z.string().regex(/^[A-Za-z_]{3,16}$/),
  per: z.enum(["task", "second", "minute"]),
  by: z.array(z.string().min(1)).default([]),
  amount: costTableSchema,
  /**
   * Price of one unit, where the service tells the units of a task (fal: `x-fal-billable-units`, with the prices at
   * https://api.fal.ai/v1/models/pricing). Without it `amount` is recorded.
   */
  unit: z.number().positive().max(COST_MAX).exactOptional(),
  /** Prices of units of several kinds, such as tokens, by the names that the adapter gives them. */
  units: z.record(z.string().min(1), z.number().positive().max(COST_MAX)).exactOptional(),
  /** Page that tells the price, unless the mapping's own `source` tells it. */
  source: z.url().exactOptional(),
});

/** Tells how one service makes one use of a model. The first mapping of a service whose `when` holds is taken. */
export const mappingSchema = z.strictObject({
  when: whenSchema.default({}),
  /** Interface of the service, where it has several (openai: `generations`, `edits`; comfyui: `workflow`). */
  api: z.string().min(1).exactOptional(),
  /** Model id at the service, path of the call, or file of a workflow. */
  endpoint: z.string().min(1),
  /** Values of the body, of the service's input object or of a workflow. */
  input: inputSchema,
  /** Reasons why nothing is lost, by the field that is left out on purpose. */
  ignores: z.record(z.string().min(1), z.string().min(1)).default({}),
  output: outputSchema,
  /** Maxima of texts (code points), of lists and of numbers, where they are below the model's own. */
  limits: z.record(z.string().min(1), z.int().positive()).default({}),
  /** Minima of texts (code points), where they are above the model's own. */
  minima: z.record(z.string().min(1), z.int().positive()).default({}),
  poll: pollSchema,
  cost: costSchema.exactOptional(),
  /** Version that really makes it, where it is another than the model's title says. */
  substitute: z.string().min(1).exactOptional(),
  /** Page that documents the endpoint and its fields. */
  source: z.url(),
  checked: z.iso.date(),
});
export type Mapping = z.infer<typeof mappingSchema> & {
  /** Workflow that `endpoint` names where `api` is `workflow`, read with the catalogue. */
  workflow?: Workflow;
};
