import { randomBytes } from "node:crypto";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/restore-data.js";
import { inserter } from "./inserter.js";

const DAY_MS = 24 * 3600 * 1000;
/** Jobs are spread over this many days; no file is old enough to be removed. */
const SPREAD_DAYS = 25;
const COST = 1000;
const CREDIT = 100_000_000_000;
const MODEL = { model_key: "nano-banana-2", model: "nano-banana-2", model_title: "Nano Banana 2.1" };
const PROMPT = "a lighthouse in a storm at dusk, waves against the rocks, oil on canvas, no people";
const REQUEST = { type: "image", model_key: MODEL.model_key, prompt: PROMPT, aspect_ratio: "16:9" };

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
  const file = new Sqlite(join(dataDir, "atelier.db"));
  file.pragma("foreign_keys = ON");
  file.transaction(() => {
    writeAccounts(file, accounts);
    writeJobs(file, accounts, jobs);
  })();
  file.close();
  const adminService = createAdminService(database, systemClock);
  const made: ApiCaller[] = [];
  for (let account = 1; account <= callers; account += 1) {
    const { key } = await adminService.createKey(account, null);
    made.push({ key, jobIds: idsOf(account, accounts, jobs) });
  }
  await database.close();
  return made;
}

function idsOf(account: number, accounts: number, jobs: number): number[] {
  const ids: number[] = [];
  for (let id = account; id <= jobs; id += accounts) ids.push(id);
  return ids;
}

function writeAccounts(file: Sqlite.Database, accounts: number): void {
  const account = inserter(file, "account");
  const entry = inserter(file, "ledger_entry");
  const created_at = Date.now() - 2 * SPREAD_DAYS * DAY_MS;
  for (let id = 1; id <= accounts; id += 1) {
    account({ id, name: `client ${id}`, created_at });
    const amounts = { amount: CREDIT, balance_after: CREDIT };
    entry({ account_id: id, kind: "credit", ...amounts, actor: "ctl", created_at });
  }
}

function writeJobs(file: Sqlite.Database, accounts: number, jobs: number): void {
  const job = inserter(file, "job");
  const entry = inserter(file, "ledger_entry");
  const media = inserter(file, "media_file");
  const firstAt = Date.now() - SPREAD_DAYS * DAY_MS;
  const request = JSON.stringify(REQUEST);
  for (let id = 1; id <= jobs; id += 1) {
    const account_id = ((id - 1) % accounts) + 1;
    const round = Math.floor((id - 1) / accounts) + 1;
    const at = Math.round(firstAt + ((id - 1) * SPREAD_DAYS * DAY_MS) / jobs);
    job({
      id,
      account_id,
      origin: "api",
      order_index: 0,
      type: "image",
      ...MODEL,
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
    const amounts = { amount: -COST, balance_after: CREDIT - round * COST };
    entry({ account_id, kind: "charge", ...amounts, actor: "service", job_id: id, created_at: at });
    const name = `${randomBytes(16).toString("hex")}.webp`;
    const facts = { mime: "image/webp", size: 300_000, width: 1024, height: 576, created_at: at };
    media({ name, account_id, job_id: id, role: "result", position: 0, ...facts });
  }
}
