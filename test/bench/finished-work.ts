import { randomBytes } from "node:crypto";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/restore-data.js";

const DAY_MS = 24 * 3600 * 1000;
/** Jobs are spread over this many days; nothing is old enough to be removed or forgotten. */
const SPREAD_MS = 25 * DAY_MS;
const INBOX_KEPT_DAYS = 7;
const UPDATES_AN_ORDER = 10;
const PEOPLE = 2000;
const COST = 1000;
const CREDIT = 100_000_000_000;
const MODEL_KEY = "nano-banana-2";
const MODEL = { model_key: MODEL_KEY, model: MODEL_KEY, model_title: "Nano Banana 2.1" };
const PROMPT = "a lighthouse in a storm at dusk, waves against the rocks, oil on canvas, no people";
const PARAMETERS = { aspect_ratio: "16:9", resolution: "1K", count: 1 };
const REQUEST = JSON.stringify({ type: "image", model_key: MODEL_KEY, prompt: PROMPT, ...PARAMETERS });

export interface JobsPlan {
  accounts: number;
  jobs: number;
}

/** An account that the load comes from. */
export interface ApiCaller {
  key: string;
  jobIds: readonly number[];
}

/** Writes accounts with finished jobs of the API, and gives keys to the first `callers` of them. */
export async function writeFinishedJobs(
  dataDir: string,
  { accounts, jobs }: JobsPlan,
  callers: number,
): Promise<ApiCaller[]> {
  const database = openDatabase({ dataDir }, "service");
  fill(dataDir, (db) => {
    const account = accountWriter(db);
    for (let id = 1; id <= accounts; id += 1) account(id, `client ${id}`, {});
    const job = jobWriter(db, accounts);
    for (let id = 1; id <= jobs; id += 1) {
      const account_id = ((id - 1) % accounts) + 1;
      job({ id, account_id, at: momentOf(id, jobs) }, { origin: "api" }, {});
    }
  });
  const adminService = createAdminService(database, systemClock);
  const made: ApiCaller[] = [];
  for (let account = 1; account <= callers; account += 1) {
    const { key } = await adminService.createKey(account, null);
    const jobIds: number[] = [];
    for (let id = account; id <= jobs; id += accounts) jobIds.push(id);
    made.push({ key, jobIds });
  }
  await database.close();
  return made;
}

/** Writes what so many orders leave behind once they have been paid, made and delivered. */
export async function writeFinishedOrders(dataDir: string, count: number): Promise<void> {
  await openDatabase({ dataDir }, "service").close();
  fill(dataDir, (db) => {
    writePeople(db);
    writeOrders(db, count);
  });
}

function fill(dataDir: string, write: (db: Sqlite.Database) => void): void {
  const db = new Sqlite(join(dataDir, "atelier.db"));
  db.pragma("foreign_keys = ON");
  db.transaction(() => write(db))();
  db.close();
}

/** When a job of so many was placed. */
function momentOf(id: number, count: number): number {
  return Math.round(Date.now() - SPREAD_MS + ((id - 1) * SPREAD_MS) / count);
}

function accountWriter(db: Sqlite.Database) {
  const account = inserter(db, "account");
  const entry = inserter(db, "ledger_entry");
  const created_at = Date.now() - 2 * SPREAD_MS;
  return (id: number, name: string, credit: object): number => {
    account({ id, name, created_at });
    const amounts = { amount: CREDIT, balance_after: CREDIT };
    entry({ account_id: id, kind: "credit", ...amounts, actor: "ctl", created_at, ...credit });
    return created_at;
  };
}

interface FinishedJob {
  id: number;
  account_id: number;
  at: number;
}

