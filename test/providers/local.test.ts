import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { WORKER_FILE } from "@atelier/preview-renderer";
import { loadImage } from "@napi-rs/canvas";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Renderer } from "../../src/jobs/provider.js";
import { systemClock } from "../../src/platform/clock.js";
import { createLocalProvider } from "../../src/providers/local.js";
import type { WorkerPoolOptions } from "../../src/workers/worker-pool.js";
import { createManualClock } from "../support/manual-clock.js";
import { isRunning } from "../support/processes.js";
import { filesOf, MOODY_WORKER_FILE, never, newTask, newVideoTask } from "../support/render-tasks.js";

function provider(options: Partial<WorkerPoolOptions> = {}): Renderer {
  const made = createLocalProvider({
    clock: systemClock,
    concurrency: 2,
    timeoutSec: 30,
    workerFile: WORKER_FILE,
    ...options,
  });
  onTestFinished(() => made.close());
  return made;
}

const moody = (options: Partial<WorkerPoolOptions> = {}): Renderer =>
  provider({ workerFile: MOODY_WORKER_FILE, ...options });

/** The id of the process that a moody provider renders in. */
async function processOf(made: Renderer): Promise<number> {
  const [file] = await filesOf(made.run(await newTask("who"), never));
  return Number(file?.title);
}

describe("the local renderer", () => {
  test("makes a WebP of the asked size, the same bytes each time", async () => {
    const made = provider();
    const contents: Buffer[] = [];
    for (const seed of [5, 5, 6]) {
      const task = await newTask("зимний лес", { aspect_ratio: "3:2" }, { seed });
      const [file] = await filesOf(made.run(task, never));
      expect(file).toEqual({
        path: join(task.directory, "image.webp"),
        mime: "image/webp",
        width: 1256,
        height: 840,
      });
      contents.push(await readFile(file?.path ?? ""));
    }
    const [first, again, other] = contents as [Buffer, Buffer, Buffer];
    expect(await loadImage(first)).toMatchObject({ width: 1256, height: 840 });
    expect(again.equals(first)).toBe(true);
    expect(other.equals(first)).toBe(false);
    expect(made).toMatchObject({ name: "local", kind: "renderer", isPreview: true, concurrency: 2 });
  });

  test("makes a video, the same bytes in another process", async () => {
    const files = [provider(), provider()].map(async (made) => {
      const parameters = { resolution: "480p", duration_sec: 1, sound: true };
      const [file] = await filesOf(made.run(await newVideoTask("ночной город", parameters), never));
      expect(file).toMatchObject({ mime: "video/mp4", width: 854, height: 480, durationSec: 1 });
      return readFile(file?.path ?? "");
    });
    const [first, second] = await Promise.all(files);
    expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
  });

  test("says why it cannot make a picture, and goes on", async () => {
    const made = provider({ concurrency: 1 });
    const task = await newTask("sea");
    const garbage = join(task.directory, "reference");
    await writeFile(garbage, "no picture");
    await expect(made.run({ ...task, references: [garbage] }, never)).resolves.toMatchObject({
      failure: "reference",
    });
    await expect(made.run({ ...task, directory: "/nowhere" }, never)).resolves.toMatchObject({
      failure: "storage",
    });
    await expect(filesOf(made.run(task, never))).resolves.toHaveLength(1);
  });
});

