import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { openDatabase } from "../../../src/restore-data.js";
import { inserter } from "../inserter.js";
import { startProgram, withDirectory } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { BotApi } from "../server/bot-api.js";
import { Crowd } from "../server/crowd.js";
import { WIZARD } from "../server/script.js";
import { median, p99 } from "../statistics.js";

const UPDATES_A_SECOND = 30;
const CHATS = 300;
const WARM_UP_MS = scaled(10_000, 500);
const MEASURED_MS = scaled(60_000, 1000);
/** So many of the invoices are paid meanwhile, besides the updates. */
const QUERIES = scaled(300, 5);
const GOAL_MS = 100;

const PAYER = { id: 900_001, is_bot: false, first_name: "Boris", language_code: "en" };
const PRICE = 50;

/** From a pre-checkout query to its answer at the server, among as many updates as a bot can have. */
export function measureTill(): Promise<Figure[]> {
  return withDirectory(async (dataDir) => {
    await writeInvoices(dataDir, QUERIES);
    const api = await BotApi.listen();
    const crowd = new Crowd(api, CHATS);
    const environment = { TOPUP_STARS: `${PRICE}:${PRICE}` };
    const service = await startProgram("service", { apiRoot: api.root, dataDir, environment });
    const askedAt = new Map<string, number>();
    const waits: number[] = [];
    let refused = 0;
    api.events.onCheckout = (id, isOk) => {
      waits.push(performance.now() - (askedAt.get(id) ?? Number.NaN));
      if (!isOk) refused += 1;
    };
    await crowd.pace(WIZARD, UPDATES_A_SECOND, WARM_UP_MS);
    let next = 1;
    const ask = setInterval(() => {
      if (next > QUERIES) return;
      const id = String(next++);
      askedAt.set(id, performance.now());
      api.updates.push({ pre_checkout_query: queryOf(id) });
    }, MEASURED_MS / QUERIES);
    const cards = await crowd.pace(WIZARD, UPDATES_A_SECOND, MEASURED_MS);
    clearInterval(ask);
    await service.stop();
    api.close();
    if (refused > 0 || waits.length === 0) throw new Error(`${refused} of ${waits.length} payments refused`);
    const wait = p99(waits);
    return [
      {
        what: `from a pre-checkout query to its answer at ${UPDATES_A_SECOND} updates a second, p99`,
        measured: `${wait.toFixed(1)} ms`,
        goal: `≤ ${GOAL_MS} ms`,
        isReached: wait <= GOAL_MS,
      },
      {
        what: "   the same, median; and of the cards meanwhile, median and p99",
        measured: `${median(waits).toFixed(1)}; ${median(cards).toFixed(1)}, ${p99(cards).toFixed(1)} ms`,
      },
    ];
  });
}

function queryOf(id: string): object {
  const invoice = { currency: "XTR", total_amount: PRICE, invoice_payload: refOf(Number(id)) };
  return { id, from: PAYER, ...invoice };
}

function refOf(id: number): string {
  return `t1:bench-${id}`;
}

async function writeInvoices(dataDir: string, count: number): Promise<void> {
  await openDatabase({ dataDir }, "service").close();
  const db = new Sqlite(join(dataDir, "atelier.db"));
  const made_at = Date.now();
  inserter(db, "account")({ id: 1, name: "Boris", created_at: made_at });
  inserter(db, "identity")({ kind: "telegram", subject: String(PAYER.id), account_id: 1 });
  const invoice = inserter(db, "till_invoice");
  const sums = { price: PRICE, kopecks: PRICE * 100 };
  for (let id = 1; id <= count; id += 1)
    invoice({ id, till: "stars", ref: refOf(id), account_id: 1, ...sums, state: "open", made_at });
  db.close();
}
