import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jobById } from "../../../src/jobs/job-store.js";
import { refusal } from "../harness.js";
import { openApi, startApi, type TestApi } from "./api.js";

/*
 * The answers of the contract over HTTP, with the stored request and the money. What each field of a body means is
 * told in test/core/request.
 */

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

type Body = Record<string, unknown>;

/** The request that was stored with a job. */
function stored(jobId: unknown): Body {
  const row = jobById(api.database, Number(String(jobId).replace("music_", "")));
  if (!row) throw new Error(`no job ${String(jobId)}`);
  expect(row).toMatchObject({ account_id: api.accountId, origin: "api", order_id: null });
  return JSON.parse(row.request) as Body;
}

/** Posts a body that must be accepted; the balance must fall by its cost. */
async function accept(body: unknown) {
  const before = api.money();
  const answer = await api.post(body);
  expect(answer.body).toMatchObject({ ok: true, status: "queued" });
  expect(answer.status).toBe(200);
  const after = api.money();
  expect(before.balance - after.balance).toBe(Math.round(Number(answer.body.cost_rub) * 100));
  expect(after.charges).toHaveLength(before.charges.length + 1);
  return { answer: answer.body, request: stored(answer.body.job_id) };
}

/** Posts a body that must be refused; nothing may change. */
async function refuse(body: unknown) {
  const before = { money: api.money(), queued: await api.queued() };
  const answer = await api.post(body);
  expect({ money: api.money(), queued: await api.queued() }).toEqual(before);
  expect(answer.body.ok).toBe(false);
  return answer;
}

/** The field at fault, where the request calls it by its canonical name. */
const PARAMS: Record<string, string> = {
  unsupported_type: "type",
  bad_model: "model_key",
  bad_video_model: "model_key",
  bad_music_model: "model_key",
  model_disabled: "model_key",
  model_not_supported_via_api: "model_key",
  prompt_required: "prompt",
  prompt_too_long: "prompt",
  bad_generation_mode: "generation_mode",
  bad_aspect_ratio: "aspect_ratio",
  bad_duration_sec: "duration_sec",
  reference_required: "start_frame_url",
  bad_reference_url: "reference_urls",
  reference_url_must_be_https: "reference_urls",
  reference_url_not_allowed: "reference_urls",
  bad_music_description: "description",
  bad_music_lyrics: "lyrics",
  bad_music_style: "style_preset_id",
};

const link = (name: string) => `https://pictures.example.com/${name}.png`;

const IMAGE = { type: "image", model_key: "gpt-image-2-5", prompt: "a red fox" };
const VIDEO = { type: "video", model_key: "veo-3-1", prompt: "waves at dusk" };
const SONG = { type: "music", model_key: "music:suno-v5", description: "a slow song about the sea" };
const LYRICS = { ...SONG, mode: "lyrics", lyrics: "Далеко за морем светит маяк", custom_style: "chanson" };

test("2.3 and 4.4: an image answers with every job of the request, the total and the price of one", async () => {
  const { answer, request } = await accept({ ...IMAGE, count: 3, resolution: "2K" });
  const first = Number(answer.job_id);
  expect(answer).toEqual({
    ok: true,
    job_id: first,
    job_ids: [first, first + 1, first + 2],
    status: "queued",
    cost_rub: 27,
    unit_cost_rub: 9,
  });
  expect(request).toEqual({
    type: "image",
    model_key: "gpt-image-2-5",
    prompt: "a red fox",
    aspect_ratio: "9:16",
    generation_mode: "fast",
    resolution: "2K",
  });
  for (const id of [first, first + 1, first + 2]) {
    const { body } = await api.get(`/generations/${id}`);
    expect(body).toMatchObject({ ok: true, job: { job_id: id, cost_rub: 9 } });
  }
  const { answer: single } = await accept(IMAGE);
  expect(single).toMatchObject({ job_ids: [single.job_id], unit_cost_rub: single.cost_rub });
});

test.each([
  [{ ...VIDEO, duration_sec: 8, count: 4 }, expect.any(Number), 88],
  [{ ...SONG, count: 2 }, expect.stringMatching(/^music_[1-9]\d*$/), 25],
])(
  "2.2 and 4.4: a video and music: %j answers with its job and the cost, and nothing that belongs to images",
  async (body, job_id, cost_rub) => {
    const { answer, request } = await accept(body);
    expect(answer).toEqual({ ok: true, job_id, status: "queued", cost_rub });
    expect(request).not.toHaveProperty("count");
  },
);

