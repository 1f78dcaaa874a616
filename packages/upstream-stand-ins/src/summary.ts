import type { ServiceSummary, StandInSummary, TaskSummary } from "@atelier/telegram-sandbox";
import type { Dialect } from "./dialect.js";
import type { UpstreamState } from "./state.js";
import { phaseOf, type Task } from "./task.js";

const TASKS_TOLD_MAX = 12;
/** What a service takes nothing for. */
const UNCHARGED: ReadonlySet<TaskSummary["state"]> = new Set(["refused", "failed", "cancelled"]);

/** What a person at the demo wants to see of the services. */
export function summaryOf(
  state: UpstreamState,
  dialects: readonly Pick<Dialect, "name" | "currency">[],
): StandInSummary {
  const tasks = [...state.tasks.values()].map((task) => taskSummary(task, state.time.now()));
  const service = (dialect: Pick<Dialect, "name" | "currency">) => serviceSummary(state, dialect, tasks);
  return {
    services: dialects.map(service),
    tasks: tasks.slice(-TASKS_TOLD_MAX).reverse(),
    orders: state.faults.list(),
  };
}

function serviceSummary(
  state: UpstreamState,
  { name, currency }: Pick<Dialect, "name" | "currency">,
  tasks: readonly TaskSummary[],
): ServiceSummary {
  const own = tasks.filter(({ service }) => service === name);
  const charged = own.filter(({ state }) => !UNCHARGED.has(state));
  const amount = charged.reduce((sum, { price }) => sum + price.amount, 0);
  const countOf = (wanted: TaskSummary["state"]) => own.filter((task) => task.state === wanted).length;
  return {
    name,
    account: state.account(name),
    isDown: state.isDown(name),
    waiting: countOf("waiting"),
    running: countOf("running"),
    spent: { amount, currency },
  };
}

function taskSummary(task: Task, now: number): TaskSummary {
  const { id, service, endpoint, price } = task;
  return { id, service, endpoint, price, ...stateOf(task, now) };
}

function stateOf(task: Task, now: number): Pick<TaskSummary, "state" | "position" | "progress"> {
  if (task.isForgotten) return { state: "lost" };
  const phase = phaseOf(task, now);
  if (phase.kind === "queued") return { state: "waiting", position: phase.position };
  if (phase.kind === "running") return { state: "running", progress: phase.progress };
  if (phase.kind === "cancelled") return { state: "cancelled" };
  const { outcome, files } = task;
  if (outcome.kind === "policy" || outcome.kind === "input" || outcome.kind === "reference")
    return { state: "refused" };
  return { state: outcome.kind === "made" && files.length > 0 ? "made" : "failed" };
}
