import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { PEOPLE, writeFinishedOrders } from "../finished-orders.js";
import { exactCpuMs } from "../process-cost.js";
import { startProgram, withDirectory } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { BotApi } from "../server/bot-api.js";
import { Crowd } from "../server/crowd.js";
import { p99 } from "../statistics.js";

const ORDERS = scaled(1_000_000, 500);
const ENTRIES = scaled(10_000_000, 5000);
const CALLS = scaled(200, 3);
/** What a handler still does after its reply. */
const SETTLE_MS = scaled(60, 20);
const GOAL_MS = 10;
/** The only chat of the crowd. */
const ADMIN_ID = 1;

/** CPU of what an admin asks about a person and an order, with a million orders in the database. */
export function measureDesk(): Promise<Figure[]> {
  return withDirectory(async (dataDir) => {
    await writeFinishedOrders(dataDir, ORDERS);
    writeEntries(dataDir, ENTRIES - ORDERS - PEOPLE);
    const api = await BotApi.listen();
    const crowd = new Crowd(api, 1);
    const environment = { ADMIN_IDS: String(ADMIN_ID) };
    const service = await startProgram("service", { apiRoot: api.root, dataDir, environment });
    const costOf = async (text: string): Promise<number> => {
      const before = exactCpuMs(service.pid);
      await crowd.all({ text });
      await pause(SETTLE_MS);
      return exactCpuMs(service.pid) - before;
    };
    // The way of an update is warm; neither command was ever called.
    for (let warm = 0; warm < 20; warm += 1) await costOf("/image");
    const commands = {
      "/order": (call: number) => `/order ${1 + ((call * 7919) % ORDERS)}`,
      "/account": (call: number) => `/account ${1 + ((call * 7919) % PEOPLE)}`,
    };
    const figures: Figure[] = [];
    for (const [name, textOf] of Object.entries(commands)) {
      const first = await costOf(textOf(0));
      const costs: number[] = [];
      for (let call = 1; call <= CALLS; call += 1) costs.push(await costOf(textOf(call)));
      figures.push(figureOf(name, p99(costs)), figureOf("   the first one after a start", first));
    }
    await service.stop();
    api.close();
    return figures;
  });
}

function figureOf(name: string, cost: number): Figure {
  const what = name.startsWith("/") ? `${name} with ${ORDERS} orders and ${ENTRIES} entries, CPU, p99` : name;
  return {
    what,
    measured: `${cost.toFixed(1)} ms`,
    goal: `≤ ${GOAL_MS} ms`,
    isReached: cost <= GOAL_MS,
  };
}

/** Writes orders of the API into the ledger of everybody in turns: the last balances go on. */
function writeEntries(dataDir: string, count: number): void {
  const db = new Sqlite(join(dataDir, "atelier.db"));
  db.exec(`
    WITH RECURSIVE nth (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM nth WHERE i + 1 < ${count})
    INSERT INTO ledger_entry (account_id, kind, amount, balance_after, actor, created_at)
    SELECT account.id, 'charge', -1, account.balance - 1 - i / ${PEOPLE}, 'service', ${Date.now()} - ${count} + i
    FROM nth JOIN account ON account.id = 1 + i % ${PEOPLE}
  `);
  db.close();
}
