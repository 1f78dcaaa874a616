import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import Sqlite from "better-sqlite3";

/**
 * The least that keeps what a POST promises: node:http that reads its JSON, writes the job and the charge that the
 * service writes, and answers after the commit that all requests of a turn share. No key, no rules, no prices.
 */
const PRICE = 1000;
const MODEL = "nano-banana-2";

interface Waiting {
  request: string;
  response: ServerResponse;
}

const database = new Sqlite(join(process.env.DATA_DIR ?? "", "atelier.db"));
database.pragma("synchronous = FULL");
database.pragma("foreign_keys = ON");
database.pragma("cache_size = -8000");
const accounts = Number(database.prepare("SELECT count(*) FROM account").pluck().get());
const balanceOf = database.prepare<[number], number>("SELECT balance FROM account WHERE id = ?").pluck();
const insertJob = database.prepare(`
  INSERT INTO job (account_id, origin, order_index, type, model_key, model, model_title, request, seed, cost,
    status, is_refunded, attempts, created_at)
  VALUES (?, 'api', 0, 'image', ?, ?, ?, ?, ?, ?, 'queued', 0, 0, ?)`);
const insertEntry = database.prepare(`
  INSERT INTO ledger_entry (account_id, kind, amount, balance_after, reason, actor, job_id, created_at)
  VALUES (?, 'charge', ?, ?, ?, 'service', ?, ?)`);

let accepted = 0;
let waiting: Waiting[] = [];

function accept({ request, response }: Waiting): () => void {
  const account = 1 + (accepted++ % accounts);
  const at = Date.now();
  const job = insertJob.run(account, MODEL, MODEL, MODEL, request, accepted, PRICE, at).lastInsertRowid;
  const balance = (balanceOf.get(account) ?? 0) - PRICE;
  insertEntry.run(account, -PRICE, balance, MODEL, job, at);
  return () => answer(response, Number(job));
}

function answer(response: ServerResponse, job_id: number): void {
  const cost = { cost_rub: PRICE / 100, unit_cost_rub: PRICE / 100 };
  const body = JSON.stringify({ ok: true, job_id, job_ids: [job_id], status: "queued", ...cost });
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}

const acceptAll = database.transaction((batch: readonly Waiting[]) => batch.map(accept));

function flush(): void {
  const batch = waiting;
  waiting = [];
  for (const send of acceptAll.immediate(batch)) send();
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    waiting.push({ request: JSON.stringify(body), response });
    if (waiting.length === 1) setImmediate(flush);
  });
});
process.on("SIGTERM", () => process.exit(0));
server.listen(Number(process.env.HTTP_PORT), "127.0.0.1", () => process.send?.("listening"));
