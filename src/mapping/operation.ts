import { z } from "zod";
import type { Json } from "./json.js";
import type { OutputSpec, PollSchedule } from "./mapping.js";
import { outputSchema, pollSchema } from "./mapping.js";

/** An amount as the service counts it, such as 0.08 USD or 12 kie_credit. */
export interface Cost {
  amount: number;
  currency: string;
  /** Told by the service with the task, computed from its units, or taken from the catalogue. */
  source: "upstream" | "units" | "catalogue";
}

/** A generation request mapped for one service. Plain JSON: it is stored with its attempt. */
export interface Operation {
  api?: string;
  endpoint: string;
  input: { readonly [name: string]: Json };
  output: OutputSpec;
  poll: PollSchedule;
  /** How many files a task may bring. More are not fetched. Absent in rows of earlier releases. */
  takes?: number;
  /** What the catalogue expects it to cost. */
  cost?: Cost;
  /** The price of one unit, where the service tells the units of a task (fal). */
  unit?: { amount: number; currency: string };
  /** The prices of units of several kinds, by the names that the service's adapter gives them. */
  units?: { amounts: Readonly<Record<string, number>>; currency: string };
}

/** A file of a finished task, as the service tells it. */
export interface UpstreamFile {
  kind: "image" | "video" | "audio";
  /** An address, or the bytes themselves. */
  source: { url: string } | { base64: string };
  coverUrl?: string;
  title?: string;
  durationSec?: number;
}

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
