import { expect, test } from "vitest";
import { openFaultyBot } from "../support/faulty-bot.js";
import { json, reset } from "../support/faulty-service.js";

test("a job of 500 tracks that cannot be downloaded stalls nobody, also while it is tried again", async () => {
  const { service, world, ann, pay, job } = await openFaultyBot();
  const tracks = Array.from({ length: 500 }, (_, index) => ({ url: `${service.url}/file/${index}` }));
  world.post = json(200, { ok: true, job_id: 61, job_ids: [61], status: "queued", cost_rub: 10 });
  world.looks = Array.from({ length: 1000 }, () =>
    job(61, { type: "music", result: { url: null, mime: null, tracks } }),
  );
  world.files = Array.from({ length: 1000 }, () => (_response, request) => reset(request));
  await pay();
  await expect.poll(() => world.files.length, { timeout: 20_000 }).toBeLessThan(996);
  const { message_id } = ann.say("/help");
  await ann.see(/How it works/, message_id);
  // Five tries for each of four heads, and then a pause.
  expect(world.files.length).toBeGreaterThan(960);
});
