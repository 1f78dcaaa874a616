import type { Command } from "commander";
import type { AttemptRecord } from "../core/core.js";
import { ATTEMPT_STATES } from "../ports/attempt-states.js";
import { CommandError } from "./command-error.js";
import type { Context } from "./context.js";
import { table } from "./text.js";
import { isoTime } from "./values.js";

/** Limits a line. A refusal may name many nodes or fields. */
const REASON_MAX = 300;

export function attemptCommands(program: Command, context: Context): void {
  const attempt = program.command("attempt").description("submissions of jobs to services");

  attempt
    .command("list")
    .description("every attempt, newest first")
    .option("--state <S>", `only those in a state: ${ATTEMPT_STATES.join(", ")}`)
    .action(async ({ state }: { state?: string }) => {
      const found = await context.withUpstreams((admin) => admin.attempts(readState(state)));
      context.answer({ json: found.map(attemptJson), text: attemptsText(found) });
    });
}

function readState(given: string | undefined) {
  const state = ATTEMPT_STATES.find((known) => known === given);
  if (given !== undefined && state === undefined)
    throw new CommandError(`${JSON.stringify(given)} is no state: ${ATTEMPT_STATES.join(", ")}`);
  return state;
}

function attemptJson({ id, jobId, provider, state, reference, isLate, submittedAt }: AttemptRecord) {
  return {
    attempt_id: id,
    job_id: String(jobId),
    provider,
    state,
    ref: reference,
    late: isLate,
    submitted_at: submittedAt === null ? null : isoTime(submittedAt),
  };
}

/** Writes attempts with the reason as well, which the fixed shape of `--json` lacks. */
function attemptsText(attempts: readonly AttemptRecord[]): string {
  const rows = attempts.map((attempt) => {
    const shown = attemptJson(attempt);
    return [
      shown.attempt_id,
      shown.job_id,
      shown.provider,
      shown.state,
      shown.late ? "late" : null,
      shown.submitted_at,
      shown.ref === null ? null : JSON.stringify(shown.ref),
      attempt.reason === null ? null : shortened(attempt.reason),
    ];
  });
  return table(["attempt", "job", "provider", "state", "late", "submitted", "reference", "reason"], rows);
}

function shortened(reason: string): string {
  const characters = [...reason];
  return characters.length > REASON_MAX ? `${characters.slice(0, REASON_MAX - 1).join("")}…` : reason;
}
