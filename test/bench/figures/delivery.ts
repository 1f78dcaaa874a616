import { setTimeout as pause } from "node:timers/promises";
import { Crowd } from "../crowd.js";
import { startProgram, withDirectory } from "../program.js";
import type { JobMoment } from "../programs/service-with-stub.js";
import { atMost, type Figure } from "../report.js";
import { scaled } from "../scale.js";
import { COMPOSE } from "../script.js";
import { median, p99 } from "../statistics.js";

const ROUNDS = scaled(5, 1);
const ORDERS = scaled(100, 5);
const WARM_UP_ORDERS = scaled(20, 1);
const IDLE_MS = 30;
const NS_A_MS = 1e6;

const GOAL_MS = 50;

interface Waits {
  /** From the commit of the job's end to the complete photo at the server, ms. */
  fromDone: number;
  /** From the provider's answer: the file's way into the store and the commit are in it. */
  fromMade: number;
}

/** How long a finished picture takes to Telegram while nothing else happens. */
export function measureDelivery(): Promise<Figure[]> {
  return withDirectory(async (directory) => {
    const crowd = await Crowd.open(1);
    const { sandbox } = crowd;
    const service = await startProgram("serviceWithStub", { apiRoot: sandbox.url, dataDir: directory });
    const moments = new Map<JobMoment["moment"], number>();
    service.child.on("message", (message: JobMoment) => {
      moments.set(message.moment, Number(message.atNs));
    });
    const order = async (): Promise<Waits> => {
      await pause(IDLE_MS);
      for (const step of COMPOSE) await crowd.all(step);
      await crowd.pay();
      const receivedAt = Number(process.hrtime.bigint());
      await pause(IDLE_MS);
      const since = (moment: JobMoment["moment"]) => (receivedAt - (moments.get(moment) ?? 0)) / NS_A_MS;
      return { fromDone: since("done"), fromMade: since("made") };
    };
    for (let warm = 0; warm < WARM_UP_ORDERS; warm += 1) await order();
    const rounds: Waits[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const waits: Waits[] = [];
      for (let count = 0; count < ORDERS; count += 1) waits.push(await order());
      rounds.push(waits);
    }
    await service.stop();
    await sandbox.close();
    return report(rounds);
  });
}

function report(rounds: readonly Waits[][]): Figure[] {
  const worst = (key: keyof Waits) => median(rounds.map((waits) => p99(waits.map((wait) => wait[key]))));
  const usual = (key: keyof Waits) => median(rounds.flat().map((wait) => wait[key]));
  return [
    atMost(
      "from a job's `done` (commit) to the photo at the server, p99",
      worst("fromDone"),
      GOAL_MS,
      " ms",
      1,
    ),
    {
      what: "   the same, median; and from the provider's answer, median and p99",
      measured: `${usual("fromDone").toFixed(1)}; ${usual("fromMade").toFixed(1)}, ${worst("fromMade").toFixed(1)} ms`,
    },
  ];
}
