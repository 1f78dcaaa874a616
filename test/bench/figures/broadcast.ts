import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { Accounts } from "../../../src/accounts/accounts.js";
import { Broadcasts, EVERYBODY } from "../../../src/bot/features/broadcast/broadcast-store.js";
import { NO_KOPECKS } from "../../../src/contract/price.js";
import { systemClock } from "../../../src/platform/clock.js";
import { systemIds } from "../../../src/platform/ids.js";
import { openDatabase } from "../../../src/restore-data.js";
import { groundOf } from "../../support/ground.js";
import { silentLogger } from "../../support/log.js";
import { inserter } from "../inserter.js";
import { cpuMs } from "../process-cost.js";
import { startProgram, withDirectory } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { BotApi } from "../server/bot-api.js";
import { Crowd } from "../server/crowd.js";
import { median, p99 } from "../statistics.js";
import { timedOrders } from "../timed-orders.js";

const PEOPLE = scaled(100_000, 1000);
const FIRST_ID = 1_000_000;
/** Sees the progress, and orders nothing. */
const ADMIN_ID = 2;
const WARM_UP_MS = scaled(10_000, 200);
const MEASURED_MS = scaled(60_000, 1000);
const ORDERS = scaled(100, 3);
const WARM_UP_ORDERS = scaled(20, 1);
const IDLE_MS = 100;

const CPU_GOAL_PERCENT = 5;
const LATER_GOAL_MS = 50;
const LOOP_GOAL_MS = 20;

/** What a broadcast to many people costs in its middle, and what it takes from deliveries. */
export async function measureBroadcast(): Promise<Figure[]> {
  const quiet = await withDirectory((directory) => deliveryMs(directory, false));
  const meanwhile = await withDirectory((directory) => deliveryMs(directory, true));
  const laterMs = meanwhile - quiet;
  return [
    ...(await withDirectory(costOfSending)),
    {
      what: "   a delivery meanwhile, later than without it, p99",
      measured: `${laterMs.toFixed(1)} ms`,
      goal: `≤ ${LATER_GOAL_MS} ms`,
      isReached: laterMs <= LATER_GOAL_MS,
    },
    await withDirectory(counting),
  ];
}

async function costOfSending(dataDir: string): Promise<Figure[]> {
  await writeBroadcast(dataDir, "running");
  const api = await BotApi.listen();
  let sent = 0;
  api.events.onCopy = () => {
    sent += 1;
  };
  const service = await startProgram("service", { apiRoot: api.root, dataDir });
  while (sent === 0) await pause(50);
  await pause(WARM_UP_MS);
  const [before, sentBefore, begun] = [cpuMs(service.pid), sent, performance.now()];
  await pause(MEASURED_MS);
  const elapsedMs = performance.now() - begun;
  const cpuPercent = ((cpuMs(service.pid) - before) / elapsedMs) * 100;
  const pace = ((sent - sentBefore) / elapsedMs) * 1000;
  await service.stop();
  api.close();
  return [
    {
      what: `CPU of one core in the middle of a broadcast to ${PEOPLE} people`,
      measured: `${cpuPercent.toFixed(1)} %`,
      goal: `≤ ${CPU_GOAL_PERCENT} %`,
      isReached: cpuPercent <= CPU_GOAL_PERCENT,
    },
    { what: "   messages a second", measured: pace.toFixed(1) },
  ];
}

/** From the commit of a job's end to its photo, p99. */
async function deliveryMs(dataDir: string, isBroadcasting: boolean): Promise<number> {
  await writeBroadcast(dataDir, isBroadcasting ? "running" : "stopped");
  const api = await BotApi.listen();
  const crowd = new Crowd(api, 1);
  const service = await startProgram("serviceWithStub", { apiRoot: api.root, dataDir });
  const order = timedOrders(service, crowd, { api, idleMs: IDLE_MS });
  for (let warm = 0; warm < WARM_UP_ORDERS; warm += 1) await order();
  const waits: number[] = [];
  for (let count = 0; count < ORDERS; count += 1) waits.push((await order()).fromDone);
  await service.stop();
  api.close();
  return p99(waits);
}

/** The longest pause of the event loop while everybody of a broadcast is counted, which each look at it does. */
async function counting(dataDir: string): Promise<Figure> {
  await writeBroadcast(dataDir, "stopped");
  const database = openDatabase({ dataDir }, "service");
  const welcome = { kopecks: NO_KOPECKS, guard: undefined };
  const parts = { database, clock: systemClock, ids: systemIds, logger: silentLogger() };
  const admin = new Accounts(groundOf(parts), "telegram", welcome);
  const broadcasts = new Broadcasts(database, systemClock, admin);
  const pauses: number[] = [];
  for (let round = 0; round < scaled(5, 1); round += 1) {
    let last = performance.now();
    let longest = 0;
    let isOver = false;
    const look = () => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    await broadcasts.count({ ...EVERYBODY, balance: "positive" });
    isOver = true;
    pauses.push(longest);
  }
  await database.close();
  const longest = median(pauses);
  return {
    what: "   event loop while its people are counted, longest pause",
    measured: `${longest.toFixed(1)} ms`,
    goal: `≤ ${LOOP_GOAL_MS} ms`,
    isReached: longest <= LOOP_GOAL_MS,
  };
}

/** Writes many people and a broadcast that has reached half of them. */
async function writeBroadcast(dataDir: string, state: "running" | "stopped"): Promise<void> {
  await openDatabase({ dataDir }, "service").close();
  const db = new Sqlite(join(dataDir, "atelier.db"));
  const at = Date.now() - 1000;
  const half = PEOPLE / 2;
  db.transaction(() => {
    const person = inserter(db, "person");
    const recipient = inserter(db, "broadcast_recipient");
    const account = inserter(db, "account");
    const identity = inserter(db, "identity");
    const seen = { first_seen_at: at, last_seen_at: at };
    inserter(
      db,
      "broadcast",
    )({
      id: 1,
      admin_id: ADMIN_ID,
      message_id: 5,
      screen_id: 6,
      audience: JSON.stringify(EVERYBODY),
      state,
      revision: 1,
      total: PEOPLE,
      sent: half,
      blocked: 0,
      failed: 0,
      last_user_id: FIRST_ID + half,
      waits_until: 0,
      created_at: at,
      started_at: at,
    });
    for (let id = FIRST_ID + 1; id <= FIRST_ID + PEOPLE; id += 1) {
      person({ telegram_id: id, name: `Ann No ${id}`, locale: "en", ...seen });
      account({ id, name: `Ann No ${id}`, created_at: at });
      identity({ kind: "telegram", subject: String(id), account_id: id });
      if (id <= FIRST_ID + half) recipient({ broadcast_id: 1, user_id: id, state: "sent" });
    }
  })();
  db.close();
}
