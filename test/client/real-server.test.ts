import { describe, expect, test } from "vitest";
import { ApiClient, health } from "../../src/client/api-client.js";
import { publicTitle } from "../../src/contract/model.js";
import { startApi } from "../http/v1/api.js";
import { IMAGE, MUSIC } from "../support/core.js";
import { failureOf, openClient } from "./harness.js";

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
});
