import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createUpstreams } from "@atelier/upstream-stand-ins";
import { describe, expect, onTestFinished, test } from "vitest";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { readRequest } from "../../../src/jobs/read-request.js";
import { systemIds } from "../../../src/platform/ids.js";
import type { UpstreamAdapter } from "../../../src/providers/adapter.js";
import { openServiceIo } from "../../../src/providers/service-io.js";
import { aceStep } from "../../../src/providers/services/ace-step.js";
import { comfyui } from "../../../src/providers/services/comfyui.js";
import { wholeCatalogue } from "../../mapping/mappings.js";
import { inspector } from "../../support/inspector.js";
import { createManualClock } from "../../support/manual-clock.js";
import { newDirectory, plainPicture } from "../../support/render-tasks.js";
import { openWorld, type Running } from "./driver/harness.js";

const catalogue = wholeCatalogue();
const KEY = "own-key";
const PICTURE = { type: "image", model_key: "z-image-turbo", prompt: "a fox" };
const EDIT = { type: "image", model_key: "flux-2-pro", prompt: "a fox", aspect_ratio: "auto" };
const SONG = { type: "music", model_key: "music:ace-step", description: "a slow song about the sea" };
const MINUTE_MS = 60_000;
const SEC_MS = 1000;

/** The driver with one program of the operator behind it. Its time is that of `stand.advance`. */
async function openProgram(adapter: UpstreamAdapter) {
  const { name } = adapter;
  const timing = { queueMs: 3000, runMs: 6000 };
  const stand = await createUpstreams({ clock: createManualClock(), timing, keys: { ace_step: KEY } });
  const root = new URL(stand.url);
  const clock = createManualClock();
  const key = name === "comfyui" ? "" : KEY;
  const published = { publish: () => Promise.reject(new Error("no link is read")) };
  const io = openServiceIo({
    ...{ adapter, key, root, clock, published },
    ids: systemIds,
    inspector,
  });
  const world = await openWorld(
    { root },
    {
      adapter,
      key,
      outputs: io.outputs,
      references: io.references,
      mappingsOf: (model) =>
        catalogue.entries.find(({ model_key }) => model_key === model)?.mappings[name] ?? [],
    },
  );
  onTestFinished(async () => {
    await world.stop();
    await io.close();
    await stand.close();
  });
  const run = (body: object, jobId = 1, references: readonly string[] = []) => {
    const { request }: { request: GenerationRequest } = readRequest(body, catalogue);
    return world.run(jobId, { request, seed: 7, tracks: 2, references });
  };
  const posts = (path: string) => stand.calls.filter((call) => call.method === "POST" && call.path === path);
  return { stand, world, run, posts };
}

type Program = Awaited<ReturnType<typeof openProgram>>;

/** Waits for the files of a job: fetching them takes real time, and none of the clock's. */
async function filesOf({ world }: Program, running: Running, jobId = 1) {
  await world.until("it is made", () => world.attempt(jobId)?.state === "ready" || running.hasEnded);
  await running.ended;
  if (running.error) throw running.error;
  return running.outcome;
}

/** Runs a job to its end. */
async function make(program: Program, body: object, references: readonly string[] = []) {
  const { stand, world, run } = program;
  const running = run(body, 1, references);
  await world.until("it is accepted", () => world.attempt()?.state === "accepted");
  stand.advance(10 * SEC_MS);
  const outcome = await filesOf(program, running);
  expect(stand.breaches).toEqual([]);
  return outcome;
}

