import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { asKopecks } from "../../../src/contract/price.js";
import { GenerationError } from "../../../src/workers/generation-error.js";
import { SETTINGS } from "../../support/core-settings.js";
import { eventually } from "../../support/eventually.js";
import type { HeldTask } from "../../support/stub-provider.js";
import { openApi, startApi, type TestApi } from "./api.js";
import { reference } from "./judge.js";

interface ShownJob {
  job_id: number | string;
  status: string;
  result: { url: string | null; mime: string | null; tracks?: Record<string, unknown>[] } | null;
  [field: string]: unknown;
}

const IMAGE = { type: "image", model_key: "gpt-image-2-5", prompt: "a fox" };
const VIDEO = { type: "video", model_key: "veo-3-1", prompt: "waves", duration_sec: 6 };
const SONG = { type: "music", model_key: "music:suno-v5", description: "a slow song about the sea" };

async function submit(api: TestApi, body: object): Promise<number | string> {
  const { body: answer } = await api.post(body);
  return answer.job_id as number | string;
}

async function read(api: TestApi, id: number | string): Promise<ShownJob> {
  const { status, body } = await api.get(`/generations/${id}`);
  expect(status).toBe(200);
  expect(body.ok).toBe(true);
  return body.job as ShownJob;
}

function reached(api: TestApi, id: number | string, status: string): Promise<ShownJob> {
  return eventually(`${status} of ${id}`, async () => {
    const job = await read(api, id);
    return job.status === status && job;
  });
}

/** The task that the provider works on; it gets it a little after the job has begun. */
function held(api: TestApi): Promise<HeldTask> {
  return eventually("a task", () => api.provider.held[0]);
}

const LINK = expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\/files\/\S+expires=\d+\S+signature=/);

describe("GET /generations/{id}", () => {
  test("shows an image through queued, generating and done", async () => {
    const api = await startApi();
    const id = await submit(api, IMAGE);
    const job = {
      job_id: id,
      type: "image",
      status: "queued",
      model: "gpt-image-2-5",
      model_title: expect.stringContaining("GPT Image"),
      aspect_ratio: "9:16",
      duration_sec: null,
      cost_rub: 6,
      result: null,
      error: null,
      created_at: new Date(api.clock.now()).toISOString(),
    };
    expect(await read(api, id)).toEqual(job);
    await api.core.start();
    expect(await reached(api, id, "generating")).toEqual({ ...job, status: "generating" });
    (await held(api)).finish();
    const done = await reached(api, id, "done");
    expect(done).toEqual({ ...job, status: "done", result: { url: LINK, mime: "image/webp" } });
    const again = await read(api, id);
    expect(again.result?.url, "each answer signs anew").not.toBe(done.result?.url);
    await api.clock.advance(1000);
    const later = await read(api, id);
    const { pathname, search } = new URL(later.result?.url ?? "");
    expect((await fetch(`${api.url}${pathname}${search}`)).status).toBe(200);
  });

  test("shows the duration of a video", async () => {
    const api = await startApi();
    expect(await read(api, await submit(api, VIDEO))).toMatchObject({
      type: "video",
      aspect_ratio: "16:9",
      duration_sec: 6,
      cost_rub: 66,
    });
  });

  test("shows music with its tracks, without a ratio and a duration", async () => {
    const api = await startApi();
    api.provider.holds = false;
    const id = await submit(api, SONG);
    expect(id).toBe("music_1");
    await api.core.start();
    const job = await reached(api, id, "done");
    expect(["aspect_ratio", "duration_sec", "refunded"].filter((name) => name in job)).toEqual([]);
    const track = { url: LINK, mime: "audio/mpeg", image_url: LINK };
    expect(job.result).toEqual({
      url: LINK,
      mime: "audio/mpeg",
      tracks: [
        { index: 1, title: "First", duration: 20, ...track },
        { index: 2, title: "A slow song about the sea", duration: 21.5, ...track },
      ],
    });
    expect(job.result?.url).toBe(job.result?.tracks?.[0]?.url);
  });

  test("shows a failure with status 200, its reason and its refund, and no other field beyond the contract", async () => {
    const api = await startApi({ rubles: 6 });
    const id = await submit(api, IMAGE);
    await api.core.start();
    await reached(api, id, "generating");
    (await held(api)).fail(new GenerationError("refused", "The model refused this prompt."));
    const job = await reached(api, id, "error");
    expect(job).toMatchObject({ error: "The model refused this prompt.", result: null, cost_rub: 6 });
    expect(job).not.toHaveProperty("failure");
    expect(job.refunded).toBe(true);
    expect(api.money().balance, "given back").toBe(600);
  });

  test("describes a failure in the words of the reference's example", async () => {
    const api = await startApi();
    const id = await submit(api, {
      ...IMAGE,
      generation_mode: "quality",
      resolution: "2K",
      aspect_ratio: "16:9",
    });
    await api.core.start();
    await held(api);
    await api.clock.advance(SETTINGS.jobTimeoutMs + 60_000);
    const job = await reached(api, id, "error");
    const example = reference.paths["/generations/{id}"]?.get?.responses[200]?.content["application/json"];
    expect(example?.examples?.failed?.value).toEqual({
      ok: true,
      job: { ...job, job_id: expect.any(Number), created_at: expect.any(String) },
    });
  });
});

