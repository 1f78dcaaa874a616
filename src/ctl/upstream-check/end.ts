import type { PollSchedule } from "../../catalogue/mapping.js";
import type { SubmitJudgement } from "../../providers/submitter.js";
import type { GeneratedFile } from "../../workers/worker-pool.js";
import type { TaskEnd } from "./follow-task.js";

/** The outcome of the request. `failure` says why there is no file. */
export interface End {
  files: readonly GeneratedFile[];
  failure?: string;
}

export function unmade(failure: string): End {
  return { files: [], failure };
}

/** Describes the end of a POST that made no task, or of which nobody knows. */
export function submitEnd(judgement: Exclude<SubmitJudgement, { kind: "accepted" | "ready" }>): End {
  const { kind, detail } = judgement;
  if (kind === "ambiguous")
    return unmade(`ambiguous: nobody knows whether a task was made and will be paid for. ${detail}`);
  const reason =
    kind === "paused" ? ` (${judgement.reason})` : kind === "refused" ? ` (${judgement.refusal})` : "";
  return unmade(`${kind.replace("_", " ")}${reason}: nothing was made. ${detail}`);
}

/** Describes the end of a task without files. */
export function taskEnd(end: Exclude<TaskEnd, { kind: "ready" }>, poll: PollSchedule): End {
  switch (end.kind) {
    case "timeout":
      return unmade(`timeout: not ended within ${poll.deadline_sec} s; it may still be made and paid for`);
    case "interrupted":
      return unmade("interrupted: the task goes on at the service and will be paid for");
    case "refused":
      return unmade(`refused (${end.refusal}): ${end.detail}`);
    case "paused":
      return unmade(`paused (${end.reason}): ${end.detail}`);
    case "failed":
      return unmade(`failed: ${end.detail}`);
  }
}
