import { setTimeout as pause } from "node:timers/promises";
import { type Program, startContestant, withDirectory } from "../contestant.js";
import { cpuMs, peakMemoryMb } from "../process-cost.js";
import type { Figure } from "../report.js";
import { BotApi } from "../server/bot-api.js";
import { Crowd } from "../server/crowd.js";
import { WIZARD } from "../server/script.js";
import { median } from "../statistics.js";

const CHATS = 300;
const ROUNDS = 5;
const WARM_UP_MS = 3000;
const WINDOW_MS = 5000;

const RATIO_GOAL = 0.45;
const MEMORY_GOAL_MB = 180;

interface Load {
  updatesASecond: number;
  /** CPU time of the contestant for an update, ms. */
  cpuMsAnUpdate: number;
  peakMemoryMb: number;
  /** The part of one core that the Bot API server itself used. */
  serverShare: number;
}

/** Updates a second against a bare loop and against Telegraf, in turns; and the memory of the service. */
export async function measureWizard(): Promise<Figure[]> {
  const service: Load[] = [];
  const bare: Load[] = [];
  const inTurn: Load[] = [];
  const telegraf: Load[] = [];
  const least: Load[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await measureLoad("bareLoop"));
    service.push(await measureLoad("service"));
    telegraf.push(await measureLoad("telegraf"));
    inTurn.push(await measureLoad("bareLoopInTurn"));
    least.push(await measureLoad("grammyLoop"));
  }
  const ratios = (over: readonly Load[], loads: readonly Load[] = service) =>
    loads.map((load, round) => load.updatesASecond / (over[round]?.updatesASecond ?? Number.NaN));
  const ofBare = median(ratios(bare));
  const ofTelegraf = median(ratios(telegraf));
  const memory = Math.max(...service.map((load) => load.peakMemoryMb));
  return [
    {
      what: "1. updates a second, service / bare loop",
      measured: ofBare.toFixed(2),
      goal: `≥ ${RATIO_GOAL}`,
      isReached: ofBare >= RATIO_GOAL,
    },
    {
      what: "   updates a second, service / Telegraf in memory",
      measured: ofTelegraf.toFixed(2),
      goal: "> 1",
      isReached: ofTelegraf > 1,
    },
    {
      what: "   the same, service / bare loop that sends one message after the other",
      measured: median(ratios(inTurn)).toFixed(2),
    },
    {
      what: "   the least with grammY that commits and calls the same / bare loop; service / that least",
      measured: `${median(ratios(bare, least)).toFixed(2)}, ${median(ratios(least)).toFixed(2)}`,
    },
    {
      what: "   CPU an update, bare loop / service, and Telegraf / service: waiting for the disk is not in it",
      measured: `${cpuRatio(bare, service)}, ${cpuRatio(telegraf, service)}`,
    },
    explain("service", service),
    explain("bare loop", bare),
    explain("bare loop, one message after the other", inTurn),
    explain("the least with grammY", least),
    explain("Telegraf", telegraf),
    {
      what: "3. memory of the service under that load (peak)",
      measured: `${memory.toFixed(0)} MB`,
      goal: `≤ ${MEMORY_GOAL_MB} MB`,
      isReached: memory <= MEMORY_GOAL_MB,
    },
  ];
}

/** One contestant under the load of all chats, after a warm-up. */
export function measureLoad(program: Program, nodeArguments: readonly string[] = []): Promise<Load> {
  return withDirectory(async (directory) => {
    const api = await BotApi.listen();
    const crowd = new Crowd(api, CHATS);
    const contestant = await startContestant(program, {
      apiRoot: api.root,
      dataDir: directory,
      nodeArguments,
    });
    crowd.run(WIZARD);
    await pause(WARM_UP_MS);
    const answered = crowd.answered;
    const cpu = cpuMs(contestant.pid);
    const serverCpu = process.cpuUsage();
    const began = performance.now();
    await pause(WINDOW_MS);
    const elapsedMs = performance.now() - began;
    const updates = crowd.answered - answered;
    const { user, system } = process.cpuUsage(serverCpu);
    const load = {
      updatesASecond: updates / (elapsedMs / 1000),
      cpuMsAnUpdate: (cpuMs(contestant.pid) - cpu) / updates,
      peakMemoryMb: peakMemoryMb(contestant.pid),
      serverShare: (user + system) / 1000 / elapsedMs,
    };
    crowd.rest();
    await contestant.stop();
    api.close();
    return load;
  });
}

function cpuRatio(other: readonly Load[], service: readonly Load[]): string {
  return median(
    service.map((load, round) => (other[round]?.cpuMsAnUpdate ?? Number.NaN) / load.cpuMsAnUpdate),
  ).toFixed(2);
}

function explain(name: string, loads: readonly Load[]): Figure {
  const of = (key: keyof Load) => median(loads.map((load) => load[key]));
  const rate = `${of("updatesASecond").toFixed(0)} /s`;
  const cpu = `${of("cpuMsAnUpdate").toFixed(3)} ms CPU`;
  const memory = `${of("peakMemoryMb").toFixed(0)} MB`;
  const server = `server ${(of("serverShare") * 100).toFixed(0)} % of a core`;
  return { what: `   ${name}`, measured: [rate, cpu, memory, server].join(", ") };
}
