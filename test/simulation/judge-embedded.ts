import { z } from "zod";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import type { Facts } from "./facts.js";
import { judgeBook } from "./judge-book.js";
import { judgeMachines } from "./judge-machines.js";
import { judgeMessages } from "./judge-messages.js";
import { PATHS } from "./paths/paths.js";
import { countNames, lostName, nameOf, type RowReader, type Rows, repeatedIn } from "./rows.js";

const input = z.looseObject({
  prompt: z.string().optional(),
  description: z.string().optional(),
  lyrics: z.string().optional(),
  style: z.string().optional(),
});

const wrong = z.object({ words: z.string() });
const counts = z.object({ act: z.string(), made: z.int(), recorded: z.int() });

/** Acts that change no row that is watched. */
const UNWATCHED = "('message', 'note', 'reload', 'see-files', 'support_answer')";
const UNRECORDED = `
  SELECT act, sum(made) AS made, sum(recorded) AS recorded FROM (
    SELECT act, 1 AS made, 0 AS recorded FROM sim_act
    UNION ALL SELECT act, 0, 1 FROM audit_entry WHERE act NOT IN ${UNWATCHED})
  GROUP BY act HAVING sum(made) <> sum(recorded)`;

/** What is wrong with the money, jobs and orders of the whole service in one process. */
export function judgeEmbedded(rows: Rows, facts: Facts): string[] {
  const { database, reader, rules, telegram, fal, renderer, machines, isCalm } = facts;
  const bought = [...fal.tasks, ...(rules.kie?.tasks ?? [])];
  const ledger = createAdminService(database, systemClock).verifyLedger();
  const names = new Map([...bought, ...renderer.tasks].map((task) => [task.id, nameOfTask(task)]));
  const made = rows.jobs.filter(({ status, origin }) => status === "done" && origin === "bot");
  const namesOf = (isGone: boolean) =>
    made.filter(({ id }) => facts.gone.has(id) === isGone).map(({ name }) => name);
  return [
    ...(ledger.mismatches > 0 ? ["a balance is not the sum of its entries"] : []),
    ...rows.jobs.flatMap((job) => judgeJob(job, rows, facts.gone)),
    ...judgeRefunds(rows),
    ...judgeCharges(rows),
    ...judgeOrders(rows),
    ...judgeMachines(rows, machines),
    ...judgeBook(rows, facts),
    ...judgeWatch(reader),
    ...Object.values(PATHS).flatMap((path) => (path.way === "front_end" ? [] : (path.judge?.(facts) ?? []))),
    ...judgeTasks(rows, bought.map(nameOfTask), facts.lost),
    ...judgeMessages(telegram, {
      nameOf: (id) => names.get(id),
      due: namesOf(false),
      gone: new Set(namesOf(true)),
      isCalm,
      isRestored: facts.lost !== undefined,
    }),
  ];
}

/** Made, or refunded once; what was made is paid back by an admin, or where its files were lost. */
function judgeJob(
  job: Rows["jobs"][number],
  { entries, refunded }: Rows,
  gone: ReadonlySet<number>,
): string[] {
  const { id, status, cost, isPaidBack, order_id: orderId } = job;
  const given = amountsOf([id], "refund", entries).join();
  const isGone = gone.has(id);
  const mayBePaidBack = isPaidBack === 1 && (isGone || refunded.includes(orderId ?? ""));
  const wrong: string[] = [];
  if (status !== "done" && status !== "error") wrong.push(`job ${id} has not ended: ${status}`);
  if (status === "error" && given !== `${cost}`) wrong.push(`job ${id} of ${cost} was refunded ${given}`);
  if (status === "done" && given !== "" && !(mayBePaidBack && given === `${cost}`))
    wrong.push(`job ${id} of ${cost} was made, and refunded ${given}`);
  if (isGone && !isPaidBack) wrong.push(`job ${id} was lost, and not paid back`);
  if (isPaidBack && !mayBePaidBack) wrong.push(`job ${id} was paid back by nobody`);
  return wrong;
}

/** Orders get back what their jobs say, and by an admin once. */
function judgeRefunds({ jobs, entries, refunded }: Rows): string[] {
  const orders = new Set(jobs.flatMap(({ order_id }) => order_id ?? []));
  const wrongSums = [...orders].flatMap((order) => {
    const own = jobs.filter(({ order_id }) => order_id === order);
    const back = own.filter(({ is_refunded, isPaidBack }) => is_refunded + isPaidBack > 0);
    const due = back.reduce((sum, { cost }) => sum + cost, 0);
    const given = entries
      .filter(({ order_id, kind }) => order_id === order && kind === "refund")
      .reduce((sum, { amount }) => sum + amount, 0);
    return given === due ? [] : [`order ${order} got ${given} of ${due} back`];
  });
  return [...wrongSums, ...repeatedIn(refunded).map((order) => `order ${order} was refunded again`)];
}

/** Each is charged once, for all of its jobs. */
function judgeCharges({ jobs, orders, entries }: Rows): string[] {
  return orders.flatMap(({ id, jobs: own }) => {
    const cost = jobs.filter((job) => own.includes(job.id)).reduce((sum, job) => sum + job.cost, 0);
    const charged = amountsOf(own, "charge", entries).join();
    return charged === (cost === 0 ? "" : `${-cost}`)
      ? []
      : [`order ${id} of ${cost} was charged ${charged}`];
  });
}

function amountsOf(jobs: readonly number[], wanted: string, entries: Rows["entries"]): number[] {
  const own = entries.filter(
    ({ job_id: job, kind }) => kind === wanted && job !== null && jobs.includes(job),
  );
  return own.map(({ amount }) => amount);
}

/** Each has ended, and each job of the chat has one. */
function judgeOrders({ jobs, orders }: Rows): string[] {
  const open = orders.filter(({ state }) => state !== "closed" && state !== "refused");
  const ordered = orders.flatMap(({ jobs: own }) => own);
  const ofChats = jobs.filter(({ origin }) => origin === "bot");
  return [
    ...open.map(({ id, state }) => `order ${id} is ${state}`),
    ...repeatedIn(ordered).map((job) => `job ${job} has two orders`),
    ...ofChats.filter(({ id }) => !ordered.includes(id)).map(({ id }) => `job ${id} has no order`),
  ];
}

/** No more tasks were bought than jobs ask for. */
function judgeTasks({ jobs }: Rows, bought: readonly string[], lost: Facts["lost"] = new Set()): string[] {
  const all = new Set([...lost, ...jobs.map(lostName)]);
  const asked = countNames([...all].map((job) => job.slice(job.indexOf(" ") + 1)));
  return [...countNames(bought)].flatMap(([name, tasks]) =>
    tasks > (asked.get(name) ?? 0) ? [`${tasks} tasks for ${asked.get(name) ?? 0} jobs of ${name}`] : [],
  );
}

function nameOfTask({ input: given }: { input: unknown }): string {
  // A song without vocals has its words as its style.
  const { prompt, description, lyrics, style } = input.parse(given);
  return nameOf(prompt ?? description ?? lyrics ?? style ?? JSON.stringify(given));
}

/** What was written and must not be, and acts that the audit does not have once each. */
function judgeWatch(reader: RowReader): string[] {
  return [
    ...reader.all(wrong, "SELECT words FROM sim_wrong").map(({ words }) => words),
    ...reader
      .all(counts, UNRECORDED)
      .map(({ act, made, recorded }) => `${made} acts of ${act}, of which ${recorded} were recorded`),
  ];
}
