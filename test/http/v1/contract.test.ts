import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { jobById } from "../../../src/jobs/job-store.js";
import { openApi, type TestApi } from "./api.js";

/*
 * The contract as one table, run over HTTP: a body goes in; the answer, the stored request and the money are
 * looked at. Each row names the section that it holds.
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

/** Each field as given; undefined: the request has no such field. */
function expectFields(request: Body, fields: Body): void {
  for (const [name, value] of Object.entries(fields)) expect(request[name], name).toEqual(value);
}

const link = (name: string) => `https://pictures.example.com/${name}.png`;
const links = (count: number) => Array.from({ length: count }, (_, n) => link(String(n)));
const LONG_PROMPT = "🦊".repeat(20_000);

const IMAGE = { type: "image", model_key: "gpt-image-2-5", prompt: "a red fox" };
const VIDEO = { type: "video", model_key: "veo-3-1", prompt: "waves at dusk" };
const SONG = { type: "music", model_key: "music:suno-v5", description: "a slow song about the sea" };
const LYRICS = { ...SONG, mode: "lyrics", lyrics: "Далеко за морем светит маяк", custom_style: "chanson" };

describe("2.3 and 4.4: an image", () => {
  test("answers with every job of the request, the total and the price of one", async () => {
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
  });

  test("lists its job also with a count of 1", async () => {
    const { answer } = await accept(IMAGE);
    expect(answer.job_ids).toEqual([answer.job_id]);
    expect(answer.cost_rub).toBe(answer.unit_cost_rub);
  });

  test.each<[rule: string, body: Body, request: Body, costRub: number]>([
    ["type is image by default", { ...IMAGE, type: undefined }, { type: "image" }, 6],
    ["a null type is absent", { ...IMAGE, type: null }, { type: "image" }, 6],
    ["the default model", { prompt: "a fox" }, { model_key: "nano-banana-2" }, 10],
    ["the prompt is trimmed", { ...IMAGE, prompt: "  a fox\n" }, { prompt: "a fox" }, 6],
    ["20000 characters are code points", { ...IMAGE, prompt: LONG_PROMPT }, { prompt: LONG_PROMPT }, 6],
    ["every ratio of the table", { ...IMAGE, aspect_ratio: "27:16" }, { aspect_ratio: "27:16" }, 6],
    ["auto is a ratio", { ...IMAGE, aspect_ratio: "auto" }, { aspect_ratio: "auto" }, 6],
    [
      "a mode changes the price",
      { ...IMAGE, generation_mode: "quality" },
      { generation_mode: "quality" },
      14,
    ],
    ["references change the price", { ...IMAGE, reference_urls: links(1) }, { reference_urls: links(1) }, 8],
    [
      "mode, references and resolution choose one price",
      { ...IMAGE, generation_mode: "quality", resolution: "4K", reference_urls: links(2) },
      { reference_urls: links(2) },
      39,
    ],
    ["16 references", { ...IMAGE, reference_urls: links(16) }, { reference_urls: links(16) }, 8],
    ["more are cut", { ...IMAGE, reference_urls: [...links(16), 5] }, { reference_urls: links(16) }, 8],
    ["no references", { ...IMAGE, reference_urls: [] }, { reference_urls: undefined }, 6],
    [
      "a mode on a model without modes is ignored",
      { prompt: "x", generation_mode: "slow" },
      { generation_mode: undefined },
      10,
    ],
    [
      "references on a model without them are ignored",
      { prompt: "x", model_key: "z-image-turbo", reference_urls: 5 },
      {},
      3,
    ],
    ["9: an unknown resolution is the default", { ...IMAGE, resolution: "8K" }, { resolution: "1K" }, 6],
    ["9: a resolution of another type too", { ...IMAGE, resolution: 4 }, { resolution: "1K" }, 6],
    ["9: count is rounded down", { ...IMAGE, count: 2.9 }, { count: undefined }, 12],
    ["9: count is at least 1", { ...IMAGE, count: -7 }, {}, 6],
    ["9: count is at least 1, also for 0", { ...IMAGE, count: 0 }, {}, 6],
    ["9: count is at most 4", { ...IMAGE, count: 99 }, {}, 24],
    ["9: count as a text", { ...IMAGE, count: "3" }, {}, 18],
    ["9: a count that is no number is 1", { ...IMAGE, count: "many" }, {}, 6],
    ["9: prompt_text", { ...IMAGE, prompt: undefined, prompt_text: "a cat" }, { prompt: "a cat" }, 6],
    [
      "9: prompt_text when the prompt is empty",
      { ...IMAGE, prompt: " ", prompt_text: "a cat" },
      { prompt: "a cat" },
      6,
    ],
    ["9: prompt wins over prompt_text", { ...IMAGE, prompt_text: "a cat" }, { prompt: "a red fox" }, 6],
    ["9: ratio", { ...IMAGE, ratio: "16:9" }, { aspect_ratio: "16:9" }, 6],
    ["9: aspect_ratio wins", { ...IMAGE, ratio: "x", aspect_ratio: "1:1" }, { aspect_ratio: "1:1" }, 6],
    ["unknown fields are ignored", { ...IMAGE, n: 4, style: {} }, { n: undefined, style: undefined }, 6],
  ])("%s", async (_rule, body, request, costRub) => {
    const accepted = await accept(body);
    expectFields(accepted.request, request);
    expect(accepted.answer.cost_rub).toBe(costRub);
  });

  test("treats names of objects as data", async () => {
    const body =
      '{"__proto__":{"count":4},"constructor":{"prototype":1},"prompt":"a fox","hasOwnProperty":1}';
    expect((await accept(body)).answer.cost_rub).toBe(10);
    expect((await refuse('{"__proto__":{"prompt":"a fox"}}')).body.error).toBe("prompt_required");
  });
});