describe("ComfyUI", () => {
  test("makes a picture of words, in its size, under the id of its attempt", async () => {
    const program = await openProgram(comfyui);
    const outcome = await make(program, { ...PICTURE, aspect_ratio: "16:9" });
    expect(outcome).toMatchObject({ files: [{ mime: "image/webp", width: 1360, height: 768 }] });
    expect(program.stand.ledger.map(({ taskId }) => taskId)).toEqual([program.world.attempt()?.uuid]);
    expect(program.world.attempt()).toMatchObject({ state: "stored", cost: undefined });
  });

  test("makes a picture of a picture, which is uploaded before", async () => {
    const program = await openProgram(comfyui);
    const path = join(await newDirectory(), "reference-0");
    await writeFile(path, plainPicture("#e01010", 512, 512));
    const body = { ...EDIT, reference_urls: ["https://files.test/1.png"] };
    expect(await make(program, body, [path])).toMatchObject({ files: [{ mime: "image/webp" }] });
    const [task] = program.stand.tasks;
    expect(task?.input.graph).toMatchObject({
      "6": { inputs: { image: expect.stringMatching(/^atelier\/[0-9a-f]{32}\.png$/) } },
    });
    expect(program.posts("/upload/image")).toHaveLength(1);
    expect(program.stand.ledger).toHaveLength(1);
  });

  test("tells how many prompts are before one, which run one after the other", async () => {
    const places: unknown[] = [];
    const readPoll: UpstreamAdapter["readPoll"] = (answer, reference) => {
      const outcome = comfyui.readPoll(answer, reference);
      if (outcome.kind === "pending" && outcome.phase === "queued") places.push(outcome.queuePosition);
      return outcome;
    };
    const program = await openProgram({ ...comfyui, readPoll });
    const { stand, world, run } = program;
    const jobs = [run(PICTURE), run(PICTURE, 2)];
    await world.until("both are accepted", () => stand.ledger.length === 2);
    await world.until("both were looked at", () => places.includes(0) && places.includes(1));
    stand.advance(4 * SEC_MS);
    places.length = 0;
    await world.until("the second is looked at", () => places.length > 0);
    expect(places).toEqual([1]);
    stand.advance(16 * SEC_MS);
    for (const [index, job] of jobs.entries()) {
      expect(await filesOf(program, job, index + 1)).toMatchObject({ files: [{}] });
    }
  });

  test("that restarts has lost its prompts: the job fails at once, and nothing is sent again", async () => {
    const { stand, world, run } = await openProgram(comfyui);
    const running = run(PICTURE);
    await world.until("it is accepted", () => world.attempt()?.state === "accepted");
    stand.forgetTasks("comfyui");
    const since = world.clock.now();
    expect(await world.endOf(running)).toMatchObject({ failure: "provider" });
    expect(world.clock.now() - since).toBeLessThan(10 * SEC_MS);
    expect(world.attempt()).toMatchObject({ state: "failed", detail: expect.stringContaining("lost") });
    expect(stand.ledger).toHaveLength(1);
  });

  test("is asked to stop what is not made in time, and nothing else", async () => {
    const { stand, world, run, posts } = await openProgram(comfyui);
    const [running] = [run(PICTURE), run(PICTURE, 2)];
    await world.until("both are accepted", () => stand.ledger.length === 2);
    const [first, second] = stand.tasks;
    expect(await world.endOf(running, { stepMs: 5 * SEC_MS })).toMatchObject({ failure: "timeout" });
    await world.until("both were taken back", () => posts("/interrupt").length === 2, { stepMs: SEC_MS });
    expect([first?.isForgotten, second?.isForgotten]).toEqual([true, true]);
    expect(posts("/queue")).toHaveLength(2);
  });

  test("interrupts the one that runs", async () => {
    const { stand, world, run, posts } = await openProgram(comfyui);
    const running = run(PICTURE);
    await world.until("it is accepted", () => world.attempt()?.state === "accepted");
    stand.advance(4 * SEC_MS);
    await world.until("its deadline passes", () => running.hasEnded, { stepMs: 5 * SEC_MS });
    await world.until("it was interrupted", () => posts("/interrupt").length === 1, { stepMs: SEC_MS });
    expect(stand.tasks[0]?.cancelledAt).toBeDefined();
  });

  test("a prompt whose answer was lost is found by its id, and sent once", async () => {
    const program = await openProgram(comfyui);
    program.stand.order({ fault: "drop-after-accept" });
    expect(await make(program, PICTURE)).toMatchObject({ files: [{}] });
    expect(program.stand.ledger).toHaveLength(1);
  });

  test("a doubtful prompt that surely did not arrive is sent once more", async () => {
    const program = await openProgram(comfyui);
    const { stand, world, run, posts } = program;
    // Its history begins before the next submit.
    await make(program, PICTURE);
    await world.move(10 * MINUTE_MS);
    stand.order({ fault: "close-unread" });
    const running = run(PICTURE, 2);
    await world.until("it is sent again", () => stand.ledger.length === 2, { stepMs: SEC_MS });
    stand.advance(10 * SEC_MS);
    expect(await filesOf(program, running, 2)).toMatchObject({ files: [{}] });
    expect(posts("/prompt")).toHaveLength(3);
    expect(world.attempt(2)).toMatchObject({ no: 2, state: "stored" });
  });

  test("a doubtful prompt that a restart may have taken is never sent again", async () => {
    const { stand, world, run } = await openProgram(comfyui);
    stand.order({ fault: "drop-after-accept" });
    const running = run(PICTURE);
    await world.until("it is accepted", () => stand.ledger.length === 1);
    stand.forgetTasks("comfyui");
    expect(await world.endOf(running, { stepMs: SEC_MS })).toMatchObject({ failure: "provider" });
    expect(world.attempt()).toMatchObject({ state: "ambiguous", flagged: 1 });
    expect(stand.ledger).toHaveLength(1);
  });
});

describe("ACE-Step", () => {
  test("makes two tracks, and gives them to the key alone", async () => {
    const program = await openProgram(aceStep);
    expect(await make(program, SONG)).toMatchObject({
      files: [{ mime: "audio/mpeg" }, { mime: "audio/mpeg" }],
    });
    expect(program.stand.ledger).toHaveLength(1);
  });

  test("that restarts has lost its tasks: the job fails at once", async () => {
    const { stand, world, run } = await openProgram(aceStep);
    const running = run(SONG);
    await world.until("it is accepted", () => world.attempt()?.state === "accepted");
    stand.forgetTasks("ace_step");
    expect(await world.endOf(running)).toMatchObject({ failure: "provider" });
    expect(world.attempt()).toMatchObject({ state: "failed", detail: expect.stringContaining("lost") });
  });
});