describe("an id in the path", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi();
    expect([await submit(api, IMAGE), await submit(api, SONG)]).toEqual([1, "music_2"]);
  });
  afterAll(() => api.close());

  test.each([
    ["0", 400, "bad_job_id"],
    ["01", 400, "bad_job_id"],
    ["music_01", 400, "bad_job_id"],
    ["1%0a", 400, "bad_job_id"],
    ["%zz", 400, "bad_job_id"],
    ["999", 404, "job_not_found"],
    ["9007199254740992", 404, "job_not_found"],
    ["9".repeat(400), 404, "job_not_found"],
    [`music_${"9".repeat(400)}`, 404, "job_not_found"],
    ["music_1", 404, "job_not_found"],
    ["2", 404, "job_not_found"],
    ["%31", 200, undefined],
    ["music%5F2", 200, undefined],
    ["1?anything=else", 200, undefined],
  ])("of %s gives %i %s", async (id, status, error) => {
    const answer = await api.get(`/generations/${id}`);
    expect([answer.status, answer.body.error]).toEqual([status, error]);
  });
});

test("4.5: the API shows its own jobs and every music job, and nothing to another account", async () => {
  const api = await startApi();
  const ann = { id: 7, name: "Ann" };
  const person = await api.person(ann.id, 100_000);
  const made = await api.core.accounts.keys.create(ann, null);
  const authorization = `Bearer ${made?.key ?? ""}`;
  const order = async (id: string, request: Parameters<typeof person.submit>[0], quotedKopecks: number) =>
    (await person.submit(request, { id, quotedKopecks: asKopecks(quotedKopecks) })).job_id;
  const picture = await order("a", { type: "image", model_key: "gpt-image-2-5", prompt: "a fox" }, 600);
  const film = await order("b", { type: "video", model_key: "veo-3-1", prompt: "waves" }, 4400);
  const song = await order("c", { ...SONG, type: "music" }, 2500);
  const own = (await api.post(IMAGE, { authorization })).body.job_id;

  const statusOf = async (id: unknown, headers: Record<string, string>) =>
    (await api.get(`/generations/${String(id)}`, headers)).status;
  expect(await statusOf(picture, { authorization })).toBe(404);
  expect(await statusOf(film, { authorization })).toBe(404);
  expect(await statusOf(song, { authorization })).toBe(200);
  expect(await statusOf(own, { authorization })).toBe(200);
  for (const id of [picture, film, song, own]) {
    expect(await statusOf(id, { authorization: `Bearer ${api.key}` }), String(id)).toBe(404);
  }
  expect((await person.job(own as number)).status, "the chat shows all").toBe("queued");
});