describe("2.2 and 4.4: a video", () => {
  test("answers with its job and the cost, and nothing that belongs to images", async () => {
    const { answer, request } = await accept({ ...VIDEO, duration_sec: 8, count: 4 });
    expect(answer).toEqual({ ok: true, job_id: expect.any(Number), status: "queued", cost_rub: 88 });
    expect(request).toEqual({
      type: "video",
      model_key: "veo-3-1",
      prompt: "waves at dusk",
      aspect_ratio: "16:9",
      resolution: "720p",
      duration_sec: 8,
      video_input_mode: "text",
      video_speed_mode: "standard",
      sound: false,
    });
  });

  test.each<[rule: string, body: Body, request: Body, costRub: number]>([
    ["the default model", { type: "video", prompt: "waves" }, { model_key: "veo-3-1" }, 44],
    ["resolution and duration choose the price", { ...VIDEO, resolution: "4K", duration_sec: 6 }, {}, 180],
    [
      "a table by duration alone",
      { ...VIDEO, model_key: "kling-2-5-turbo", duration_sec: 10 },
      { duration_sec: 10, resolution: undefined },
      90,
    ],
    ["a duration as a text", { ...VIDEO, duration_sec: "6" }, { duration_sec: 6 }, 66],
    ["sound changes the price", { ...VIDEO, sound: true }, { sound: true }, 66],
    ["fast mode changes it", { ...VIDEO, video_speed_mode: "fast" }, { video_speed_mode: "fast" }, 27],
    ["both, rounded up once", { ...VIDEO, sound: true, video_speed_mode: "fast" }, {}, 40],
    ["9: a word for a boolean", { ...VIDEO, sound: "yes" }, { sound: true }, 66],
    ["9: in any case", { ...VIDEO, sound: "ON" }, { sound: true }, 66],
    ["9: 1", { ...VIDEO, sound: 1 }, { sound: true }, 66],
    ["9: off", { ...VIDEO, sound: "off" }, { sound: false }, 44],
    ["9: no boolean at all", { ...VIDEO, sound: "loud" }, { sound: false }, 44],
    ["9: an unknown resolution", { ...VIDEO, resolution: "240p" }, { resolution: "720p" }, 44],
    ["9: an unknown ratio", { ...VIDEO, aspect_ratio: "9:8" }, { aspect_ratio: "16:9" }, 44],
    ["9: ratio", { ...VIDEO, ratio: "9:16" }, { aspect_ratio: "9:16" }, 44],
    ["9: speed_mode", { ...VIDEO, speed_mode: "fast" }, { video_speed_mode: "fast" }, 27],
    [
      "9: input_mode",
      { ...VIDEO, input_mode: "text", image_url: link("a") },
      { video_input_mode: "text", start_frame_url: undefined },
      44,
    ],
    ["9: start_image_url", { ...VIDEO, start_image_url: link("a") }, { start_frame_url: link("a") }, 44],
    ["9: image_url", { ...VIDEO, image_url: link("a") }, { start_frame_url: link("a") }, 44],
    [
      "9: start_frame_url wins",
      { ...VIDEO, start_frame_url: link("a"), start_image_url: link("b"), image_url: link("c") },
      { start_frame_url: link("a"), video_input_mode: "frames" },
      44,
    ],
    [
      "9: end_image_url",
      { ...VIDEO, image_url: link("a"), end_image_url: link("z") },
      { start_frame_url: link("a"), end_frame_url: link("z") },
      44,
    ],
    [
      "9: references become the missing frames",
      { ...VIDEO, reference_urls: links(2) },
      { start_frame_url: link("0"), end_frame_url: link("1"), reference_urls: undefined },
      44,
    ],
    [
      "9: only the missing ones",
      { ...VIDEO, model_key: "kling-2-5-turbo", reference_urls: links(2) },
      { start_frame_url: link("0"), end_frame_url: undefined, reference_urls: undefined },
      45,
    ],
    [
      "references that are asked for stay references",
      { ...VIDEO, video_input_mode: "references", reference_urls: links(5) },
      { video_input_mode: "references", reference_urls: links(3), start_frame_url: undefined },
      44,
    ],
    ["prompt_text", { ...VIDEO, prompt: null, prompt_text: "surf" }, { prompt: "surf" }, 44],
  ])("%s", async (_rule, body, request, costRub) => {
    const accepted = await accept(body);
    expectFields(accepted.request, request);
    expect(accepted.answer.cost_rub).toBe(costRub);
  });
});

