import { Crowd } from "../crowd.js";
import { cpuMs, peakMemoryMb } from "../process-cost.js";
import { startProgram, withDirectory } from "../program.js";
import { atMost, type Figure } from "../report.js";
import { scaled } from "../scale.js";
import { WIZARD } from "../script.js";
import { median, p99 } from "../statistics.js";

/** As many messages as Telegram lets a bot send. */
const UPDATES_A_SECOND = 30;
const CHATS = 300;
const ROUNDS = scaled(5, 1);
const WARM_UP_MS = scaled(10_000, 1000);
const MEASURED_MS = scaled(60_000, 1000);

const CPU_GOAL_PERCENT = 8;
const MEMORY_GOAL_MB = 140;
const ANSWER_GOAL_MS = 20;

interface Round {
  cpuPercent: number;
  memoryMb: number;
  answerMs: number;
}

/** What the service costs, and how soon it answers, at the pace that Telegram allows. */
export async function measurePace(): Promise<Figure[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await withDirectory(measure));
  const of = (key: keyof Round) => median(rounds.map((round) => round[key]));
  const [cpu, memory, answer] = [of("cpuPercent"), of("memoryMb"), of("answerMs")];
  return [
    atMost(
      `CPU of one core at ${UPDATES_A_SECOND} updates a second for a minute`,
      cpu,
      CPU_GOAL_PERCENT,
      " %",
      1,
    ),
    atMost("   memory (peak)", memory, MEMORY_GOAL_MB, " MB"),
    atMost("   from the update to its card, p99", answer, ANSWER_GOAL_MS, " ms", 1),
  ];
}

async function measure(directory: string): Promise<Round> {
  const crowd = await Crowd.open(CHATS);
  const service = await startProgram("service", { apiRoot: crowd.sandbox.url, dataDir: directory });
  await crowd.pace(WIZARD, UPDATES_A_SECOND, WARM_UP_MS);
  const cpu = cpuMs(service.pid);
  const begun = performance.now();
  const waits = await crowd.pace(WIZARD, UPDATES_A_SECOND, MEASURED_MS);
  const elapsedMs = performance.now() - begun;
  const round = {
    cpuPercent: ((cpuMs(service.pid) - cpu) / elapsedMs) * 100,
    memoryMb: peakMemoryMb(service.pid),
    answerMs: p99(waits),
  };
  await service.stop();
  await crowd.sandbox.close();
  return round;
}
