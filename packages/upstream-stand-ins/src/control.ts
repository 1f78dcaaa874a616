import type { FaultHelp } from "@atelier/telegram-sandbox";
import { z } from "zod";
import { type Answer, type Call, json } from "./call.js";
import type { Dialect } from "./dialect.js";
import { FAULTS_IN_PROMPTS, isFaultName } from "./faults.js";
import { ACCOUNT_STATES } from "./journal.js";
import { SERVICE_NAMES } from "./service-name.js";
import type { UpstreamState } from "./state.js";
import { summaryOf } from "./summary.js";
import { phaseOf } from "./task.js";

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
        return { ok: true };
      },
      "GET /control/faults": (): FaultHelp => ({
        orders: state.faults.list(),
        inPrompts: FAULTS_IN_PROMPTS,
      }),
      "DELETE /control/faults": (body) => {
        state.faults.clear(whichSchema.parse(body));
        return { ok: true };
      },
      "POST /control/account": (body) => {
        const { service, state: account } = accountSchema.parse(body);
        state.setAccount(service, account);
        return { ok: true };
      },
      "POST /control/down": (body) => {
        const { service, isDown } = downSchema.parse(body);
        state.setDown(service, isDown);
        return { ok: true };
      },
      "POST /control/advance": (body) => {
        state.time.skip(advanceSchema.parse(body).ms);
        state.calls.changed();
        return { ok: true };
      },
      "POST /control/forget": (body) => {
        state.forgetTasks(forgetSchema.parse(body).service);
        return { ok: true };
      },
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
      return json(200, deed(call.json));
    } catch (error) {
      if (error instanceof z.ZodError) return json(400, { error: z.prettifyError(error) });
      throw error;
    }
  }
}
