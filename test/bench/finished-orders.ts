import { randomBytes } from "node:crypto";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { openDatabase } from "../../src/restore-data.js";
import { inserter } from "./inserter.js";

export const PEOPLE = 2000;
const ORDERS_A_PERSON_MAX_RUB = 1_000_000;
const COST = 1000;
const DAY_MS = 24 * 3600 * 1000;
/** Orders are spread over this many days; nothing is old enough to be forgotten. */
const SPREAD_DAYS = 25;
const INBOX_KEPT_DAYS = 7;
const UPDATES_AN_ORDER = 10;
const PROMPT = "a lighthouse in a storm at dusk, waves against the rocks, oil on canvas, no people";
const PARAMETERS = { aspect_ratio: "16:9", resolution: "1K", count: 1 };
const REQUEST = { type: "image", model_key: "nano-banana-2", prompt: PROMPT, ...PARAMETERS };

/** Writes what so many orders leave behind once they have been paid, made and delivered. */
export async function writeFinishedOrders(dataDir: string, count: number): Promise<void> {
  await openDatabase({ dataDir }, "service").close();
  const db = new Sqlite(join(dataDir, "atelier.db"));
  db.pragma("foreign_keys = ON");
  db.transaction(() => {
    writePeople(db);
    writeOrders(db, count, Date.now() - SPREAD_DAYS * DAY_MS, (SPREAD_DAYS * DAY_MS) / count);
  })();
  db.close();
}

function writePeople(db: Sqlite.Database): void {
  const person = inserter(db, "person");
  const account = inserter(db, "account");
  const identity = inserter(db, "identity");
  const entry = inserter(db, "ledger_entry");
  const lastParameters = inserter(db, "last_parameters");
  const created_at = Date.now() - 2 * SPREAD_DAYS * DAY_MS;
  for (let id = 1; id <= PEOPLE; id += 1) {
    const name = `Ann No ${id}`;
    person({
      telegram_id: id,
      name,
      username: `ann_${id}`,
      locale: "en",
      first_seen_at: created_at,
      last_seen_at: created_at,
    });
    account({ id, name, created_at });
    identity({ kind: "telegram", subject: String(id), account_id: id });
    const amount = ORDERS_A_PERSON_MAX_RUB * 100;
    const idempotency_key = `welcome:${id}`;
    const detail = { reason: "welcome", actor: "service", idempotency_key, created_at };
    entry({ account_id: id, kind: "credit", amount, balance_after: amount, ...detail });
    const parameters = JSON.stringify(PARAMETERS);
    lastParameters({ user_id: id, model_key: REQUEST.model_key, parameters, used_at: created_at });
  }
}

function writeOrders(db: Sqlite.Database, count: number, firstAt: number, everyMs: number): void {
  const draft = inserter(db, "draft");
  const order = inserter(db, "order");
  const job = inserter(db, "job");
  const entry = inserter(db, "ledger_entry");
  const media = inserter(db, "media_file");
  const delivery = inserter(db, "delivery");
  const inbox = inserter(db, "inbox");
  const inboxFrom = Date.now() - INBOX_KEPT_DAYS * DAY_MS;
  const balances = new Map<number, number>();
  const { model_key } = REQUEST;
  const title = "Nano Banana 2.1";
  const parameters = JSON.stringify(PARAMETERS);
  const request = JSON.stringify(REQUEST);
  for (let id = 1; id <= count; id += 1) {
    const user_id = (id % PEOPLE) + 1;
    const at = Math.round(firstAt + (id - 1) * everyMs);
    const order_id = randomBytes(12).toString("base64url");
    const place = { user_id, chat_id: user_id };
    const messages = { message_id: 5 * id, prompt_message_id: 5 * id + 1 };
    const texts = { view: "card", model_key, parameters };
    draft({ id, ...place, ...messages, state: "ordered", ...texts, revision: 9, updated_at: at });
    order({
      id: order_id,
      number: id,
      draft_id: id,
      ...place,
      user_name: `Ann No ${user_id}`,
      status_message_id: 5 * id,
      model_title: title,
      request,
      quoted_kopecks: COST,
      state: "closed",
      job_ids: JSON.stringify([id]),
      created_at: at,
    });
    job({
      id,
      account_id: user_id,
      origin: "bot",
      order_id,
      order_index: 0,
      type: "image",
      model_key,
      model: model_key,
      model_title: title,
      request,
      seed: id,
      cost: COST,
      status: "done",
      is_refunded: 0,
      attempts: 1,
      created_at: at,
      started_at: at + 10,
      finished_at: at + 5000,
    });
    const balance_after = (balances.get(user_id) ?? ORDERS_A_PERSON_MAX_RUB * 100) - COST;
    balances.set(user_id, balance_after);
    entry({
      account_id: user_id,
      kind: "charge",
      amount: -COST,
      balance_after,
      reason: title,
      actor: "service",
      order_id,
      idempotency_key: `charge:${order_id}`,
      created_at: at,
    });
    const name = `${randomBytes(16).toString("hex")}.webp`;
    const size = { mime: "image/webp", size: 300_000, width: 1024, height: 576 };
    media({ name, account_id: user_id, job_id: id, role: "result", position: 0, ...size, created_at: at });
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
