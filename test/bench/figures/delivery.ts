import { startProgram, withDirectory } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { BotApi } from "../server/bot-api.js";
import { Crowd } from "../server/crowd.js";
import { median, p99 } from "../statistics.js";
import { timedOrders, type Waits } from "../timed-orders.js";

const ROUNDS = scaled(5, 1);
const ORDERS = scaled(100, 5);
const WARM_UP_ORDERS = scaled(20, 1);
const IDLE_MS = 30;

const GOAL_MS = 50;

/** How long a finished picture takes to Telegram while nothing else happens. */
export function measureDelivery(): Promise<Figure[]> {
  return withDirectory(async (directory) => {
    const api = await BotApi.listen();
    const crowd = new Crowd(api, 1);
    const service = await startProgram("serviceWithStub", { apiRoot: api.root, dataDir: directory });
    const order = timedOrders(service, crowd, { api, idleMs: IDLE_MS });
    for (let warm = 0; warm < WARM_UP_ORDERS; warm += 1) await order();
    const rounds: Waits[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const waits: Waits[] = [];
      for (let count = 0; count < ORDERS; count += 1) waits.push(await order());
      rounds.push(waits);
    }
    await service.stop();
    api.close();
    return report(rounds);
  });
}

function report(rounds: readonly Waits[][]): Figure[] {
  const worst = (key: keyof Waits) => median(rounds.map((waits) => p99(waits.map((wait) => wait[key]))));
  const usual = (key: keyof Waits) => median(rounds.flat().map((wait) => wait[key]));
  const done = worst("fromDone");
  return [
    {
      what: "from a job's `done` (commit) to the photo at the server, p99",
      measured: `${done.toFixed(1)} ms`,
      goal: `≤ ${GOAL_MS} ms`,
      isReached: done <= GOAL_MS,
    },
    {
      what: "   the same, median; and from the provider's answer, median and p99",
      measured: `${usual("fromDone").toFixed(1)}; ${usual("fromMade").toFixed(1)}, ${worst("fromMade").toFixed(1)} ms`,
    },
  ];
}
