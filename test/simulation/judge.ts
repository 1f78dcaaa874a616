import { basename, extname, join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { z } from "zod";
import { createAdminService } from "../../src/core/core.js";
import { systemClock } from "../../src/platform/clock.js";
import type { SimFal } from "./sim-fal.js";
import type { SimProcess } from "./sim-process.js";
import type { SimTelegram } from "./sim-telegram.js";

interface Facts {
  reader: RowReader;
  process: SimProcess;
  telegram: SimTelegram;
  fal: SimFal;
  /** No process died and no call to Telegram was lost: nothing may arrive twice. */
  isCalm: boolean;
}

const jobRow = z.object({ id: z.int(), status: z.string(), cost: z.int(), prompt: z.string() });
const orderRow = z.object({ id: z.string(), state: z.string(), chat_id: z.int(), job_ids: z.string() });
const entryRow = z.object({ job_id: z.int().nullable(), kind: z.string(), amount: z.int() });
const jobIds = z.array(z.union([z.int(), z.string()]));

type Rows = ReturnType<typeof readRows>;

/** Whether everything that began has ended, as far as the rows tell. */
export function isSettled(reader: RowReader): boolean {
  const queries = [
    "SELECT 1 FROM \"order\" WHERE state IN ('claimed', 'accepted', 'delivering')",
    "SELECT 1 FROM job WHERE status NOT IN ('done', 'error')",
    "SELECT 1 FROM inbox_pending",
    "SELECT 1 FROM outbox_message",
  ];
  return queries.every((query) => reader.isEmpty(query));
}

/** What is wrong after everything has come to rest; empty where nothing is. */
export function judge({ reader, process, telegram, fal, isCalm }: Facts): string[] {
  const rows = readRows(reader);
  const ledger = createAdminService({ database: process.database, clock: systemClock }).verifyLedger();
  return [
    ...(ledger.mismatches > 0 ? ["a balance is not the sum of its entries"] : []),
    ...rows.jobs.flatMap((job) => judgeJob(job, rows.entries)),
    ...judgeCharges(rows),
    ...judgeOrders(rows),
    ...judgeTasks(rows, fal),
    ...judgeDeliveries(rows, telegram, fal),
    ...(isCalm ? judgeRepeats(telegram) : []),
    ...[...telegram.taps]
      .filter((tap) => !telegram.answered.has(tap))
      .map((tap) => `tap ${tap} has no answer`),
  ];
}

/** Made, or refunded once. */
function judgeJob({ id, status, cost }: Rows["jobs"][number], entries: Rows["entries"]): string[] {
  const refunded = amountsOf([id], "refund", entries).join();
  const wrong: string[] = [];
  if (status !== "done" && status !== "error") wrong.push(`job ${id} has not ended: ${status}`);
  if (status === "error" && refunded !== `${cost}`)
    wrong.push(`job ${id} of ${cost} was refunded ${refunded}`);
  if (status === "done" && refunded !== "") wrong.push(`job ${id} was made, and refunded ${refunded}`);
  return wrong;
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

/** Each has ended, and each job has one. */
function judgeOrders({ jobs, orders }: Rows): string[] {
  const open = orders.filter(({ state }) => state !== "closed" && state !== "refused");
  const ordered = orders.flatMap(({ jobs: own }) => own);
  return [
    ...open.map(({ id, state }) => `order ${id} is ${state}`),
    ...ordered
      .filter((job, place) => ordered.indexOf(job) !== place)
      .map((job) => `job ${job} has two orders`),
    ...jobs.filter(({ id }) => !ordered.includes(id)).map(({ id }) => `job ${id} has no order`),
  ];
}

/** No more tasks were accepted than jobs ask for. */
function judgeTasks({ jobs }: Rows, fal: SimFal): string[] {
  const names = new Set(fal.tasks.map(nameOfTask));
  return [...names].flatMap((name) => {
    const tasks = fal.tasks.filter((task) => nameOfTask(task) === name).length;
    const asked = jobs.filter((job) => job.name === name).length;
    return tasks > asked ? [`${tasks} tasks for ${asked} jobs of ${name}`] : [];
  });
}

/** What was made reaches the chat that paid for it, and no other. */
function judgeDeliveries({ jobs }: Rows, telegram: SimTelegram, fal: SimFal): string[] {
  const nameOf = (content: string) => {
    const task = fal.tasks.find(({ id }) => id === basename(content, extname(content)));
    return task && nameOfTask(task);
  };
  const sent = [...telegram.messages.values()].flatMap(({ chatId, files }) =>
    files.map((content) => ({ chatId, content, name: nameOf(content) })),
  );
  const made = jobs.filter(({ status }) => status === "done");
  const strange = sent.filter(
    ({ chatId, name }) => /^number/.test(name ?? "") && !name?.startsWith(`number ${chatId} `),
  );
  return [
    ...strange.map(({ chatId, name }) => `chat ${chatId} got ${name}`),
    ...[...new Set(made.map(({ name }) => name))].flatMap((name) => {
      const due = made.filter((job) => job.name === name).length;
      const got = new Set(sent.filter((one) => one.name === name).map(({ content }) => content)).size;
      return got < due ? [`${got} of ${due} files of ${name} were sent`] : [];
    }),
  ];
}

function judgeRepeats(telegram: SimTelegram): string[] {
  const sent = [...telegram.messages.values()].flatMap(({ files }) => files);
  const repeated = sent.filter((content, place) => sent.indexOf(content) !== place);
  return repeated.map((content) => `${content} was sent again`);
}

function nameOfTask({ input }: SimFal["tasks"][number]): string {
  return nameOf(z.looseObject({ prompt: z.string() }).parse(input).prompt);
}

/** People number what they write; an example has no number. */
function nameOf(prompt: string): string {
  return /number \d+ of \d+/.exec(prompt)?.[0] ?? prompt;
}

/** Reads what the processes have written, beside them. */
export class RowReader {
  readonly #file: BetterSqlite3.Database;
  readonly #statements = new Map<string, BetterSqlite3.Statement>();

  constructor(directory: string) {
    this.#file = new BetterSqlite3(join(directory, "atelier.db"), { readonly: true });
  }

  all<T>(schema: z.ZodType<T>, query: string): T[] {
    return z.array(schema).parse(this.#prepare(query).all());
  }

  isEmpty(query: string): boolean {
    return this.#prepare(query).get() === undefined;
  }

  close(): void {
    this.#file.close();
  }

  #prepare(query: string): BetterSqlite3.Statement {
    const known = this.#statements.get(query) ?? this.#file.prepare(query);
    this.#statements.set(query, known);
    return known;
  }
}

function readRows(reader: RowReader) {
  const text = "coalesce(request ->> '$.prompt', request ->> '$.description') AS prompt";
  return {
    jobs: reader
      .all(jobRow, `SELECT id, status, cost, ${text} FROM job`)
      .map((job) => ({ ...job, name: nameOf(job.prompt) })),
    orders: reader.all(orderRow, 'SELECT id, state, chat_id, job_ids FROM "order"').map((order) => ({
      ...order,
      jobs: jobIds.parse(JSON.parse(order.job_ids)).map((job) => Number(String(job).replace("music_", ""))),
    })),
    entries: reader.all(entryRow, "SELECT job_id, kind, amount FROM ledger_entry"),
  };
}
