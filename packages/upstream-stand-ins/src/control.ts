import type { FaultHelp, ServiceSummary, StandInSummary, TaskSummary } from "@atelier/telegram-sandbox";
import { z } from "zod";
import { type Answer, type Call, json } from "./call.js";
import type { Dialect } from "./dialect.js";
import { FAULTS_IN_PROMPTS, isFaultName } from "./faults.js";
import { ACCOUNT_STATES } from "./journal.js";
import { SERVICE_NAMES } from "./service-name.js";
import type { UpstreamState } from "./state.js";
import { phaseOf, type Task } from "./task.js";

const TASKS_TOLD_MAX = 12;
/** What a service takes nothing for. */
const UNCHARGED: ReadonlySet<TaskSummary["state"]> = new Set(["refused", "failed", "cancelled"]);

/** What a person at the demo wants to see of the services. */
function summaryOf(
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

const faultSchema = z.strictObject({
  fault: z.string().refine(isFaultName),
  service: z.enum(SERVICE_NAMES).exactOptional(),
  times: z.int().positive().exactOptional(),
});
/** The orders that are meant; all of them without a body. */
const whichSchema = z
  .strictObject({ fault: z.string().exactOptional(), service: z.enum(SERVICE_NAMES).exactOptional() })
  .optional();
const accountSchema = z.strictObject({ service: z.enum(SERVICE_NAMES), state: z.enum(ACCOUNT_STATES) });
const downSchema = z.strictObject({ service: z.enum(SERVICE_NAMES), isDown: z.boolean() });
const advanceSchema = z.strictObject({ ms: z.number().nonnegative() });
const forgetSchema = z.strictObject({ service: z.enum(SERVICE_NAMES) });

/**
 * The control API over HTTP, for tests in another process:
 *
 *   GET    /control/ledger     accepted POSTs
 *   GET    /control/tasks      tasks with their phase
 *   GET    /control/summary    services, latest tasks and ordered faults, for a person
 *   GET    /control/calls      every request
 *   GET    /control/breaches   misspelt and refused fields, and other costly mistakes
 *   DELETE /control/breaches   takes them, and answers them
 *   POST   /control/faults     { fault, service?, times? } of the next requests
 *   GET    /control/faults     ordered faults, and those that a prompt may order
 *   DELETE /control/faults     { fault?, service? }: takes these orders back, or all
 *   POST   /control/account    { service, state }: good, no-credit, locked or wrong-key
 *   POST   /control/down       { service, isDown }: takes no connection
 *   POST   /control/advance    { ms }: moves all tasks on
 *   POST   /control/forget     { service }: the service loses its tasks, as in a restart
 */
export class Control {
  readonly #deeds: Readonly<Record<string, (body: unknown) => unknown>>;

  constructor(
    private readonly state: UpstreamState,
    /** Services in the summary. */
    dialects: readonly Pick<Dialect, "name" | "currency">[],
  ) {
    this.#deeds = {
      "GET /control/ledger": () => state.ledger,
      "GET /control/tasks": () => this.tasks(),
      "GET /control/summary": () => summaryOf(state, dialects),
      "GET /control/calls": () => state.calls.list,
      "GET /control/breaches": () => state.breaches,
      "DELETE /control/breaches": () => state.breaches.splice(0),
      "POST /control/faults": (body) => {
        const { fault, ...rest } = faultSchema.parse(body);
        if (isFaultName(fault)) state.faults.add({ fault, ...rest });
      },
      "GET /control/faults": (): FaultHelp => ({
        orders: state.faults.list(),
        inPrompts: FAULTS_IN_PROMPTS,
      }),
      "DELETE /control/faults": (body) => state.faults.clear(whichSchema.parse(body)),
      "POST /control/account": (body) => {
        const { service, state: account } = accountSchema.parse(body);
        state.setAccount(service, account);
      },
      "POST /control/down": (body) => {
        const { service, isDown } = downSchema.parse(body);
        state.setDown(service, isDown);
      },
      "POST /control/advance": (body) => {
        state.time.skip(advanceSchema.parse(body).ms);
        state.calls.changed();
      },
      "POST /control/forget": (body) => state.forgetTasks(forgetSchema.parse(body).service),
    };
  }

  tasks(): object[] {
    const now = this.state.time.now();
    return [...this.state.tasks.values()].map((task) => ({ ...task, phase: phaseOf(task, now).kind }));
  }

  answer(call: Pick<Call, "method" | "path" | "json">): Answer {
    const deed = this.#deeds[`${call.method} ${call.path}`];
    if (!deed) return json(404, { error: "not found" });
    try {
      return json(200, deed(call.json) ?? { ok: true });
    } catch (error) {
      if (error instanceof z.ZodError) return json(400, { error: z.prettifyError(error) });
      throw error;
    }
  }
}
