import { expect, test } from "vitest";
import { send, upstreams } from "./client.js";

test("polza's catalogue tells, by pages and without a key, what its models are judged by", async () => {
  const { url } = await upstreams();
  const page = (number: number) =>
    send("GET", `${url}/api/v1/models/catalog?limit=5&page=${number}`, undefined);
  const { body: first } = await page(1);
  const pages = await Promise.all(
    Array.from({ length: first.meta.totalPages }, (_, index) => page(index + 1)),
  );
  const models = pages.flatMap(({ body }) => body.data);
  expect(first.data).toHaveLength(5);
  expect(new Set(models.map(({ id }) => id)).size).toBe(first.meta.total);
  const kling = models.find(({ id }) => id === "kling/v2.5-turbo");
  expect(kling.top_provider).toMatchObject({
    parameters: {
      prompt: { required: true, max_length: 5000 },
      duration: { required: false, values: ["5", "10"] },
      cfg_scale: { required: false, min: 0, max: 1 },
    },
    pricing: {
      currency: "RUB",
      tiers: [
        { conditions: ["duration=5"], cost_rub: "31.50" },
        { conditions: ["duration=10"], cost_rub: "63.00" },
      ],
    },
  });
  expect((await page(99)).body.data).toEqual([]);
});

test("fal's OpenAPI of an endpoint has the schema that its input is judged by", async () => {
  const { url } = await upstreams();
  const document = (id: string) =>
    send("GET", `${url}/api/openapi/queue/openapi.json?endpoint_id=${encodeURIComponent(id)}`, undefined);
  const { body } = await document("fal-ai/z-image/turbo");
  const { $ref } = body.paths["/fal-ai/z-image/turbo"].post.requestBody.content["application/json"].schema;
  const schema = body.components.schemas[$ref.split("/").at(-1)];
  expect(schema.required).toContain("prompt");
  expect(schema.properties.image_size.anyOf).toHaveLength(2);
  expect(await document("none/such")).toMatchObject({ status: 404 });
});

test("kie's list of prices is told by pages", async () => {
  const { url } = await upstreams();
  const page = async (pageNum: number) => {
    const query = { pageNum, pageSize: 7 };
    const agent = { "user-agent": "test" };
    const { body } = await send("POST", `${url}/client/v1/model-pricing/page`, undefined, query, agent);
    return body.data;
  };
  const { pages, total, records } = await page(1);
  const last = await page(pages);
  expect(records).toHaveLength(7);
  expect(7 * (pages - 1) + last.records.length).toBe(total);
  expect(records[0]).toMatchObject({ creditPrice: "6", creditUnit: "per image", usdPrice: "0.03" });
});

test.each(["/api/v1/models/catalog", "/api/openapi/queue/openapi.json?endpoint_id=fal-ai/z-image/turbo"])(
  "%s refuses a key that nobody asked for",
  async (path) => {
    const { url } = await upstreams();
    expect(await send("GET", url + path, "Bearer polza-key-1234")).toMatchObject({ status: 400 });
  },
);
