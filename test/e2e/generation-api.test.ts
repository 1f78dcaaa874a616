import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asKopecks } from "../../src/contract/price.js";
import { createAdminService } from "../../src/core/admin-service.js";
import { systemClock } from "../../src/platform/clock.js";
import { openDatabase } from "../../src/restore-data.js";
import { ChildService } from "../support/child-service.js";
import { eventually } from "../support/eventually.js";
import { freePort } from "../support/free-port.js";
import { hastyCatalogue } from "../support/hasty-catalogue.js";

type Body = Record<string, unknown>;

/** Closed after all tests, the last first. */
const closers: (() => unknown)[] = [];
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

/** A service of this project, with an account of 1000 rubles. */
async function startService(environment: Record<string, string>) {
  const dataDir = mkdtempSync(join(tmpdir(), "atelier-generation-api-"));
  const service = new ChildService({ DATA_DIR: dataDir, ...environment });
  closers.push(() => service.kill());
  const url = await service.ready();
  const database = openDatabase({ dataDir }, "tool");
  closers.push(() => database.close());
  const admin = createAdminService(database, systemClock);
  const { id } = await admin.createAccount("studio");
  await admin.credit(id, asKopecks(1000_00), null);
  const { key } = await admin.createKey(id, null);
  return {
    url,
    key,
    charges: () => admin.entries(id).filter(({ kind }) => kind === "charge").length,
    takeAll: () => admin.debit(id, admin.account(id).balance, null),
  };
}

/** A service whose files another one makes. */
async function startPair() {
  const port = await freePort();
  const maker = await startService({
    TEST_HTTP_PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
  });
  const shop = await startService({
    TEST_RENDERER: "1",
    PROVIDERS: "generation_api",
    GENERATION_API_ROOT: `${maker.url}/v1`,
    GENERATION_API_KEY: maker.key,
    CATALOGUE_FILE: hastyCatalogue(mkdtempSync(join(tmpdir(), "atelier-catalogue-"))),
  });
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${shop.key}`, "content-type": "application/json" };
    return (await (await fetch(`${shop.url}${path}`, { headers, ...init })).json()) as Body;
  };
  const post = (request: object) => ask("/v1/generations", { method: "POST", body: JSON.stringify(request) });
  const make = async (request: object) => {
    const { job_id: id } = await post(request);
    return eventually(
      `the end of ${String(id)}`,
      async () => {
        const found = (await ask(`/v1/generations/${String(id)}`)).job as Body;
        return ["done", "error"].includes(String(found.status)) && found;
      },
      15_000,
    );
  };
  return { maker, shop, ask, post, make };
}

const PICTURE = { type: "image", model_key: "nano-banana-2", prompt: "a red fox" };
const VIDEO = { type: "video", model_key: "veo-3-1", prompt: "a red fox", duration_sec: 4 };
const SONG = { type: "music", model_key: "music:suno-v5", description: "a slow song about the sea" };

describe("with another service of the same contract", () => {
  let pair: Awaited<ReturnType<typeof startPair>>;
  beforeAll(async () => {
    pair = await startPair();
  });

  test("a picture, a video and a song come from it as files, each for one job there", async () => {
    const { maker, make, shop, ask } = pair;
    const { models } = await ask("/v1/models");
    expect((models as unknown[]).length).toBeGreaterThanOrEqual(18);
    const [picture, video, song] = await Promise.all([make(PICTURE), make(VIDEO), make(SONG)]);
    expect(picture).toMatchObject({ status: "done", result: { mime: "image/webp" } });
    expect(video).toMatchObject({ status: "done", result: { mime: "video/mp4" } });
    const { tracks } = song.result as { tracks: { image_url: string | null }[] };
    expect(tracks).toHaveLength(2);
    expect(tracks.every(({ image_url }) => image_url !== null)).toBe(true);
    const { pathname, search } = new URL((picture.result as { url: string }).url);
    const file = await fetch(`${shop.url}${pathname}${search}`);
    expect(file.headers.get("content-type")).toBe("image/webp");
    expect(maker.charges()).toBe(3);
  });

  test("its price there is the cost of the job here", async () => {
    const metrics = await (await fetch(`${pair.shop.url}/metrics`)).text();
    expect(metrics).toMatch(
      /atelier_upstream_cost_total\{model="nano-banana-2",provider="generation_api",currency="RUB"\} 10/,
    );
  });

  test("an empty balance there pauses it, and its models are disabled meanwhile", async () => {
    const { maker, ask, post } = pair;
    await maker.takeAll();
    expect(await post(PICTURE)).toMatchObject({ ok: true });
    await eventually("the pause", async () => {
      const { paused } = (await ask("/readyz")) as { paused?: unknown };
      return JSON.stringify(paused ?? "").includes("generation_api");
    });
    expect(await post(PICTURE)).toMatchObject({ ok: false, error: "model_disabled" });
  });
});
