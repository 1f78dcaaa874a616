import { imageSize } from "image-size";
import { expect, test } from "vitest";
import type { Upstreams } from "../src/index.js";
import { download, send, upstreams } from "./client.js";

const KEY = "Bearer polza-key-1234";

const create = (polza: Upstreams, model: string, input: object, more: object = { async: true }) =>
  send("POST", `${polza.url}/api/v1/media`, KEY, { model, input, ...more });
const look = async (polza: Upstreams, id: string) =>
  (await send("GET", `${polza.url}/api/v1/media/${id}`, KEY)).body;

test("a picture is pending, processing, completed, and tells its cost in rubles", async () => {
  const polza = await upstreams();
  const created = await create(polza, "google/gemini-nano-banana-2.1", {
    prompt: "лиса",
    aspect_ratio: "1:1",
  });
  expect(created).toMatchObject({ status: 201, body: { object: "media.generation", status: "pending" } });
  const { id } = created.body;
  expect(id).toMatch(/^gen_/);
  polza.advance(4000);
  expect((await look(polza, id)).status).toBe("processing");
  polza.advance(6000);
  const done = await look(polza, id);
  expect(done).toMatchObject({ status: "completed", usage: { cost_rub: 8, cost: 8, output_units: 1 } });
  expect(imageSize((await download(done.data.url)).bytes)).toMatchObject({ width: 1024, height: 1024 });
  expect(polza.ledger).toMatchObject([
    { service: "polza", price: { amount: 8, currency: "RUB" }, key: "1234" },
  ]);
  expect(polza.breaches).toEqual([]);
});

test("GPT Image 2.5 costs by its resolution", async () => {
  const polza = await upstreams();
  const input = { prompt: "лиса", aspect_ratio: "16:9", image_resolution: "4K" };
  await create(polza, "openai/gpt-image-2.5-sunburst", input);
  expect(polza.ledger).toMatchObject([{ price: { amount: 11, currency: "RUB" } }]);
});

test("several files are a list", async () => {
  const polza = await upstreams();
  const { id } = (await create(polza, "suno/generate", { prompt: "песня" })).body;
  polza.advance(9000);
  expect((await look(polza, id)).data).toHaveLength(2);
});

test("an ignored parameter is a warning there and a breach here", async () => {
  const polza = await upstreams();
  const { body } = await create(polza, "google/veo3_fast", { prompt: "море", aspectRatio: "16:9" });
  expect(body.warnings).toEqual([expect.stringContaining("aspectRatio")]);
  expect(polza.takeBreaches()).toEqual(["polza google/veo3_fast: unknown field aspectRatio"]);
});

test.each([
  ["google/veo3_fast", {}, 400],
  ["kling/v2.5-turbo", { prompt: "x", duration: 7 }, 400],
  ["gemini-omni-video", { prompt: "x", images: ["https://a.test/1.png"] }, 400],
  ["openai/gpt-image-2.5-flare", { prompt: "x", aspect_ratio: "1:1" }, 400],
  ["openai/gpt-image-2.5-flare", { prompt: "x", aspect_ratio: "auto", image_resolution: "2K" }, 400],
  ["seedream/5-pro-text-to-image", { prompt: "x" }, 400],
  ["none/such", { prompt: "x" }, 404],
])("%s refuses %j with %i", async (model, input, status) => {
  const polza = await upstreams();
  const refused = await create(polza, model, input);
  expect(refused.status).toBe(status);
  expect(refused.body.error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
  expect(polza.ledger).toEqual([]);
  polza.takeBreaches();
});

test("without async the answer comes when all is made, and that is a breach", async () => {
  const polza = await upstreams();
  const answered = create(polza, "google/gemini-2.5-flash-image", { prompt: "x" }, {});
  await polza.waitUntil(() => polza.ledger.length === 1);
  polza.advance(9000);
  expect((await answered).body.status).toBe("completed");
  expect(polza.takeBreaches()).toHaveLength(1);
});

test("references are objects with an address or bytes", async () => {
  const polza = await upstreams();
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47])], { type: "image/png" }), "a.png");
  const { url } = (await send("POST", `${polza.url}/api/v1/storage/upload`, KEY, form)).body;
  const images = [
    { type: "url", data: url },
    { type: "base64", data: "iVBORw0KGgo=" },
  ];
  const good = (await create(polza, "google/gemini-2.5-flash-image", { prompt: "x", images })).body;
  const gone = [{ type: "url", data: `${polza.url}/uploads/gone/a.png` }];
  const bad = (await create(polza, "google/gemini-2.5-flash-image", { prompt: "x", images: gone })).body;
  polza.advance(9000);
  expect((await look(polza, good.id)).status).toBe("completed");
  expect(await look(polza, bad.id)).toMatchObject({ status: "failed", error: { code: "BAD_GATEWAY" } });
});

test("keys, balance, models and unknown tasks", async () => {
  const polza = await upstreams({ keys: { polza: "right" } });
  expect((await create(polza, "suno/generate", { prompt: "x" })).status).toBe(401);
  expect(await send("GET", `${polza.url}/api/v1/media/gen_none`, "Bearer right")).toMatchObject({
    status: 404,
  });
  expect((await send("GET", `${polza.url}/api/v1/balance`, "Bearer right")).body).toEqual({
    amount: "1000.00",
  });
  const { data } = (await send("GET", `${polza.url}/api/v1/models`, undefined)).body;
  expect(data.find(({ id }: { id: string }) => id === "google/veo3_fast").parameters.aspect_ratio).toEqual({
    required: false,
    values: ["16:9", "9:16", "Auto"],
  });
  polza.setAccount("polza", "no-credit");
  expect(
    (
      await send("POST", `${polza.url}/api/v1/media`, "Bearer right", {
        model: "suno/generate",
        input: { prompt: "x" },
        async: true,
      })
    ).status,
  ).toBe(402);
});
