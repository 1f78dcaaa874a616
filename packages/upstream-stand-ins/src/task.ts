import { z } from "zod";
import { fileSpecSchema } from "./files.js";
import { SERVICE_NAMES } from "./service-name.js";

const problem = z.object({
  field: z.string(),
  kind: z.enum(["missing", "type", "choice", "short", "long", "small", "large", "rule"]),
  expected: z.string(),
});

/** How a task ends when its time has come. */
const outcome = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("made") }),
  /** The service's policy forbids it. */
  z.object({ kind: z.literal("policy") }),
  /** The model refuses its input. */
  z.object({ kind: z.literal("input"), problems: z.array(problem) }),
  /** A picture that it was given cannot be read. */
  z.object({ kind: z.literal("reference"), field: z.string() }),
  z.object({ kind: z.literal("failed") }),
  /** It was not started in the time that the client gave it. */
  z.object({ kind: z.literal("not-started") }),
]);

export const taskSchema = z.object({
  id: z.string(),
  service: z.enum(SERVICE_NAMES),
  api: z.string(),
  endpoint: z.string(),
  input: z.record(z.string(), z.unknown()),
  callbackUrl: z.string().optional(),
  acceptedAt: z.number(),
  queueMs: z.number(),
  runMs: z.number(),
  /** Place in the queue at the start. */
  queueLength: z.number(),
  outcome,
  files: z.array(fileSpecSchema),
  price: z.object({ amount: z.number(), currency: z.string() }),
  /** What it was counted as, in the service's own units. */
  units: z.number(),
  /** Faults of this task and how often each is still to strike. */
  faults: z.record(z.string(), z.number()),
  cancelledAt: z.number().optional(),
  /** The service has forgotten it. */
  isForgotten: z.boolean(),
});

/** A task that a service accepted. */
export type Task = z.infer<typeof taskSchema>;
export type Outcome = Task["outcome"];

export type Phase =
  | { kind: "queued"; position: number }
  | { kind: "running"; progress: number }
  | { kind: "ended"; at: number }
  | { kind: "cancelled" };

/** Returns the phase of a task at a moment. */
export function phaseOf(task: Task, now: number): Phase {
  if (task.cancelledAt !== undefined) return { kind: "cancelled" };
  const age = now - task.acceptedAt;
  if (age < task.queueMs) {
    return { kind: "queued", position: Math.ceil(task.queueLength * (1 - age / task.queueMs)) };
  }
  if (age < task.queueMs + task.runMs)
    return { kind: "running", progress: (age - task.queueMs) / task.runMs };
  return { kind: "ended", at: task.acceptedAt + task.queueMs + task.runMs };
}
