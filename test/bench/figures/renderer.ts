import { once } from "node:events";
import { peakMemoryMb } from "../process-cost.js";
import { type RunningProgram, startProgram, withDirectory } from "../program.js";
import type { RenderWish } from "../programs/renderer.js";
import type { Figure } from "../report.js";
import { scaled } from "../scale.js";
import { median } from "../statistics.js";

const ROUNDS = scaled(5, 1);

type Wish = Omit<RenderWish, "seed">;

interface Goal {
  what: string;
  goalMs: number;
  /** One for each round. */
  wishes: readonly Wish[];
}

const PROMPTS = [
  "a red fox in the snow",
  "ночной город под дождём",
  "a lighthouse by the sea",
  "forest",
  "abstract",
];
const SONGS = [
  "a slow song about the sea",
  "быстрый рок про дорогу",
  "calm piano",
  "a happy pop song",
  "techno",
];

const GOALS: readonly Goal[] = [
  {
    what: "a picture of 1K, CPU",
    goalMs: 600,
    wishes: PROMPTS.map((prompt) => ({
      request: {
        type: "image",
        model_key: "bench",
        prompt,
        aspect_ratio: "1:1",
        resolution: "1K",
        generation_mode: "quality",
      },
      tracks: 1,
    })),
  },
  {
    what: "5 s of video at 720p with sound, CPU",
    goalMs: 6000,
    wishes: PROMPTS.map((prompt) => ({
      request: {
        type: "video",
        model_key: "bench",
        prompt,
        aspect_ratio: "16:9",
        resolution: "720p",
        duration_sec: 5,
        sound: true,
      },
      tracks: 1,
    })),
  },
  {
    what: "30 s of music, CPU",
    goalMs: 3000,
    wishes: SONGS.map((description) => ({
      request: { type: "music", model_key: "bench", mode: "description", description, duration_sec: 30 },
      tracks: 1,
    })),
  },
];

/** CPU time of the renderer's process for one of each kind: the median and the most of different ones. */
export async function measureRenderer(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const goal of GOALS) figures.push(await withDirectory((directory) => measure(directory, goal)));
  return figures;
}

async function measure(directory: string, { what, goalMs, wishes }: Goal): Promise<Figure> {
  const renderer = await startProgram("renderer", { dataDir: directory });
  await once(renderer.child, "message");
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const wish = wishes[round % wishes.length];
    if (wish) times.push(await ask(renderer, { ...wish, seed: round }));
  }
  const memoryMb = peakMemoryMb(renderer.pid);
  await renderer.stop();
  const time = median(times);
  const most = Math.max(...times);
  return {
    what,
    measured: `${time.toFixed(0)} ms (most ${most.toFixed(0)} ms, ${memoryMb.toFixed(0)} MB)`,
    goal: `≤ ${goalMs} ms`,
    isReached: time <= goalMs,
  };
}

async function ask({ child }: RunningProgram, wish: RenderWish): Promise<number> {
  const answered = once(child, "message");
  child.send(wish);
  const [cpuMs] = await answered;
  return Number(cpuMs);
}
