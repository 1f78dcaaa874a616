import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { ServiceName } from "@atelier/upstream-stand-ins";
import { expect, test } from "vitest";
import { operator } from "../ctl/harness.js";
import { eventually } from "../support/eventually.js";
import { ownWorkflowExample } from "../support/own-workflow.js";
import { startRemoteCore } from "../support/remote-core.js";
import { startUpstreamService } from "../support/upstream-service.js";

const PICTURE = { type: "image", model_key: "nano-banana-2", prompt: "a red fox" };
const SONG = { type: "music", model_key: "music:suno-v5", description: "a slow song about the sea" };

/** Makes a package look as if it were not installed. */
const WITHOUT_WEBCODECS = `--import data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(name, context, next) {
      if (name.includes("webcodecs")) throw new Error("not installed: " + name);
      return next(name, context);
    },
  });`)}`;

test("a video is made by a service of PROVIDERS where the local renderer's codecs are not installed", async () => {
  const { make } = await startUpstreamService("fal", { NODE_OPTIONS: WITHOUT_WEBCODECS });
  const job = await make({ type: "video", model_key: "kling-2-5-turbo", prompt: "a red fox runs" });
  expect(job).toMatchObject({ status: "done" });
});

test("a picture that is in the answer to its submit is delivered, and leaves nothing behind", async () => {
  const { stand, make, dataDir } = await startUpstreamService("openai,replicate");
  const [synchronous, asynchronous] = await Promise.all([
    make({ ...PICTURE, model_key: "gpt-image-2-5" }),
    make(PICTURE),
  ]);
  expect(synchronous).toMatchObject({ status: "done", result: { mime: "image/webp" } });
  expect(asynchronous).toMatchObject({ status: "done", result: { mime: "image/webp" } });
  expect(stand.ledger.map(({ service }) => service).sort()).toEqual(["openai", "replicate"]);
  const answers = join(dataDir, "upstream-answers");
  await eventually("the kept answer is removed", () => readdirSync(answers).length === 0);
  expect(stand.breaches).toEqual([]);
});

test("a ComfyUI of one's own makes its models over http; what its restart loses is paid back once", async () => {
  const { stand, ask, make, entries } = await startUpstreamService(
    "comfyui",
    {},
    { timing: { queueMs: 0, runMs: 300_000 } },
  );
  const models = (await ask("/v1/models")).models as { model_key: string; title: string }[];
  expect(models.map(({ model_key, title }) => [model_key, title])).toEqual([
    ["flux-2-pro", "FLUX.2 [klein] 4B"],
    ["z-image-turbo", "Z-Image Turbo"],
  ]);
  const picture = { type: "image", model_key: "z-image-turbo", prompt: "a red fox" };
  const made = make(picture);
  await stand.waitUntil(() => stand.ledger.length === 1);
  stand.advance(300_000);
  expect(await made).toMatchObject({ status: "done", result: { mime: "image/webp" } });
  const lost = make(picture);
  await stand.waitUntil(() => stand.ledger.length === 2);
  stand.forgetTasks("comfyui");
  expect(await lost).toMatchObject({ status: "error" });
  const sums = entries().map(({ kind, amount }) => [kind, amount]);
  expect(sums.filter(([kind]) => kind !== "credit")).toEqual([
    ["charge", -300],
    ["charge", -300],
    ["refund", 300],
  ]);
  expect(stand.ledger).toHaveLength(2);
});

test("the documented example of an own workflow makes pictures, and its check speaks of it alone", async () => {
  const CATALOGUE_FILE = ownWorkflowExample();
  const { stand, ask, make } = await startUpstreamService("comfyui", { CATALOGUE_FILE });
  const { models } = await ask("/v1/models");
  expect(models).toEqual([expect.objectContaining({ model_key: "mine", price_rub: 5 })]);
  const made = await make({ type: "image", prompt: "a red fox" });
  expect(made).toMatchObject({ status: "done", cost_rub: 5 });
  const checked = operator({
    catalogueFile: CATALOGUE_FILE,
    comfyuiRoot: stand.environment(["comfyui"]).COMFYUI_API_ROOT ?? "",
  });
  expect(await checked.json("catalogue check mine")).toEqual({ models: 1 });
  expect((await checked.ctl("catalogue check --live mine")).out).toContain("has all that these need: mine.");
});

const VIDEO = { type: "video", model_key: "veo-3-1", prompt: "a red fox", duration_sec: 4 };

test("a picture, a video and a song come from another service as files, each for one job there, at its price", async () => {
  const maker = await startRemoteCore(1000);
  const environment = { GENERATION_API_ROOT: maker.url, GENERATION_API_KEY: maker.key };
  const { make, models, metrics, url } = await startUpstreamService("generation_api", environment);
  expect((await models()).length).toBeGreaterThanOrEqual(18);
  const [picture, video, song] = await Promise.all([make(PICTURE), make(VIDEO), make(SONG)]);
  expect(picture).toMatchObject({ status: "done", result: { mime: "image/webp" } });
  expect(video).toMatchObject({ status: "done", result: { mime: "video/mp4" } });
  const { tracks } = song.result as { tracks: { image_url: string | null }[] };
  expect(tracks).toHaveLength(2);
  expect(tracks.every(({ image_url }) => image_url !== null)).toBe(true);
  const { pathname, search } = new URL((picture.result as { url: string }).url);
  const file = await fetch(`${url}${pathname}${search}`);
  expect(file.headers.get("content-type")).toBe("image/webp");
  expect(maker.accounts.admin.entries(1).filter(({ kind }) => kind === "charge")).toHaveLength(3);
  expect(await metrics()).toMatch(
    /atelier_upstream_cost_total\{model="nano-banana-2",provider="generation_api",currency="RUB"\} 10/,
  );
});

/** Between the first look, at 200 ms, and the next poll of the net, half a minute later. */
const TIMING = { queueMs: 100, runMs: 900 };
/** Less than until the next poll. */
const SOON_MS = 20_000;

const PUBLIC_URL = "https://atelier.example";

test("services call when their tasks have ended: results are told then, and not by a poll", async () => {
  const names = ["fal", "kie"] as const;
  const calls: { url: string; status: number }[] = [];
  let inner = "";
  const { stand, make, metrics, url } = await startUpstreamService(
    names.join(),
    { PUBLIC_URL },
    {
      timing: TIMING,
      // A proxy for https stands between in earnest.
      async postCallback(address, body) {
        const { status } = await fetch(address.replace(PUBLIC_URL, inner), { method: "POST", body });
        calls.push({ url: address, status });
      },
    },
  );
  inner = url;
  const looks = (name: ServiceName) =>
    stand.calls.filter(({ service, kind }) => service === name && kind === "task").length;
  const startedAt = Date.now();
  const [picture, song] = await Promise.all([make(PICTURE), make(SONG)]);
  expect(picture).toMatchObject({ status: "done", result: { mime: "image/webp" } });
  const track = { title: expect.stringContaining("Quiet Harbour"), image_url: expect.any(String) };
  expect(song).toMatchObject({ status: "done", result: { tracks: [track, track] } });
  expect(Date.now() - startedAt).toBeLessThan(SOON_MS);
  expect(calls.map(({ status }) => status)).toEqual(names.map(() => 200));
  for (const name of names) {
    expect(calls.filter(({ url }) => url.startsWith(`${PUBLIC_URL}/hooks/${name}/`))).toHaveLength(1);
    // The first look and that of the callback, which fal answers in two steps.
    expect(looks(name)).toBeLessThanOrEqual(name === "fal" ? 3 : 2);
    expect(await metrics()).toContain(
      `atelier_upstream_callbacks_total{provider="${name}",outcome="asked"} 1`,
    );
  }
  expect([stand.ledger.length, stand.breaches]).toEqual([names.length, []]);
});
