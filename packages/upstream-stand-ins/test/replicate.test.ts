import { expect, test } from "vitest";
import type { Upstreams } from "../src/index.js";
import { send, upstreams } from "./client.js";

const KEY = "Bearer r8_key_1234";
const MODEL = "google/nano-banana-2";

const create = (replicate: Upstreams, input: object, { model = MODEL, headers = {} } = {}) =>
  send("POST", `${replicate.url}/v1/models/${model}/predictions`, KEY, { input }, headers);
const look = (url: string) => send("GET", url, KEY);

test("a prediction is told at once, and its output when it has succeeded", async () => {
  const replicate = await upstreams();
  const { status, body } = await create(replicate, { prompt: "a fox", resolution: "2K" });
  expect(status).toBe(201);
  expect(body).toMatchObject({ status: "starting", model: MODEL, output: null, input: { prompt: "a fox" } });
  replicate.advance(4000);
  expect((await look(body.urls.get)).body.status).toBe("processing");
  replicate.advance(6000);
  const { body: made } = await look(body.urls.get);
  expect(made).toMatchObject({ status: "succeeded", metrics: { predict_time: 6 } });
  expect(made.output).toMatch(/\/files\/replicate\/\w+\.jpg$/);
  expect(replicate.ledger).toMatchObject([
    { service: "replicate", endpoint: MODEL, price: { amount: 0.101 } },
  ]);
  replicate.advance(3_600_001);
  expect((await look(body.urls.get)).body).toMatchObject({ output: null, data_removed: true });
  expect(replicate.breaches).toEqual([]);
});

test("a model that makes several files tells a list", async () => {
  const replicate = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const input = { prompt: "a fox", number_of_images: 2, output_format: "webp" };
  const { body } = await create(replicate, input, { model: "openai/gpt-image-2.5-flare" });
  expect((await look(body.urls.get)).body.output).toHaveLength(2);
});

test.each([
  ["elevenlabs/music", { prompt: "a song", music_length_ms: 301_000 }],
  ["prunaai/z-image-turbo", { prompt: "a fox", width: 2048 }],
])("%s refuses %j, beyond the maximum of a published version", async (model, input) => {
  const replicate = await upstreams();
  expect((await create(replicate, input, { model })).status).toBe(422);
  expect(replicate.takeBreaches()).toHaveLength(1);
});

test.each([
  [{}, 422],
  [{ prompt: "x", aspect_ratio: "5:1" }, 422],
  [{ prompt: "x", resolution: "8K" }, 422],
])("%j is refused before anything is taken", async (input, status) => {
  const replicate = await upstreams();
  expect(await create(replicate, input)).toMatchObject({
    status,
    body: { title: "Input validation failed" },
  });
  expect(replicate.ledger).toEqual([]);
  expect(replicate.takeBreaches()).toHaveLength(1);
});

test("a field that the model does not know, and a waiting answer, are breaches", async () => {
  const replicate = await upstreams();
  await create(replicate, { prompt: "x", image_urls: [] }, { headers: { prefer: "wait" } });
  expect(replicate.takeBreaches()).toEqual([
    `replicate ${MODEL}: a waiting answer may be cut`,
    `replicate ${MODEL}: unknown field image_urls`,
  ]);
  expect((await create(replicate, { prompt: "x" }, { model: "nobody/nothing" })).status).toBe(404);
  expect(replicate.takeBreaches()).toEqual(["replicate: unknown model nobody/nothing"]);
});

test("one that waits is cancelled, and one that is not started by its deadline is aborted", async () => {
  const replicate = await upstreams();
  const { body: waiting } = await create(replicate, { prompt: "x" });
  expect((await send("POST", waiting.urls.cancel, KEY)).body.status).toBe("canceled");
  const { body: late } = await create(replicate, { prompt: "x" }, { headers: { "cancel-after": "2s" } });
  replicate.advance(2001);
  expect((await look(late.urls.get)).body.status).toBe("aborted");
});

test("the list has the newest first, since a time", async () => {
  const replicate = await upstreams();
  const { body: first } = await create(replicate, { prompt: "one" });
  replicate.advance(60_000);
  const { body: second } = await create(replicate, { prompt: "two" });
  const list = async (query = "") => (await look(`${replicate.url}/v1/predictions${query}`)).body.results;
  expect((await list()).map(({ id }: { id: string }) => id)).toEqual([second.id, first.id]);
  expect(await list(`?created_after=${second.created_at}`)).toMatchObject([{ input: { prompt: "two" } }]);
});

test("content, money and the key are told in its own words", async () => {
  const replicate = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const { body } = await create(replicate, { prompt: "x [fault:policy-at-submit]" });
  expect((await look(body.urls.get)).body).toMatchObject({
    status: "failed",
    error: expect.stringContaining("(E005)"),
  });
  replicate.setAccount("replicate", "no-credit");
  expect((await create(replicate, { prompt: "x" })).status).toBe(402);
  replicate.setAccount("replicate", "wrong-key");
  expect((await look(`${replicate.url}/v1/account`)).status).toBe(401);
});
