import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { WORKER_FILE } from "@atelier/preview-renderer";
import type { GenerationTask } from "../../../src/jobs/provider.js";
import { systemClock } from "../../../src/platform/clock.js";
import { createLocalProvider } from "../../../src/providers/local.js";
import { withDirectory } from "../program.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { median } from "../statistics.js";

const ROUNDS = scaled(5, 1);
const GOAL_MS = 20;
const PROMPTS = ["ночной город", "осенний лес"];

/** Delay of the service's event loop while the local renderer paints two pictures of 2K. */
export function measureLoopDelay(): Promise<Figure[]> {
  return withDirectory(async (directory) => {
    const provider = createLocalProvider({
      clock: systemClock,
      workerFile: WORKER_FILE,
      concurrency: PROMPTS.length,
      timeoutSec: 60,
    });
    const { signal } = new AbortController();
    const paint = async (round: number) => {
      const tasks = await Promise.all(
        PROMPTS.map((prompt, at) => taskOf(directory, prompt, round * 10 + at)),
      );
      await Promise.all(tasks.map((task) => provider.run(task, signal)));
    };
    // The processes are started before the measurement.
    await paint(0);
    const delays: number[] = [];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      await paint(round);
      delay.disable();
      delays.push(delay.percentile(99) / 1e6);
    }
    await provider.close();
    const p99 = median(delays);
    return [
      {
        what: "event loop while two pictures are rendered, p99",
        measured: `${p99.toFixed(1)} ms`,
        goal: `≤ ${GOAL_MS} ms`,
        isReached: p99 <= GOAL_MS,
      },
    ];
  });
}

async function taskOf(parent: string, prompt: string, jobId: number): Promise<GenerationTask> {
  const directory = join(parent, String(jobId));
  await mkdir(directory);
  const parameters = { aspect_ratio: "1:1", resolution: "2K", generation_mode: "quality" };
  const request = { type: "image", model_key: "bench", prompt, ...parameters } as const;
  return { jobId, request, model: "bench", seed: jobId, tracks: 1, references: [], directory };
}