describe("a renderer's process", () => {
  test("is killed at the deadline, without another try, and the next task works", async () => {
    // Long enough for the next task's process to start on a busy machine.
    const made = moody({ timeoutSec: 3, concurrency: 1 });
    const pid = await processOf(made);
    await expect(made.run(await newTask("hang"), never)).resolves.toMatchObject({ failure: "timeout" });
    expect(isRunning(pid)).toBe(false);
    expect(await processOf(made)).not.toBe(pid);
  });

  test("is killed at the memory limit, and the next task works", async () => {
    const made = moody({ memoryLimitBytes: 200 * 1024 ** 2, concurrency: 1 });
    const pid = await processOf(made);
    await expect(made.run(await newTask("hog"), never)).resolves.toMatchObject({ failure: "memory" });
    expect(isRunning(pid)).toBe(false);
    expect(await processOf(made)).toBeGreaterThan(0);
  });

  test("is killed when its task is aborted", async () => {
    const made = moody({ concurrency: 1 });
    const pid = await processOf(made);
    const controller = new AbortController();
    const hanging = made.run(await newTask("hang"), controller.signal);
    controller.abort();
    await expect(hanging).resolves.toMatchObject({
      failure: "provider",
      cause: { message: expect.stringContaining("aborted") },
    });
    expect(isRunning(pid)).toBe(false);
  });

  test("a task that is aborted while it waits gives its turn to the next", async () => {
    const made = moody({ concurrency: 1 });
    const controller = new AbortController();
    const [hang, who, also] = [await newTask("hang"), await newTask("who"), await newTask("who")];
    const results = Promise.allSettled([
      made.run(hang, controller.signal),
      made.run(who, controller.signal),
      made.run(also, never),
    ]);
    controller.abort();
    expect(await results).toMatchObject([
      { status: "fulfilled", value: { failure: "provider" } },
      { status: "fulfilled", value: { failure: "provider" } },
      { status: "fulfilled", value: { files: [{}] } },
    ]);
  });

  test("is killed when the provider closes, idle or busy", async () => {
    const made = moody();
    const idle = await processOf(made);
    const busy = await processOf(made);
    const hanging = made.run(await newTask("hang"), never);
    const failed = expect(hanging).resolves.toMatchObject({ failure: "provider" });
    await made.close();
    await failed;
    expect([idle, busy].filter(isRunning)).toEqual([]);
    await expect(made.run(await newTask("who"), never)).resolves.toMatchObject({ failure: "provider" });
  });

  test.each([
    ["crash", "a crash for the test"],
    ["throw", "/a/path/of/the/program"],
    ["nonsense", ""],
  ])("a %s fails its task only, and what the process says of it is for the log", async (prompt, detail) => {
    const made = moody({ concurrency: 1 });
    await expect(made.run(await newTask(prompt), never)).resolves.toMatchObject({
      failure: "provider",
      error: "The generation failed.",
      cause: { message: expect.stringContaining(detail) },
    });
    expect(await processOf(made)).toBeGreaterThan(0);
  });

  test("that was killed from outside is replaced, and its task tried once more", async () => {
    const made = moody({ concurrency: 1 });
    await expect(filesOf(made.run(await newTask("killed once"), never))).resolves.toHaveLength(1);
    await expect(made.run(await newTask("killed"), never)).resolves.toMatchObject({
      failure: "provider",
      error: "The generation failed.",
      cause: { message: expect.stringContaining("SIGKILL") },
    });
    expect(await processOf(made)).toBeGreaterThan(0);
  });

  test("that was killed while it was idle fails no task", async () => {
    const made = moody({ concurrency: 1 });
    process.kill(await processOf(made), "SIGKILL");
    await expect(filesOf(made.run(await newTask("who"), never))).resolves.toHaveLength(1);
  });

  test.skipIf(process.platform !== "linux")("is ended by the system before the service is", async () => {
    const pid = await processOf(moody());
    const scoreOf = async (id: number | "self") =>
      Number(await readFile(`/proc/${id}/oom_score_adj`, "utf8"));
    expect(await scoreOf(pid)).toBeGreaterThan(await scoreOf("self"));
  });

  test("a program that cannot start fails its task", async () => {
    const made = moody({ workerFile: "/nowhere/worker.js" });
    await expect(made.run(await newTask("who"), never)).resolves.toMatchObject({ failure: "provider" });
  });

  test("is used again for the next task, and never more run than allowed", async () => {
    const made = moody({ concurrency: 2 });
    const pids = new Set(await Promise.all(Array.from({ length: 8 }, () => processOf(made))));
    expect(pids.size).toBeLessThanOrEqual(2);
    expect(pids).toContain(await processOf(made));
  });

  test("ends when it has had no work for a minute", async () => {
    const clock = createManualClock();
    const pid = await processOf(moody({ clock }));
    await vi.waitUntil(() => clock.pending === 1);
    await clock.advance(59_999);
    expect(isRunning(pid)).toBe(true);
    await clock.advance(1);
    await vi.waitUntil(() => !isRunning(pid), { timeout: 5000 });
  });

  test("gets none of the service's environment", async () => {
    vi.stubEnv("BOT_TOKEN", "123456:secret");
    const [file] = await filesOf(moody().run(await newTask("environment"), never));
    expect(file?.title).not.toContain("secret");
    const names = Object.keys(JSON.parse(file?.title ?? "{}"));
    expect(names.filter((name) => !name.startsWith("NODE_CHANNEL_"))).toEqual(["UV_THREADPOOL_SIZE"]);
  });

  test("ends by itself when the service is killed", async () => {
    const script = `
      const { fork } = require("node:child_process");
      const child = fork(${JSON.stringify(WORKER_FILE)}, { env: {}, serialization: "advanced" });
      child.once("message", () => console.log(child.pid));
      child.send({});`;
    const service = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(service.stdout.setEncoding("utf8"), "data")) as [string];
    const pid = Number(line);
    expect(isRunning(pid)).toBe(true);
    service.kill("SIGKILL");
    await vi.waitUntil(() => !isRunning(pid), { timeout: 5000 });
  });
});
