import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProviderState } from "../../src/catalogue/choose-provider.js";
import type { OnQueue, Provider, Renderer, Upstream, UpstreamTask } from "../../src/jobs/provider.js";
import { failedOutcome } from "../../src/jobs/provider.js";
import type { ReferenceReader } from "../../src/jobs/reference-reader.js";
import { GenerationError } from "../../src/workers/generation-error.js";
import type { GeneratedFile } from "../../src/workers/worker-pool.js";
import { UP } from "./provider-states.js";

/** A task of either kind of provider. */
export type StubTask = Parameters<Renderer["run"]>[0] & Partial<UpstreamTask>;

/** A task that a test holds until it says how it ends. */
export interface HeldTask {
  task: StubTask;
  signal: AbortSignal;
  tellQueue: OnQueue;
  /** Makes the files and ends the task well. */
  finish(): void;
  fail(error: Error): void;
}

export interface StubProvider extends Omit<Upstream, "kind" | "state" | "run"> {
  readonly kind: Provider["kind"];
  readonly isPreview: boolean;
  /** Every task that was given, in order. */
  readonly tasks: StubTask[];
  /** Tasks that wait for `finish` or `fail`, oldest first. */
  readonly held: HeldTask[];
  /** True keeps every new task until the test ends it. */
  holds: boolean;
  /** False makes held tasks ignore their abort. */
  heedsAbort: boolean;
  state: ProviderState;
  /** How a task that is not held ends. */
  make: (task: StubTask) => Promise<readonly GeneratedFile[]>;
  run(task: StubTask, signal: AbortSignal, onQueue?: OnQueue): ReturnType<Upstream["run"]>;
}

/** A provider that makes small true-looking files at once, or when a test says so. */
export function createStubProvider(
  concurrency = 2,
  { name = "local", kind = "renderer" }: Partial<Pick<Provider, "name" | "kind">> = {},
): StubProvider {
  const generate = async (task: StubTask, signal: AbortSignal, tellQueue: OnQueue) => {
    stub.tasks.push(task);
    if (stub.holds) await hold(stub, { task, signal, tellQueue });
    return { kind: "made" as const, files: await stub.make(task) };
  };
  const stub: StubProvider = {
    name,
    kind,
    concurrency,
    isPreview: kind === "renderer",
    state: UP,
    tasks: [],
    held: [],
    holds: false,
    heedsAbort: true,
    make: makeFiles,
    newJobsMax: concurrency,
    start: async () => {},
    hasAttempt: () => false,
    forget: () => {},
    resume: () => {},
    run: (task, signal, onQueue = () => {}) => generate(task, signal, onQueue).catch(failedOutcome),
    close: async () => {},
  };
  return stub;
}

/** The same as a service elsewhere. */
export function createStubService(name: string, concurrency = 2): StubProvider {
  return createStubProvider(concurrency, { name, kind: "upstream" });
}

/** References that are read without a network: by the names of files in their job's folder. */
export const readNamed: ReferenceReader = async ({ directory, index }) =>
  join(directory, `reference-${index}`);

function hold(stub: StubProvider, given: Pick<HeldTask, "task" | "signal" | "tellQueue">): Promise<void> {
  return new Promise((resolve, reject) => {
    const release = () => {
      const place = stub.held.indexOf(held);
      if (place >= 0) stub.held.splice(place, 1);
    };
    const fail = (error: Error) => {
      release();
      reject(error);
    };
    const finish = () => {
      release();
      resolve();
    };
    const held: HeldTask = { ...given, finish, fail };
    stub.held.push(held);
    given.signal.addEventListener("abort", () => {
      if (stub.heedsAbort) fail(new GenerationError("timeout", "Aborted."));
    });
  });
}

/** One picture or film; for music its tracks, each with a cover. The content names the seed. */
export async function makeFiles(task: StubTask): Promise<GeneratedFile[]> {
  const make = async (name: string, mime: string, facts: Partial<GeneratedFile> = {}) => {
    const path = join(task.directory, name);
    await writeFile(path, `${name} ${task.model} ${task.seed}`).catch((cause: unknown) => {
      throw new GenerationError("storage", "The file cannot be written.", { cause });
    });
    return { path, mime, ...facts };
  };
  if (task.request.type === "image") return [await make("a.webp", "image/webp", { width: 64, height: 32 })];
  if (task.request.type === "video")
    return [await make("a.mp4", "video/mp4", { width: 64, height: 32, durationSec: 5 })];
  const files: GeneratedFile[] = [];
  for (let number = 1; number <= task.tracks; number += 1) {
    const title = number === 1 ? { title: "First" } : {};
    files.push(await make(`${number}.mp3`, "audio/mpeg", { durationSec: 18.5 + 1.5 * number, ...title }));
    files.push(await make(`${number}.webp`, "image/webp"));
  }
  return files;
}
