import { describe, expect, test } from "vitest";
import { ApiClient, health } from "../../src/client/api-client.js";
import { publicTitle } from "../../src/contract/model.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import { startApi } from "../http/v1/api.js";
import { failureOf, openClient } from "./harness.js";

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

  test("an order id that was accepted with another request is uncertain, and nothing is charged", async () => {
    const { api, client, clock } = await connect();
    const terms = { orderId: "reused", repeatableUntil: clock.now() + 1000 };
    await client.submit(IMAGE, terms);
    const { error } = await failureOf(client.submit(MUSIC, terms));
    expect(error).toMatchObject({ name: "UncertainOutcome" });
    expect(api.money().charges).toHaveLength(1);
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