describe("7: every rejection of a body has its status and its fields", () => {
  const IMAGE_KEYS = expect.arrayContaining(["gpt-image-2-5", "nano-banana-2"]);

  test.each<[code: string, body: unknown, fields?: Body]>([
    ["invalid_json", ""],
    ["invalid_json", "[]"],
    ["unsupported_type", { ...IMAGE, type: "audio" }, { supported: ["image", "video", "music"] }],
    ["bad_model", { ...IMAGE, model_key: "no-such" }, { allowed: IMAGE_KEYS }],
    ["bad_video_model", { ...VIDEO, model_key: "x" }, { allowed: expect.arrayContaining(["veo-3-1"]) }],
    ["bad_music_model", { ...SONG, model_key: "x" }, { allowed: expect.arrayContaining(["music:suno-v5"]) }],
    [
      "bad_music_model",
      { type: "music", model: "x" },
      { allowed: expect.arrayContaining(["music:suno-v5"]), param: "model" },
    ],
    ["model_disabled", { ...IMAGE, model_key: "seedream-4" }],
    ["model_not_supported_via_api", { ...VIDEO, model_key: "kling-avatar" }],
    ["prompt_required", { ...IMAGE, prompt: undefined }],
    ["prompt_too_long", { ...VIDEO, prompt: "x".repeat(5001) }],
    ["prompt_too_long", { ...VIDEO, prompt: " ", prompt_text: "x".repeat(5001) }, { param: "prompt_text" }],
    ["bad_generation_mode", { ...IMAGE, generation_mode: "slow" }, { allowed: ["fast", "quality"] }],
    ["bad_aspect_ratio", { ...IMAGE, aspect_ratio: "7:1" }, { allowed: expect.arrayContaining(["9:16"]) }],
    [
      "bad_aspect_ratio",
      { ...IMAGE, ratio: 5 },
      { allowed: expect.arrayContaining(["9:16"]), param: "ratio" },
    ],
    ["bad_duration_sec", { ...VIDEO, duration_sec: 5 }, { allowed: [4, 6, 8] }],
    ["reference_required", { ...VIDEO, model_key: "grok-imagine-video" }],
    ["reference_required", { ...VIDEO, video_input_mode: "references" }, { param: "reference_urls" }],
    ["bad_reference_url", { ...IMAGE, reference_urls: link("a") }],
    ["bad_reference_url", { ...VIDEO, start_frame_url: {} }, { param: "start_frame_url" }],
    ["bad_reference_url", { ...VIDEO, image_url: "a.png" }, { param: "image_url" }],
    ["reference_url_must_be_https", { ...VIDEO, reference_urls: ["http://a.example/a.png"] }],
    [
      "reference_url_not_allowed",
      { ...VIDEO, start_frame_url: link("a"), end_image_url: "https://10.0.0.1/" },
      { param: "end_image_url" },
    ],
    ["reference_url_not_allowed", { ...IMAGE, reference_urls: ["https://127.0.0.1/a.png"] }],
    ["bad_music_description", { ...SONG, description: undefined }],
    ["bad_music_lyrics", { ...LYRICS, lyrics: "nineteen characters" }],
    [
      "bad_music_style",
      { ...LYRICS, custom_style: null, style_preset_id: "polka" },
      { allowed: expect.anything() },
    ],
  ])("%s: %j", async (code, body, fields = {}) => {
    const answer = await refuse(body);
    const param = PARAMS[code];
    const facts = { ok: false, error: code, message: expect.stringMatching(/^[A-Z].*\.$/s) };
    expect(answer.body).toEqual({ ...facts, ...(param && { param }), ...fields });
    expect(answer.status).toBe(400);
  });

  test("insufficient_funds includes the balance and the cost", async () => {
    const poor = await startApi({ rubles: 5 });
    const answer = await poor.post({ ...IMAGE, count: 2 });
    expect(answer.status).toBe(402);
    expect(answer.body).toEqual(refusal("insufficient_funds", { balance: 5, cost_rub: 12 }));
    expect(poor.money().charges).toEqual([]);
    // A request that is wrong says so first: the balance is the last check.
    expect((await poor.post({ ...IMAGE, aspect_ratio: "7:1" })).body.error).toBe("bad_aspect_ratio");
  });
});

test("no key, body or user text reaches the log", () => {
  const log = JSON.stringify(api.lines);
  expect(log).not.toContain(api.key.slice(12));
  expect(log).not.toContain("a red fox");
  expect(log).not.toContain("pictures.example.com");
});
