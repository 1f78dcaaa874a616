import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { databaseBytes } from "../database-bytes.js";
import { cpuMs } from "../process-cost.js";
import { startProgram, withDirectory } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { BotApi } from "../server/bot-api.js";
import { Crowd } from "../server/crowd.js";
import { OPEN_CARD, TAP_PAIR } from "../server/script.js";
import { median } from "../statistics.js";

const CHATS = scaled(300, 30);
const CARDS = scaled(5, 1);
const TAPS = scaled(100, 10);
/** The CPU clock counts in ticks of 10 ms, so a few taps of one kind are taken together. */
const TAPS_TOGETHER = 5;
/** What a handler still does after its reply: the answer to the tap, the end of its inbox row. */
const SETTLE_MS = 60;

const CPU_GOAL = 1.3;
const BYTES_GOAL = 500;

/** What the hundredth tap on one card costs against the second, and what each step leaves on the disk. */
export function measureCard(): Promise<Figure[]> {
  return withDirectory(async (directory) => {
    const api = await BotApi.listen();
    const crowd = new Crowd(api, CHATS);
    const service = await startProgram("service", { apiRoot: api.root, dataDir: directory });
    const file = join(directory, "atelier.db");
    await tapOneCard(crowd, service.pid);
    const before = { bytes: databaseBytes(file), steps: crowd.answered };
    const ratios: number[] = [];
    for (let card = 0; card < CARDS; card += 1) ratios.push(await tapOneCard(crowd, service.pid));
    const bytes = (databaseBytes(file) - before.bytes) / (crowd.answered - before.steps);
    await service.stop();
    api.close();
    const ratio = median(ratios);
    return [
      {
        what: "CPU of the 100th tap on a card / the 2nd",
        measured: ratio.toFixed(2),
        goal: `≤ ${CPU_GOAL}`,
        isReached: ratio <= CPU_GOAL,
      },
      {
        what: "   bytes kept in the database a step",
        measured: bytes.toFixed(0),
        goal: `≤ ${BYTES_GOAL}`,
        isReached: bytes <= BYTES_GOAL,
      },
    ];
  });
}

/** Opens a card in every chat and taps on it; answers with the cost of its last taps over its first. */
async function tapOneCard(crowd: Crowd, pid: number): Promise<number> {
  for (const step of OPEN_CARD) await crowd.all(step);
  const costs: number[] = [];
  for (let tap = 0; tap < TAPS; tap += 1) {
    const step = TAP_PAIR[tap % TAP_PAIR.length];
    if (!step) break;
    await pause(SETTLE_MS);
    const began = cpuMs(pid);
    await crowd.all(step);
    await pause(SETTLE_MS);
    costs.push(cpuMs(pid) - began);
  }
  // Taps 2, 4, … are of one kind: they pick a value.
  const picks = costs.filter((_cost, tap) => tap % 2 === 1);
  return sum(picks.slice(-TAPS_TOGETHER)) / sum(picks.slice(0, TAPS_TOGETHER));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