describe("2.2 and 4.4: music", () => {
  test("answers with music_<n> and the cost, and nothing that belongs to images", async () => {
    const { answer, request } = await accept({ ...SONG, count: 2 });
    expect(answer).toEqual({
      ok: true,
      job_id: expect.stringMatching(/^music_[1-9]\d*$/),
      status: "queued",
      cost_rub: 25,
    });
    expect(request).toEqual({
      type: "music",
      model_key: "music:suno-v5",
      mode: "description",
      description: "a slow song about the sea",
      make_instrumental: false,
      style_weight: 0.65,
      weirdness_constraint: 0.65,
      audio_weight: 0.65,
    });
  });

  test.each<[rule: string, body: Body, request: Body, costRub: number]>([
    ["the default model", { ...SONG, model_key: "" }, { model_key: "music:suno-v6" }, 25],
    [
      "9: model",
      { ...SONG, model_key: undefined, model: "music:minimax" },
      { model_key: "music:minimax" },
      20,
    ],
    ["9: without its prefix", { ...SONG, model_key: "elevenlabs" }, { model_key: "music:elevenlabs" }, 60],
    ["9: model_key wins", { ...SONG, model: "minimax" }, { model_key: "music:suno-v5" }, 25],
    ["a description of 8 characters", { ...SONG, description: "морская!" }, { description: "морская!" }, 25],
    ["9: texts are trimmed", { ...SONG, title: " Sea " }, { title: "Sea" }, 25],
    ["8: a title is cut to 120", { ...SONG, title: "т".repeat(121) }, { title: "т".repeat(120) }, 25],
    [
      "8: a description is cut to 1500",
      { ...SONG, description: "🌊".repeat(1501) },
      { description: "🌊".repeat(1500) },
      25,
    ],
    ["8: lyrics are cut to 4000", { ...LYRICS, lyrics: "л".repeat(4001) }, { lyrics: "л".repeat(4000) }, 25],
    [
      "8: a custom style is cut to 700",
      { ...SONG, custom_style: "s".repeat(701) },
      { custom_style: "s".repeat(700) },
      25,
    ],
    ["lyrics with a style", LYRICS, { mode: "lyrics", custom_style: "chanson" }, 25],
    [
      "lyrics with a preset",
      { ...LYRICS, custom_style: "", style_preset_id: "jazz" },
      { style_preset_id: "jazz", custom_style: undefined },
      25,
    ],
    [
      "9: a custom style wins over a preset",
      { ...LYRICS, style_preset_id: "jazz" },
      { custom_style: "chanson", style_preset_id: undefined },
      25,
    ],
    ["an unknown mode is the default", { ...SONG, mode: "opera" }, { mode: "description" }, 25],
    ["an unknown preset is none", { ...SONG, style_preset_id: "polka" }, { style_preset_id: undefined }, 25],
    ["9: stylePresetId", { ...SONG, stylePresetId: "folk" }, { style_preset_id: "folk" }, 25],
    ["9: customStyle", { ...SONG, customStyle: "sea shanty" }, { custom_style: "sea shanty" }, 25],
    ["9: makeInstrumental", { ...SONG, makeInstrumental: "1" }, { make_instrumental: true }, 25],
    [
      "9: make_instrumental wins",
      { ...SONG, makeInstrumental: true, make_instrumental: "no" },
      { make_instrumental: false },
      25,
    ],
    [
      "9: weights are clamped and rounded",
      { ...SONG, style_weight: 7, weirdness_constraint: -1, audio_weight: 0.126 },
      { style_weight: 1, weirdness_constraint: 0, audio_weight: 0.13 },
      25,
    ],
    [
      "9: weights under their other names",
      { ...SONG, styleWeight: 0.1, weirdnessConstraint: "0.2", audioWeight: 0.3 },
      { style_weight: 0.1, weirdness_constraint: 0.2, audio_weight: 0.3 },
      25,
    ],
    [
      "9: the canonical weight wins",
      { ...SONG, styleWeight: 0.1, style_weight: 0.9 },
      { style_weight: 0.9 },
      25,
    ],
    ["9: a weight that is no number", { ...SONG, style_weight: "much" }, { style_weight: 0.65 }, 25],
    [
      "8: a duration, of the model that takes it",
      { ...SONG, model_key: "elevenlabs", duration_sec: 360 },
      { duration_sec: 360 },
      60,
    ],
    ["9: durationSec", { ...SONG, model_key: "elevenlabs", durationSec: "10" }, { duration_sec: 10 }, 60],
    ["8: 9 seconds are 20", { ...SONG, model_key: "elevenlabs", duration_sec: 9 }, { duration_sec: 20 }, 60],
    [
      "8: 361 seconds are 20",
      { ...SONG, model_key: "elevenlabs", duration_sec: 361 },
      { duration_sec: 20 },
      60,
    ],
    [
      "8: 12.5 seconds are 20",
      { ...SONG, model_key: "elevenlabs", duration_sec: 12.5 },
      { duration_sec: 20 },
      60,
    ],
    ["9: others ignore it", { ...SONG, duration_sec: 30 }, { duration_sec: undefined }, 25],
  ])("%s", async (_rule, body, request, costRub) => {
    const accepted = await accept(body);
    expectFields(accepted.request, request);
    expect(accepted.answer.cost_rub).toBe(costRub);
  });
});

