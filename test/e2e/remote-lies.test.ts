import { expect, test } from "vitest";
import { MODEL, openFaultyBot } from "../support/faulty-bot.js";
import { json, reset } from "../support/faulty-service.js";

const MADE = /PHOTO/;
const NOT_CERTAIN = /isn’t certain whether/;

const accepted = (id: number, more: object = {}) =>
  json(200, { ok: true, job_id: id, job_ids: [id], status: "queued", cost_rub: 10, ...more });

test("a sum that no ledger takes, and a title of 1 000 characters, keep nobody from the picture", async () => {
  const { world, pay, reads } = await openFaultyBot();
  world.post = accepted(51, { cost_rub: 1e300, unit_cost_rub: 1e300 });
  await reads(await pay(), MADE, "sum");
  world.models = [{ ...MODEL, title: `Fox Nine ${"x".repeat(5000)}` }];
  await reads(await pay(), MADE, "title");
});

test("a job of 500 tracks that cannot be downloaded stalls nobody, also while it is tried again", async () => {
  const { service, world, ann, pay, job } = await openFaultyBot();
  const tracks = Array.from({ length: 500 }, (_, index) => ({ url: `${service.url}/file/${index}` }));
  world.post = accepted(61);
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

test("a job id of an order that is open goes to nobody else: that order waits for an admin", async () => {
  const { world, pay, reads, job } = await openFaultyBot();
  const running = job(71, { status: "generating", result: null });
  world.looks = Array.from({ length: 50 }, () => running);
  world.post = accepted(71);
  const first = await pay();
  world.post = accepted(71);
  const second = await pay();
  await reads(second, NOT_CERTAIN, "second");
  world.looks = [];
  await reads(first, MADE, "first");
  expect(second().filter((text) => MADE.test(text))).toHaveLength(1);
});
