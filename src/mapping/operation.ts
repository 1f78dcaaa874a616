import { z } from "zod";
import type { Json } from "./json.js";
import type { OutputSpec, PollSchedule } from "./mapping.js";
import { outputSchema, pollSchema } from "./mapping.js";

/** Amount as the service counts it, such as 0.08 USD or 12 kie_credit. */
export interface Cost {
  amount: number;
  currency: string;
  /** Origin: told by the service with the task, computed from units, or taken from the catalogue. */
  source: "upstream" | "units" | "catalogue";
}

/** Generation request mapped for one service. Plain JSON: it is stored with its attempt. */
export interface Operation {
  api?: string;
  endpoint: string;
  input: { readonly [name: string]: Json };
  output: OutputSpec;
  poll: PollSchedule;
  /** Limits the files that are fetched of a task. Absent in rows of earlier releases. */
  takes?: number;
  cost?: Cost;
  /** Price of one unit, where the service tells the units of a task (fal). */
  unit?: { amount: number; currency: string };
  /** Prices of units of several kinds, by the names that the service's adapter gives them. */
  units?: { amounts: Readonly<Record<string, number>>; currency: string };
}

/** File of a finished task, as the service tells it. */
export interface UpstreamFile {
  kind: "image" | "video" | "audio";
  source: { url: string } | { base64: string };
  coverUrl?: string;
  title?: string;
  durationSec?: number;
}

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
