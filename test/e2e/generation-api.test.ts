import { expect, test } from "vitest";
import { eventually } from "../support/eventually.js";
import { startRemoteCore } from "../support/remote-core.js";
import { startUpstreamService } from "../support/upstream-service.js";

const PICTURE = { type: "image", model_key: "nano-banana-2", prompt: "a red fox" };
const VIDEO = { type: "video", model_key: "veo-3-1", prompt: "a red fox", duration_sec: 4 };
const SONG = { type: "music", model_key: "music:suno-v5", description: "a slow song about the sea" };

/** A service whose files another one makes, with its account there. */
async function startPair() {
  const maker = await startRemoteCore(1000);
  const environment = { GENERATION_API_ROOT: maker.url, GENERATION_API_KEY: maker.key };
  const shop = await startUpstreamService("generation_api", environment);
  return { ...shop, admin: maker.accounts.admin };
}

test("a picture, a video and a song come from another service as files, each for one job there, at its price", async () => {
  const { admin, make, models, metrics, url } = await startPair();
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
  expect(admin.entries(1).filter(({ kind }) => kind === "charge")).toHaveLength(3);
  expect(await metrics()).toMatch(
    /atelier_upstream_cost_total\{model="nano-banana-2",provider="generation_api",currency="RUB"\} 10/,
  );
});

test("an empty balance there pauses it, and its models are disabled meanwhile", async () => {
  const { admin, ask } = await startPair();
  await admin.debit(1, admin.account(1).balance, null);
  expect(await ask("/v1/generations", PICTURE)).toMatchObject({ ok: true });
  await eventually("the pause", async () =>
    JSON.stringify((await ask("/readyz")).paused ?? "").includes("generation_api"),
  );
  expect(await ask("/v1/generations", PICTURE)).toMatchObject({ ok: false, error: "model_disabled" });
});
