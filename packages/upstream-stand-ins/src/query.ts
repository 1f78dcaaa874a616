import { type Answer, type Call, type Delivery, html } from "./call.js";
import type { Dialect, TaskRoute } from "./dialect.js";
import { FAULTS, type FaultName } from "./faults.js";
import type { UpstreamState } from "./state.js";
import { phaseOf, type Task } from "./task.js";

const POLL_FAULTS = (Object.keys(FAULTS) as FaultName[]).filter((name) => FAULTS[name].at === "poll");

/** A question about a task, or its cancellation. */
export function query(
  state: UpstreamState,
  dialect: Dialect,
  route: TaskRoute,
  taskId: string,
  call: Call,
): { answer: Answer; delivery?: Delivery } {
  const task = state.tasks.get(taskId);
  if (!task || task.service !== dialect.name || task.isForgotten) return { answer: route.unknown(call) };
  const fault = route.isCancel ? undefined : faultOf(state, dialect, task);
  switch (fault) {
    case "poll-502":
      return { answer: html(502, "502 Bad Gateway") };
    case "poll-html":
      return { answer: html(200, "Just a moment...") };
    case "poll-429":
      return { answer: dialect.tooManyQueries };
    case "poll-drop":
      return { answer: { status: 200 }, delivery: "cut" };
    case "unknown-status":
      return { answer: route.strange(task, call) };
    case "late-record":
      return { answer: route.unknown(call) };
    case "forgotten":
      task.isForgotten = true;
      state.keep(task);
      return { answer: route.unknown(call) };
    default:
      return { answer: route.answer(task, phaseOf(task, state.time.now()), call) };
  }
}

function faultOf(state: UpstreamState, dialect: Dialect, task: Task): FaultName | undefined {
  return POLL_FAULTS.find((fault) => state.strike(task, fault)) ?? state.faults.take("poll", dialect.name)[0];
}

/** Cancels a task that waits. @returns false where it is too late, or was ordered to be */
export function cancelTask(state: UpstreamState, task: Task): boolean {
  const ordered =
    state.faults.take("cancel", task.service).length > 0 || state.strike(task, "cancel-too-late");
  const now = state.time.now();
  if (ordered || phaseOf(task, now).kind !== "queued") return false;
  task.cancelledAt = now;
  state.keep(task);
  return true;
}
