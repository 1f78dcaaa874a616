import { z } from "zod";
import { whenSchema } from "./condition.js";
import { inputSchema } from "./value-schema.js";
import type { Workflow } from "./workflow.js";

export type { Json } from "./json.js";

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
export const costSchema = z.strictObject({
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
  /** Values (see value-schema) of the body, of the service's input object or of a workflow. */
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