describe("7: every rejection of a body has its status and its fields", () => {
  const refs = (reference: unknown) => ({ ...IMAGE, reference_urls: [reference] });
  const IMAGE_KEYS = expect.arrayContaining(["gpt-image-2-5", "nano-banana-2"]);

  test.each<[code: string, body: unknown, fields?: Body]>([
    ["invalid_json", ""],
    ["invalid_json", "{"],
    ["invalid_json", "{'prompt':'x'}"],
    ["invalid_json", '{"prompt":"x"} x'],
    ["invalid_json", "null"],
    ["invalid_json", "[]"],
    ["invalid_json", '"prompt"'],
    ["invalid_json", "5"],
    ["invalid_json", "prompt=a+fox"],
    ["unsupported_type", { ...IMAGE, type: "audio" }, { supported: ["image", "video", "music"] }],
    ["unsupported_type", { ...IMAGE, type: 5 }, { supported: ["image", "video", "music"] }],
    ["bad_model", { ...IMAGE, model_key: "no-such" }, { allowed: IMAGE_KEYS }],
    ["bad_model", { ...IMAGE, model_key: {} }, { allowed: IMAGE_KEYS }],
    ["bad_model", { ...IMAGE, model_key: "veo-3-1" }, { allowed: IMAGE_KEYS }],
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
    ["prompt_required", { ...IMAGE, prompt: " \n" }],
    ["prompt_required", { ...VIDEO, prompt: null, prompt_text: "" }],
    ["prompt_required", { ...IMAGE, prompt: ["a fox"] }],
    ["prompt_too_long", { ...IMAGE, prompt: `${LONG_PROMPT}!` }],
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
    ["bad_duration_sec", { ...VIDEO, duration_sec: "long" }, { allowed: [4, 6, 8] }],
    ["reference_required", { ...VIDEO, model_key: "grok-imagine-video" }],
    ["reference_required", { ...VIDEO, video_input_mode: "frames" }],
    ["reference_required", { ...VIDEO, video_input_mode: "references" }, { param: "reference_urls" }],
    ["bad_reference_url", { ...IMAGE, reference_urls: link("a") }],
    ["bad_reference_url", refs("not a link")],
    ["bad_reference_url", refs(5)],
    ["bad_reference_url", { ...VIDEO, start_frame_url: {} }, { param: "start_frame_url" }],
    ["bad_reference_url", { ...VIDEO, image_url: "a.png" }, { param: "image_url" }],
    ["reference_url_must_be_https", { ...VIDEO, reference_urls: ["http://a.example/a.png"] }],
    [
      "reference_url_not_allowed",
      { ...VIDEO, start_frame_url: link("a"), end_image_url: "https://10.0.0.1/" },
      { param: "end_image_url" },
    ],
    ["reference_url_must_be_https", refs("http://pictures.example.com/a.png")],
    ["reference_url_must_be_https", refs("data:image/png;base64,AAAA")],
    ["reference_url_must_be_https", refs("file:///etc/passwd")],
    ["reference_url_not_allowed", refs("https://127.0.0.1/a.png")],
    ["reference_url_not_allowed", refs("https://2130706433/a.png")],
    ["reference_url_not_allowed", refs("https://[::ffff:10.0.0.1]/a.png")],
    ["reference_url_not_allowed", refs("https://localhost/a.png")],
    ["reference_url_not_allowed", refs("https://printer.local/a.png")],
    ["reference_url_not_allowed", refs("https://169.254.169.254/latest/meta-data")],
    ["bad_music_description", { ...SONG, description: undefined }],
    ["bad_music_description", { ...SONG, description: "7 chars" }],
    ["bad_music_lyrics", { ...LYRICS, lyrics: "nineteen characters" }],
    ["bad_music_style", { ...LYRICS, custom_style: " " }, { allowed: expect.arrayContaining(["pop"]) }],
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
    const poor = await openApi({ rubles: 5 });
    const answer = await poor.post({ ...IMAGE, count: 2 });
    expect(answer.status).toBe(402);
    expect(answer.body).toEqual({
      ok: false,
      error: "insufficient_funds",
      message: expect.any(String),
      balance: 5,
      cost_rub: 12,
    });
    expect(poor.money().charges).toEqual([]);
    // A request that is wrong says so first: the balance is the last check.
    expect((await poor.post({ ...IMAGE, aspect_ratio: "7:1" })).body.error).toBe("bad_aspect_ratio");
    await poor.close();
  });
});

test("no key, body or user text reaches the log", () => {
  const log = JSON.stringify(api.lines);
  expect(log).not.toContain(api.key.slice(12));
  expect(log).not.toContain("a red fox");
  expect(log).not.toContain("pictures.example.com");
});
