import type { Message } from "grammy/types";
import { ANN, MAX, openBotHarness } from "./bot-harness.js";
import { botWorldOn } from "./bot-world.js";
import { openTestCore, order, type TestCoreOptions } from "./core.js";

export const VERA = { ...ANN, id: 10, first_name: "Vera" };

/** The bot over an embedded core on one database, with two admins, Max and Vera, and whoever writes. */
export function openDesk(options: TestCoreOptions & { bot?: Parameters<typeof openBotHarness>[0] } = {}) {
  const { bot = {}, ...ofCore } = options;
  const core = openTestCore(ofCore);
  const world = botWorldOn(core.database, core.clock, core.directory);
  const { gateways } = core.core;
  const harness = openBotHarness({ world, core: core.core, gateways, adminIds: [MAX.id, VERA.id], ...bot });
  const now = () => Math.floor(core.clock.now() / 1000);
  const say = (text: string, from = ANN, more: Partial<Message> = {}) =>
    harness.say(text, from, { date: now(), ...more });
  const button = (label: string): string => {
    const data = harness.buttons().get(label);
    if (data === undefined) throw new Error(`no button ${label}: ${harness.labels().join()}`);
    return data;
  };
  return {
    ...harness,
    core,
    now,
    say,
    /** Sends a command of Max and returns the last text that was said. */
    async max(text: string, more: Partial<Message> = {}) {
      await say(text, MAX, more);
      return String(harness.said().at(-1));
    },
    /** Taps the button with this label on the last keyboard, which is the admin's. */
    press: (label: string, from = MAX, more: Partial<Message> = {}) =>
      harness.tap(button(label), harness.telegram.lastId, from, more),
    /** The data of the button with this label on the last keyboard. */
    button,
    acts: () => core.core.accounts.audit.list({ limit: 50 }),
  };
}

export type Desk = ReturnType<typeof openDesk>;

/** An order of Ann that was made and delivered, and costs 10 rubles. */
export async function deliveredOrder({ core, orders, sentOrder }: Desk) {
  await core.core.start();
  const ann = await core.person(ANN.id, 100_00);
  const { job_ids } = await order(ann, "one");
  // The row is of a moment after the charge, as in the service.
  await core.clock.advance(1);
  for (const id of job_ids) await core.ended(ann, id);
  const made = await sentOrder("one", ANN.id, job_ids as number[]);
  await orders.endDelivery("one", "sent", "sent", true);
  return made;
}
