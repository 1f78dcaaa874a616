import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { asKopecks } from "../../src/contract/price.js";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/restore-data.js";
import { inserter } from "./inserter.js";

const COST = 1000;
const CREDIT = 100_000_000_000;
const MINUTE_MS = 60_000;
/** So old that each job is polled every half minute. */
const AGE_MS = 15 * MINUTE_MS;
const PAUSE_MS = 27_000;
const REQUEST = { type: "image", model_key: "nano-banana-2", prompt: "a lighthouse in a storm", count: 4 };
const request = JSON.stringify(REQUEST);
const { model_key } = REQUEST;
const TITLE = "Nano Banana 2.1";

export interface OpenOrders {
  people: number;
  /** One order a person. */
  jobsAnOrder: number;
}

/** Writes jobs of one account that wait for their turn. Returns its key. */
export async function writeOpenJobs(dataDir: string, { people, jobsAnOrder }: OpenOrders): Promise<string> {
  const database = openDatabase({ dataDir }, "service");
  const admin = createAdminService(database, systemClock);
  const { id: account_id } = await admin.createAccount("front-end");
  await admin.credit(account_id, asKopecks(CREDIT), null);
  const { key } = await admin.createKey(account_id, null);
  await database.close();
  const created_at = Date.now() - AGE_MS;
  fill(dataDir, (db) => {
    const job = inserter(db, "job");
    for (let id = 1; id <= people * jobsAnOrder; id += 1)
      job({
        id,
        account_id,
        origin: "api",
        order_index: 0,
        type: "image",
        model_key,
        model: model_key,
        model_title: TITLE,
        request,
        seed: id,
        cost: COST,
        status: "queued",
        is_refunded: 0,
        attempts: 0,
        created_at,
      });
  });
  return key;
}

/** Writes the orders of these jobs as the front-end of that service has them. */
export async function writeFollowedOrders(
  dataDir: string,
  { people, jobsAnOrder }: OpenOrders,
): Promise<void> {
  await openDatabase({ dataDir }, "service").close();
  const now = Date.now();
  const since = now - AGE_MS;
  const jobs = people * jobsAnOrder;
  fill(dataDir, (db) => {
    const insert = {
      person: inserter(db, "person"),
      draft: inserter(db, "draft"),
      order: inserter(db, "order"),
      submission: inserter(db, "remote_submission"),
      job: inserter(db, "remote_job"),
    };
    for (let id = 1; id <= people; id += 1) {
      const name = `Ann No ${id}`;
      insert.person({
        telegram_id: id,
        name,
        username: `ann_${id}`,
        locale: "en",
        first_seen_at: since,
        last_seen_at: since,
      });
      const place = { user_id: id, chat_id: id };
      const card = { state: "ordered", view: "card", model_key, parameters: '{"prompt":"a lighthouse"}' };
      insert.draft({ id, ...place, message_id: id, ...card, revision: 9, updated_at: since });
      const ids = Array.from({ length: jobsAnOrder }, (_, at) => (id - 1) * jobsAnOrder + at + 1);
      const order_id = `order-${String(id).padStart(10, "0")}`;
      insert.order({
        id: order_id,
        number: id,
        draft_id: id,
        ...place,
        user_name: name,
        status_message_id: id,
        model_title: TITLE,
        request,
        quoted_kopecks: COST * jobsAnOrder,
        state: "accepted",
        job_ids: JSON.stringify(ids),
        created_at: since,
      });
      insert.submission({ order_id, sent_at: since });
      for (const job of ids)
        insert.job({ id: `0:${job}`, since, due_at: Math.round(now + (job * PAUSE_MS) / jobs) });
    }
  });
}

function fill(dataDir: string, write: (db: Sqlite.Database) => void): void {
  const db = new Sqlite(join(dataDir, "atelier.db"));
  db.pragma("foreign_keys = ON");
  db.transaction(() => write(db))();
  db.close();
}
