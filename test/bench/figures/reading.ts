import { wordingOf, writeTrack } from "@atelier/preview-renderer/parts";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { median } from "../statistics.js";

const ROUNDS = scaled(5, 1);
const LYRICS = ["Моя душа поёт\n".repeat(280), "[".repeat(4000), "а ".repeat(2000)];

/** CPU time of this process for reading the longest texts that a request may have. */
export function measureReading(): Promise<Figure[]> {
  return Promise.resolve([
    figureOf("a prompt of the largest length is read, CPU", 200, () =>
      wordingOf("слово город ".repeat(1700)),
    ),
    figureOf("three lyrics of the largest length are composed, CPU", 1500, () => {
      for (const lyrics of LYRICS) {
        const wish = { mode: "lyrics", lyrics, style_preset_id: "pop", duration_sec: 360 };
        const request = { type: "music", model_key: "music:test", ...wish } as const;
        writeTrack({ request, model: "test", seed: 7 }, 0);
      }
    }),
  ]);
}

function figureOf(what: string, goalMs: number, work: () => unknown): Figure {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = process.cpuUsage();
    work();
    return process.cpuUsage(start).user / 1000;
  });
  const time = median(times);
  return { what, measured: `${time.toFixed(0)} ms`, goal: `≤ ${goalMs} ms`, isReached: time <= goalMs };
}
