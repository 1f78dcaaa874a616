import { buffer, text } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { IMAGE, MUSIC, openResult, openTestCore, order, quote, type TestCore } from "../support/core.js";
import { eventually } from "../support/eventually.js";

let opened: TestCore[] = [];
function open(...args: Parameters<typeof openTestCore>): TestCore {
  const world = openTestCore(...args);
  opened.push(world);
  return world;
}
afterEach(async () => {
  for (const world of opened) await world.close();
  opened = [];
});

describe("an order in the core", () => {
  test("is generated and served with every image", async () => {
    const world = open();
    await world.core.start();
    const ann = await world.person(1, 100_00);
    const request = { ...IMAGE, count: 3 };
    const accepted = await order(ann, "order-1", request);
    const unit = quote(IMAGE).totalKopecks / 100;
    for (const id of accepted.job_ids) {
      const job = await world.ended(ann, id);
      expect(job).toMatchObject({ status: "done", type: "image", cost_rub: unit, error: null });
      expect(job).toMatchObject({ aspect_ratio: "1:1", duration_sec: null, result: { mime: "image/webp" } });
      expect(job.model_title).toBe("Nano Banana 2.1 (local preview)");
      const file = await openResult(ann, id, 0);
      expect(file).toMatchObject({
        mime: "image/webp",
        width: 64,
        height: 32,
        fileName: `atelier-${id}.webp`,
      });
      const content = await buffer(file.stream);
      expect(content).toHaveLength(file.size ?? 0);
      expect(content.toString("latin1")).toMatch(/a\.webp nano-banana-2 \d+/);
    }
    expect(new Set(world.provider.tasks.map(({ seed }) => seed)).size).toBe(3);
    expect(world.provider.tasks.every(({ request: { count } }) => count === undefined)).toBe(true);
  });

  test("shows music tracks with titles, covers and one link each", async () => {
    const world = open();
    await world.core.start();
    const ann = await world.person(1, 100_00);
    const { job_id, unit_cost_rub } = await order(ann, "song", MUSIC);
    expect(job_id).toBe("music_1");
    expect(unit_cost_rub).toBeUndefined();
    const job = await world.ended(ann, job_id);
    expect(job).not.toHaveProperty("aspect_ratio");
    expect(job.result?.tracks).toMatchObject([
      { index: 1, title: "First", duration: 20, mime: "audio/mpeg" },
      { index: 2, title: "A slow song about the sea", duration: 21.5, mime: "audio/mpeg" },
    ]);
    for (const track of job.result?.tracks ?? []) {
      expect(track.url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/files\/[0-9a-f]{32}\.mp3\?/);
      expect(track.image_url).toMatch(/\.webp\?/);
    }
    expect(job.result?.url).toBe(job.result?.tracks?.[0]?.url);
    expect(await text((await openResult(ann, job_id, 1)).stream)).toMatch(/^2\.mp3/);
    const cover = await openResult(ann, job_id, 1, "cover");
    expect(await text(cover.stream)).toMatch(/^2\.webp/);
  });

  test("reports each status after its commit, also when another listener fails", async () => {
    const world = open();
    const ann = await world.person(1, 100_00);
    const { job_id } = await order(ann, "one");
    const watched = { id: "one", user: { id: 1, name: "person 1" }, jobIds: [job_id] };
    const seen = new Set<string>();
    const { jobFeed } = world.core;
    const stops = [
      jobFeed.watch(watched, () => Promise.reject(new Error("a broken listener"))),
      jobFeed.watch(watched, async ([job]) => void seen.add(job?.status ?? "none")),
    ];
    await eventually("the first status", () => seen.size === 1);
    world.provider.holds = true;
    await world.core.start();
    await eventually("the second status", () => seen.size === 2);
    await eventually("the task", () => world.provider.held.length === 1);
    world.provider.held[0]?.finish();
    await eventually("the last status", () => seen.size === 3);
    expect([...seen]).toEqual(["queued", "generating", "done"]);
    for (const stop of stops) stop();
  });

  test("is found by its id alone", async () => {
    const world = open();
    await world.core.start();
    const ann = await world.person(1, 100_00);
    const { job_id } = await order(ann, "one");
    await world.ended(ann, job_id);
    await expect(ann.job(`music_${job_id}`)).rejects.toMatchObject({ code: "job_not_found" });
    for (const id of [0, -1, 1.5, "1", "music_", "music_01", 2 ** 60])
      await expect(ann.job(id)).rejects.toMatchObject({ code: "job_not_found" });
    await expect(openResult(ann, job_id, 1)).rejects.toMatchObject({ code: "job_not_found" });
  });

  test("lists the models of the catalogue with plain titles, and marks previews", async () => {
    const world = open();
    const models = await (await world.person(1)).models();
    expect(models).toHaveLength(19);
    expect(models.every(({ title }) => !title.includes("preview"))).toBe(true);
    expect(models.every(({ isPreview }) => isPreview)).toBe(true);
  });

  test("shows in GET /models the title that its jobs have, and no internal field", async () => {
    const world = open();
    await world.core.start();
    const ann = await world.person(1, 100_00);
    const job = await world.ended(ann, (await order(ann, "one")).job_id);
    const [model] = world.core.routes.api.models;
    expect(model).toMatchObject({ model_key: IMAGE.model_key, title: "Nano Banana 2.1 (local preview)" });
    expect(model?.title).toBe(job.model_title);
    expect(model).not.toHaveProperty("isPreview");
  });
});
