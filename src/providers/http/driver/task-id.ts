import type { UpstreamReference } from "../adapter.js";

const NAMES = ["request_id", "task_id", "prompt_id", "job_id", "id"] as const;

/** Identifies the task of a reference: other parts of references may differ. */
export function taskIdOf(reference: UpstreamReference): string {
  for (const name of NAMES) {
    const id = reference[name];
    if (typeof id === "string" || typeof id === "number") return String(id);
  }
  return JSON.stringify(reference);
}
