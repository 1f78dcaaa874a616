import { z } from "zod";
import type { Operation } from "./operation.js";
import { outputSchema, pollSchema } from "./route.js";

/** An operation as a row has it. */
export const operationSchema: z.ZodType<Operation> = z.object({
  api: z.string().exactOptional(),
  endpoint: z.string(),
  input: z.record(z.string(), z.json()),
  output: outputSchema,
  poll: pollSchema,
  takes: z.int().positive().exactOptional(),
  cost: z
    .object({ amount: z.number(), currency: z.string(), source: z.enum(["upstream", "units", "catalogue"]) })
    .exactOptional(),
  unit: z.object({ amount: z.number(), currency: z.string() }).exactOptional(),
  units: z.object({ amounts: z.record(z.string(), z.number()), currency: z.string() }).exactOptional(),
});
