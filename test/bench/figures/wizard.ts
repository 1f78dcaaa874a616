import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Contestant, type Program, startContestant, withDirectory } from "../contestant.js";
import { cpuMs, peakMemoryMb } from "../process-cost.js";
import type { Figure } from "../report.js";
import { BotApi } from "../server/bot-api.js";
import { Crowd } from "../server/crowd.js";
import { WIZARD } from "../server/script.js";
import { median } from "../statistics.js";

const CHATS = 300;
/** Each with new processes: the same program is some percent faster in one than in another. */
const ROUNDS = 5;
/** Short ones, in turns: what else runs on the machine changes from one second to the next. */
const TURNS = 3;
const TURN_MS = 2000;
/** The load of a turn has come back to its pace by then. */
const SETTLE_MS = 500;
/** V8 goes on compiling for some seconds of full load: what counts is a bot that has been running. */
const WARM_UP_MS = 6000;

const CONVERSATIONS_GOAL = 2;

const NAMES = {
  service: "service",
  telegraf: "Telegraf, state in memory",
  conversations: "grammY with conversations on SQLite",
} as const satisfies Partial<Record<Program, string>>;
type Name = keyof typeof NAMES;

/** What a program did in all its turns of a round. */
interface Load {
  updates: number;
  elapsedMs: number;
  /** CPU time of the program, and of the Bot API server itself, ms. */
  cpuMs: number;
  serverMs: number;
  peakMemoryMb: number;
}
type Round = Readonly<Record<Name, Load>>;

/** A program with a Bot API server and chats of its own. */
interface Racer {
  api: BotApi;
  crowd: Crowd;
  contestant: Contestant;
  load: Load;
}

const updatesASecond = ({ updates, elapsedMs }: Load) => updates / (elapsedMs / 1000);
const cpuMsAnUpdate = ({ updates, cpuMs }: Load) => cpuMs / updates;

/** Updates a second at saturation, beside a Telegraf scene and a grammY conversation, which take turns. */
export async function measureWizard(): Promise<Figure[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await withDirectory(race));
  return figuresOf(rounds);
}

async function race(directory: string): Promise<Round> {
  const racers = await startRacers(directory);
  const inOrder = [...racers.values()];
  for (const racer of inOrder) {
    await takeTurn(racer, WARM_UP_MS);
    racer.load = nothingDone();
  }
  for (let turn = 0; turn < TURNS; turn += 1) {
    // There and back, so that a machine that grows faster or slower favours nobody.
    for (const racer of turn % 2 === 0 ? inOrder : inOrder.toReversed()) await takeTurn(racer, TURN_MS);
  }
  for (const { contestant, api, load } of inOrder) {
    load.peakMemoryMb = peakMemoryMb(contestant.pid);
    await contestant.stop();
    api.close();
  }
  return Object.fromEntries([...racers].map(([name, { load }]) => [name, load])) as unknown as Round;
}

function nothingDone(): Load {
  return { updates: 0, elapsedMs: 0, cpuMs: 0, serverMs: 0, peakMemoryMb: 0 };
}

async function startRacers(directory: string): Promise<ReadonlyMap<Name, Racer>> {
  const racers = new Map<Name, Racer>();
  for (const name of Object.keys(NAMES) as Name[]) {
    const dataDir = join(directory, name);
    mkdirSync(dataDir);
    const api = await BotApi.listen();
    const crowd = new Crowd(api, CHATS);
    const contestant = await startContestant(name, { apiRoot: api.root, dataDir });
    racers.set(name, { api, crowd, contestant, load: nothingDone() });
  }
  return racers;
}

/** The load of all chats on one program for a while; the others rest. */
async function takeTurn({ crowd, contestant: { pid }, load }: Racer, turnMs: number): Promise<void> {
  crowd.run(WIZARD);
  await pause(SETTLE_MS);
  const answered = crowd.answered;
  const cpu = cpuMs(pid);
  const serverCpu = process.cpuUsage();
  const began = performance.now();
  await pause(turnMs);
  load.elapsedMs += performance.now() - began;
  load.updates += crowd.answered - answered;
  load.cpuMs += cpuMs(pid) - cpu;
  const { user, system } = process.cpuUsage(serverCpu);
  load.serverMs += (user + system) / 1000;
  await crowd.rest();
}

function figuresOf(rounds: readonly Round[]): Figure[] {
  const ratio = (one: Name, other: Name) =>
    median(rounds.map((round) => updatesASecond(round[one]) / updatesASecond(round[other])));
  const ofTelegraf = ratio("service", "telegraf");
  const ofConversations = ratio("service", "conversations");
  return [
    {
      what: "updates a second at saturation, service / Telegraf in memory",
      measured: ofTelegraf.toFixed(2),
      goal: "> 1",
      isReached: ofTelegraf > 1,
    },
    {
      what: "   the same, service / grammY with conversations on SQLite",
      measured: ofConversations.toFixed(2),
      goal: `≥ ${CONVERSATIONS_GOAL}`,
      isReached: ofConversations >= CONVERSATIONS_GOAL,
    },
    ...(Object.keys(NAMES) as Name[]).map((name) =>
      explain(
        NAMES[name],
        rounds.map((round) => round[name]),
      ),
    ),
  ];
}

function explain(name: string, loads: readonly Load[]): Figure {
  const of = (read: (load: Load) => number) => median(loads.map(read));
  const rate = `${of(updatesASecond).toFixed(0)} /s`;
  const cpu = `${of(cpuMsAnUpdate).toFixed(3)} ms CPU`;
  const memory = `${of((load) => load.peakMemoryMb).toFixed(0)} MB`;
  const server = `server ${of((load) => (load.serverMs / load.elapsedMs) * 100).toFixed(0)} % of a core`;
  return { what: `   ${name}`, measured: [rate, cpu, memory, server].join(", ") };
}
