import { z } from "zod";
import type { HttpAnswer } from "../../../platform/http-exchange.js";
import { readJson } from "../judge-status.js";

/** Parses `[number, id, prompt, extra data, outputs]`; lower numbers run first. */
const item = z.tuple([z.number(), z.string()], z.unknown());
const queue = z.looseObject({ queue_running: z.array(item), queue_pending: z.array(item) });
export type Queue = z.infer<typeof queue>;

export function readQueue(answer: HttpAnswer): Queue | undefined {
  return queue.safeParse(readJson(answer)).data;
}

/** Counts the prompts that run or wait before it. Undefined where the queue lacks it. */
export function placeInQueue(
  { queue_running: running, queue_pending: pending }: Queue,
  wanted: string,
): number | "running" | undefined {
  if (running.some(([, id]) => id === wanted)) return "running";
  const found = pending.find(([, id]) => id === wanted);
  if (!found) return undefined;
  // The list is a heap, so only its first element is in its place.
  return running.length + pending.filter(([number]) => number < found[0]).length;
}
