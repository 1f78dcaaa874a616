import { z } from "zod";
import { whenSchema } from "./condition.js";
import { inputSchema } from "./value-schema.js";
import type { Workflow } from "./workflow.js";

export type { Json } from "./json.js";

/** JSON pointers into the document of a finished task; `*` stands for each element of a list. */
export const outputSchema = z.strictObject({
  kind: z.enum(["image", "video", "audio"]),
  /** Points to the address of each file, or to its base64 text. */
  files: z.string().startsWith("/"),
  encoding: z.enum(["url", "base64"]).default("url"),
  /** Of the tracks, in the order of `files`. */
  covers: z.string().startsWith("/").exactOptional(),
  titles: z.string().startsWith("/").exactOptional(),
  durations: z.string().startsWith("/").exactOptional(),
});
export type OutputSpec = z.infer<typeof outputSchema>;

const ms = z.int().positive();
export const pollSchema = z.strictObject({
  /** From the acceptance to the first poll, in ms: 10 s at most. */
  first_ms: ms.max(10_000),
  /** The following pauses; the last one repeats. */
  every_ms: z.array(ms).min(1),
  /** From the acceptance, in seconds. */
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
export const costSchema = z.strictObject({
  currency: z.string().regex(/^[A-Za-z_]{3,16}$/),
  /** `minute`: each one that has begun. */
  per: z.enum(["task", "second", "minute"]),
  by: z.array(z.string().min(1)).default([]),
  amount: costTableSchema,
  /**
   * The price of one unit, where the service tells the units of a task (fal: `x-fal-billable-units`, and the price
   * at https://api.fal.ai/v1/models/pricing). Without it `amount` is recorded.
   */
  unit: z.number().positive().max(COST_MAX).exactOptional(),
  /** The same for units of several kinds, such as tokens, by the names that the adapter gives them. */
  units: z.record(z.string().min(1), z.number().positive().max(COST_MAX)).exactOptional(),
  /** Where the price is told, unless the mapping's own `source` tells it. */
  source: z.url().exactOptional(),
});

/** How one use of a model is made by one service. The first mapping of a service whose `when` holds is taken. */
export const mappingSchema = z.strictObject({
  when: whenSchema.default({}),
  /** Which of the service's interfaces is called, where it has several (openai: `generations`, `edits`; comfyui: `workflow`). */
  api: z.string().min(1).exactOptional(),
  /** The model's id at the service, the path of the call, or the file of a workflow. */
  endpoint: z.string().min(1),
  /** The mapping: see value-schema. Its result is the body, the service's input object, or values of a workflow. */
  input: inputSchema,
  /** Fields that are left out on purpose → why nothing is lost by it. */
  ignores: z.record(z.string().min(1), z.string().min(1)).default({}),
  output: outputSchema,
  /** Maxima of texts (code points), of lists and of numbers, where they are below the model's own. */
  limits: z.record(z.string().min(1), z.int().positive()).default({}),
  /** Minima of texts (code points), where they are above the model's own. */
  minima: z.record(z.string().min(1), z.int().positive()).default({}),
  poll: pollSchema,
  cost: costSchema.exactOptional(),
  /** The version that really makes it, where it is another than the model's title says. */
  substitute: z.string().min(1).exactOptional(),
  /** Where the endpoint and its fields are documented. */
  source: z.url(),
  checked: z.iso.date(),
});
export type Mapping = z.infer<typeof mappingSchema> & {
  /** That `endpoint` names, where `api` is `workflow`: read with the catalogue. */
  workflow?: Workflow;
};
