import type { UpstreamReference } from "../adapter.js";

/** The names that services give to the id of a task. */
const NAMES = ["request_id", "task_id", "prompt_id", "job_id", "id"] as const;

/** Tells whether two references are those of one task: other parts of them may differ. */
export function taskIdOf(reference: UpstreamReference): string {
  for (const name of NAMES) {
    const id = reference[name];
    if (typeof id === "string" || typeof id === "number") return String(id);
  }
  return JSON.stringify(reference);
}