/** Writes a finished job with its charge and its picture. So many accounts take turns. */
function jobWriter(db: Sqlite.Database, accounts: number) {
  const job = inserter(db, "job");
  const entry = inserter(db, "ledger_entry");
  const media = inserter(db, "media_file");
  return ({ id, account_id, at }: FinishedJob, origin: object, charge: object): void => {
    job({
      id,
      account_id,
      order_index: 0,
      type: "image",
      ...MODEL,
      request: REQUEST,
      seed: id,
      cost: COST,
      status: "done",
      is_refunded: 0,
      attempts: 1,
      created_at: at,
      started_at: at + 10,
      finished_at: at + 5000,
      ...origin,
    });
    const amounts = { amount: -COST, balance_after: CREDIT - Math.ceil(id / accounts) * COST };
    entry({
      account_id,
      kind: "charge",
      ...amounts,
      actor: "service",
      job_id: id,
      created_at: at,
      ...charge,
    });
    const name = `${randomBytes(16).toString("hex")}.webp`;
    const facts = { mime: "image/webp", size: 300_000, width: 1024, height: 576, created_at: at };
    media({ name, account_id, job_id: id, role: "result", position: 0, ...facts });
  };
}

function writePeople(db: Sqlite.Database): void {
  const person = inserter(db, "person");
  const account = accountWriter(db);
  const identity = inserter(db, "identity");
  const lastParameters = inserter(db, "last_parameters");
  const parameters = JSON.stringify(PARAMETERS);
  for (let id = 1; id <= PEOPLE; id += 1) {
    const name = `Ann No ${id}`;
    const credit = { reason: "welcome", actor: "service", idempotency_key: `welcome:${id}` };
    const at = account(id, name, credit);
    const seen = { first_seen_at: at, last_seen_at: at };
    person({ telegram_id: id, name, username: `ann_${id}`, locale: "en", ...seen });
    identity({ kind: "telegram", subject: String(id), account_id: id });
    lastParameters({ user_id: id, model_key: MODEL_KEY, parameters, used_at: at });
  }
}

function writeOrders(db: Sqlite.Database, count: number): void {
  const draft = inserter(db, "draft");
  const order = inserter(db, "order");
  const job = jobWriter(db, PEOPLE);
  const delivery = inserter(db, "delivery");
  const inbox = inserter(db, "inbox");
  const inboxFrom = Date.now() - INBOX_KEPT_DAYS * DAY_MS;
  const parameters = JSON.stringify(PARAMETERS);
  for (let id = 1; id <= count; id += 1) {
    const user_id = (id % PEOPLE) + 1;
    const at = momentOf(id, count);
    const order_id = randomBytes(12).toString("base64url");
    const place = { user_id, chat_id: user_id };
    const messages = { message_id: 5 * id, prompt_message_id: 5 * id + 1 };
    const texts = { view: "card", model_key: MODEL_KEY, parameters };
    draft({ id, ...place, ...messages, state: "ordered", ...texts, revision: 9, updated_at: at });
    order({
      id: order_id,
      number: id,
      draft_id: id,
      ...place,
      user_name: `Ann No ${user_id}`,
      status_message_id: 5 * id,
      model_title: MODEL.model_title,
      request: REQUEST,
      quoted_kopecks: COST,
      state: "closed",
      job_ids: JSON.stringify([id]),
      created_at: at,
    });
    const charge = { reason: MODEL.model_title, order_id, idempotency_key: `charge:${order_id}` };
    job({ id, account_id: user_id, at }, { origin: "bot", order_id }, charge);
    const sent = [
      { index: 0, messageId: 5 * id + 2, fileId: randomBytes(40).toString("base64url"), as: "photo" },
    ];
    delivery({
      order_id,
      ...place,
      state: "sent",
      attempts: 0,
      next_try_at: at,
      outcome: "sent",
      files: JSON.stringify(sent),
      originals: "[]",
      created_at: at,
      ended_at: at + 5200,
    });
    if (at < inboxFrom) continue;
    for (let update = 0; update < UPDATES_AN_ORDER; update += 1)
      inbox({ update_id: id * UPDATES_AN_ORDER + update, received_at: at });
  }
}

/** A statement that inserts one row, its columns named by the object. */
function inserter<R extends object>(db: Sqlite.Database, table: string): (row: R) => void {
  let statement: Sqlite.Statement<[R]> | undefined;
  return (row) => {
    const columns = Object.keys(row);
    const values = columns.map((column) => `@${column}`);
    statement ??= db.prepare<[R]>(
      `INSERT INTO "${table}" (${columns.join(", ")}) VALUES (${values.join(", ")})`,
    );
    statement.run(row);
  };
}
