import { describe, expect, test } from "vitest";
import { ApiClient, health } from "../../src/client/api-client.js";
import { publicTitle } from "../../src/contract/model.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import { startApi } from "../http/v1/api.js";
import { eventually } from "../support/eventually.js";
import { failureOf, openClient, REQUEST } from "./harness.js";

const IMAGE: GenerationRequest = { type: "image", model_key: "nano-banana-2", prompt: "a red fox" };
const MUSIC: GenerationRequest = {
  type: "music",
  model_key: "music:suno-v5",
  description: "a slow song about the sea",
};

/** This project's own API over HTTP, and a client with its account. */
async function connect(options: Parameters<typeof startApi>[0] = {}) {
  const api = await startApi(options);
  const { remote, ...rest } = openClient(`${api.url}/v1`);
  return { api, remote, ...rest, client: new ApiClient(remote, () => api.key) };
}

describe("against this project's own server", () => {
  test("health, balance and models are what the service says", async () => {
    const { api, remote, client } = await connect({ rubles: 250 });
    expect(await health(remote)).toBe("v1");
    expect(await client.balance()).toEqual({ currency: "RUB", amount: 250 });
    const { body } = await api.get("/models");
    // A preview is a fact of the model here, and words of its title there.
    const told = (await client.models()).map(({ isPreview = false, ...model }) => ({
      ...model,
      title: publicTitle({ title: model.title, isPreview }),
    }));
    expect(told).toEqual(body.models);
    expect(remote.retention.announcedMs).toBe(86_400_000);
  });

  test.each([IMAGE, MUSIC])("a job goes from its submission to its result: $type", async (request) => {
    const { api, client } = await connect();
    const accepted = await client.submit(request, { orderId: "one" });
    expect(await client.job(accepted.job_id)).toMatchObject({
      job_id: accepted.job_id,
      cost_rub: accepted.cost_rub,
    });
    await api.core.start();
    const held = await eventually("the job is made", () => api.provider.held[0]);
    held.finish();
    const job = await eventually("the job is done", async () => {
      const seen = await client.job(accepted.job_id);
      return seen.status === "done" && seen;
    });
    expect(job.result?.url).toMatch(/^http/);
    expect(job.result?.tracks?.length).toBe(request.type === "music" ? 2 : undefined);
  });

  test("the same order is charged once, however often it is submitted", async () => {
    const { api, client, clock } = await connect();
    const terms = { orderId: "twice", repeatableUntil: clock.now() + 1000 };
    const first = await client.submit({ ...IMAGE, count: 3 }, terms);
    const second = await client.submit({ ...IMAGE, count: 3 }, terms);
    expect(first.job_ids).toHaveLength(3);
    expect(second).toEqual(first);
    expect(api.money().charges).toHaveLength(1);
  });

  test("an order id that was accepted with another request is uncertain, and nothing is charged", async () => {
    const { api, client, clock } = await connect();
    const terms = { orderId: "reused", repeatableUntil: clock.now() + 1000 };
    await client.submit(IMAGE, terms);
    const { error } = await failureOf(client.submit(MUSIC, terms));
    expect(error).toMatchObject({ name: "UncertainOutcome" });
    expect(api.money().charges).toHaveLength(1);
  });

  const VIDEO = { type: "video", model_key: "veo-3-1", prompt: "a fox runs" } as const;
  test.each<[string, object]>([
    ["unsupported_type", { ...IMAGE, type: "film" }],
    ["prompt_required", { ...IMAGE, prompt: " " }],
    ["prompt_too_long", { ...IMAGE, prompt: "x".repeat(30_000) }],
    ["bad_model", REQUEST],
    ["bad_video_model", { ...VIDEO, model_key: "none" }],
    ["bad_music_model", { ...MUSIC, model_key: "music:none" }],
    ["bad_aspect_ratio", { ...IMAGE, aspect_ratio: "5:7" }],
    ["bad_duration_sec", { ...VIDEO, duration_sec: 999 }],
    ["bad_generation_mode", { ...IMAGE, model_key: "gpt-image-2-5", generation_mode: "best" }],
    ["model_disabled", { ...IMAGE, model_key: "seedream-4" }],
    ["model_not_supported_via_api", { ...VIDEO, model_key: "kling-avatar" }],
    ["reference_required", { ...VIDEO, video_input_mode: "frames" }],
    ["bad_reference_url", { ...IMAGE, reference_urls: ["not a link"] }],
    ["reference_url_must_be_https", { ...IMAGE, reference_urls: ["http://a.example/x.png"] }],
    ["reference_url_not_allowed", { ...IMAGE, reference_urls: ["https://127.0.0.1/x.png"] }],
    ["bad_music_description", { ...MUSIC, description: "short" }],
    ["bad_music_lyrics", { ...MUSIC, mode: "lyrics", lyrics: "la" }],
    ["bad_music_style", { ...MUSIC, mode: "lyrics", lyrics: "la la la ".repeat(10) }],
    ["payload_too_large", { ...IMAGE, prompt: "x".repeat(13_000_000) }],
  ])("%s is refused and not charged", async (code, request) => {
    const { api, client } = await connect();
    const { error } = await failureOf(client.submit(request as GenerationRequest, { orderId: code }));
    expect(error).toMatchObject({ name: "ContractError", code });
    expect(api.money().charges).toEqual([]);
  });

  test("a low balance says by how much", async () => {
    const { client } = await connect({ rubles: 1 });
    const { error } = await failureOf(client.submit(IMAGE, { orderId: "poor" }));
    expect(error).toMatchObject({ code: "insufficient_funds", detail: { balance: 1 } });
  });

  test("a wrong key, an unknown job and a wrong id are refused", async () => {
    const { remote, client } = await connect();
    const stranger = new ApiClient(remote, () => "atl_unknown");
    for (const call of [stranger.balance(), stranger.submit(IMAGE, { orderId: "x" })])
      expect((await failureOf(call)).error).toMatchObject({ code: "invalid_api_key" });
    expect((await failureOf(new ApiClient(remote, () => "").balance())).error).toMatchObject({
      code: "api_key_required",
    });
    expect((await failureOf(client.job(999))).error).toMatchObject({ code: "job_not_found" });
    expect((await failureOf(client.job("no id"))).error).toMatchObject({ code: "bad_job_id" });
  });

  test("too many POSTs are Unavailable, with the time to wait", async () => {
    const { client } = await connect({ rateLimitPerMinute: 1 });
    await client.submit(IMAGE, { orderId: "first" });
    const { error } = await failureOf(client.submit(IMAGE, { orderId: "second" }));
    expect(error).toMatchObject({ name: "Unavailable", status: 429 });
    expect((error as { retryAfterMs: number }).retryAfterMs).toBeGreaterThan(0);
  });
});
