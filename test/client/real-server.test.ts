import { expect, test } from "vitest";
import { ApiClient } from "../../src/client/api-client.js";
import { startApi } from "../http/v1/api.js";
import { IMAGE, MUSIC } from "../support/core.js";
import { failureOf, openClient } from "./harness.js";

test("an order id that this project's own server accepted with another request is uncertain, and charges nothing", async () => {
  const api = await startApi();
  const { remote, clock } = openClient(`${api.url}/v1`);
  const client = new ApiClient(remote, () => api.key);
  const terms = { orderId: "reused", repeatableUntil: clock.now() + 1000 };
  await client.submit(IMAGE, terms);
  const { error } = await failureOf(client.submit(MUSIC, terms));
  expect(error).toMatchObject({ name: "UncertainOutcome" });
  expect(api.money().charges).toHaveLength(1);
});
