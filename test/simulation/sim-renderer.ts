import { join } from "node:path";
import type { GenerationTask, Outcome, Provider } from "../../src/jobs/provider.js";
import { type Clock, sleep } from "../../src/platform/clock.js";
import type { GeneratedFile } from "../../src/workers/worker-pool.js";
import type { MemoryDisk } from "./memory-disk.js";
import type { Random } from "./random.js";

interface Render {
  id: string;
  input: GenerationTask["request"];
}

const KINDS = {
  image: { mime: "image/png", extension: "png", sides: { width: 64, height: 64 } },
  video: { mime: "video/mp4", extension: "mp4", sides: { width: 64, height: 64, durationSec: 5 } },
  music: { mime: "audio/mpeg", extension: "mp3", sides: { durationSec: 60 } },
} as const;

/** The machine that renders: it makes files, refuses, fails or breaks, and forgets what it did when a process dies. */
export class SimRenderer {
  readonly tasks: Render[] = [];
  /** Share of runs that go wrong. */
  faultShare = 0;

  constructor(
    private readonly random: Random,
    private readonly disk: MemoryDisk,
  ) {}

  /** @param clock of the process, so that nothing comes of the runs of a dead one */
  providerOf(clock: Clock): Provider {
    return {
      name: "local",
      kind: "renderer",
      isPreview: false,
      concurrency: 3,
      run: (task, signal) => this.#run(task, clock, signal),
      close: async () => {},
    };
  }

  async #run(task: GenerationTask, clock: Clock, signal: AbortSignal): Promise<Outcome> {
    const isFaulty = this.random.chance(this.faultShare);
    await sleep(clock, this.random.integer(500, isFaulty ? 90_000 : 20_000), signal);
    if (signal.aborted) return { kind: "failed", failure: "timeout", error: "too slow" };
    if (isFaulty && this.random.chance(0.3)) throw new Error("the renderer broke");
    if (isFaulty && this.random.chance(0.5)) return { kind: "failed", failure: "memory", error: "too large" };
    if (isFaulty) return { kind: "failed", failure: "refused", error: "cannot do that" };
    return { kind: "made", files: await this.#make(task) };
  }

  /** The content of a file is its address. */
  async #make(task: GenerationTask): Promise<GeneratedFile[]> {
    const { mime, extension, sides } = KINDS[task.request.type];
    const id = `render-${this.tasks.length + 1}`;
    this.tasks.push({ id, input: task.request });
    const files: GeneratedFile[] = [];
    for (let track = 1; track <= Math.max(1, task.tracks); track += 1) {
      const path = join(task.directory, `${track}.${extension}`);
      await this.disk.write(path, [Buffer.from(`https://render.invalid/${track}/${id}.${extension}`)]);
      files.push({ path, mime, ...sides });
    }
    return files;
  }
}
