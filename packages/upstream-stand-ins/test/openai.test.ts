import { imageSize } from "image-size";
import { expect, test } from "vitest";
import type { Upstreams } from "../src/index.js";
import { send, upstreams } from "./client.js";

const KEY = "Bearer openai-key-1234";
const INSTANT = { timing: { queueMs: 0, runMs: 0 } };
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);

const generate = (openai: Upstreams, body: object) =>
  send("POST", `${openai.url}/v1/images/generations`, KEY, { model: "gpt-image-2.5-flare", ...body });

function edit(
  openai: Upstreams,
  fields: Readonly<Record<string, string>>,
  images: readonly [string, string][],
) {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: "gpt-image-2.5-flare", prompt: "x", ...fields })) {
    form.append(name, value);
  }
  for (const [name, mime] of images) form.append(name, new Blob([PNG], { type: mime }), "a.png");
  return send("POST", `${openai.url}/v1/images/edits`, KEY, form);
}

test("the answer holds the picture, and what was left open comes back resolved", async () => {
  const openai = await upstreams();
  const answered = generate(openai, { prompt: "a fox", size: "1536x1024", output_format: "webp" });
  await openai.waitUntil(() => openai.ledger.length === 1);
  openai.advance(9000);
  const { status, body } = await answered;
  expect(status).toBe(200);
  expect(body).toMatchObject({
    size: "1536x1024",
    quality: "medium",
    background: "opaque",
    output_format: "webp",
  });
  expect(body.usage.total_tokens).toBe(body.usage.input_tokens + body.usage.output_tokens);
  const picture = Buffer.from(body.data[0].b64_json, "base64");
  expect(imageSize(picture)).toMatchObject({ type: "webp", width: 1536, height: 1024 });
  expect(openai.ledger).toMatchObject([{ service: "openai", price: { amount: 0.042 }, key: "1234" }]);
  expect(openai.breaches).toEqual([]);
});

test.each([
  [{ prompt: "x", size: "1000x1000" }, "invalid_value"],
  [{ prompt: "x", size: "512x512" }, "invalid_value"],
  [{ prompt: "x", size: "3840x1024" }, "invalid_value"],
  [{ prompt: "x", size: "3840x2400" }, "invalid_value"],
  [{ prompt: "x", background: "transparent", output_format: "jpeg" }, "invalid_value"],
  [{ size: "1024x1024" }, "missing_required_parameter"],
  [{ prompt: "x", response_format: "b64_json" }, "unknown_parameter"],
])("%j is refused with %s", async (body, code) => {
  const openai = await upstreams(INSTANT);
  expect(await generate(openai, body)).toMatchObject({ status: 400, body: { error: { code } } });
  expect(openai.ledger).toEqual([]);
  expect(openai.takeBreaches()).toHaveLength(1);
});

test("an edit takes several pictures as image[], each with the type of a picture", async () => {
  const openai = await upstreams(INSTANT);
  const good = await edit(openai, { n: "2" }, [
    ["image[]", "image/png"],
    ["image[]", "image/png"],
  ]);
  expect(good.status).toBe(200);
  expect(good.body.data).toHaveLength(2);
  expect(openai.ledger[0]?.body).toMatchObject({ images: 2, n: 2 });
  const typeless = await edit(openai, {}, [["image", "application/octet-stream"]]);
  expect(typeless.body.error.code).toBe("unsupported_file_mimetype");
  expect(
    (
      await edit(openai, {}, [
        ["image", "image/png"],
        ["image", "image/png"],
      ])
    ).status,
  ).toBe(400);
  expect((await edit(openai, {}, [])).status).toBe(400);
  expect(openai.breaches).toEqual([]);
  const fidelity = await edit(openai, { input_fidelity: "high" }, [["image", "image/png"]]);
  expect(fidelity.body.error.code).toBe("unknown_parameter");
  expect(openai.takeBreaches()).toHaveLength(1);
});

test("a spent budget is 400, moderation is 400 too, with other codes", async () => {
  const openai = await upstreams(INSTANT);
  openai.order({ fault: "no-credit" });
  expect((await generate(openai, { prompt: "x" })).body.error.code).toBe("billing_hard_limit_reached");
  const blocked = await generate(openai, { prompt: "x [fault:policy-at-result]" });
  expect(blocked).toMatchObject({ status: 400, body: { error: { code: "moderation_blocked" } } });
  expect(openai.ledger).toHaveLength(1);
});

test("a cut after the acceptance takes the money and leaves nothing to ask for", async () => {
  const openai = await upstreams(INSTANT);
  await expect(generate(openai, { prompt: "x [fault:drop-after-accept]" })).rejects.toThrow();
  await expect(generate(openai, { prompt: "x [fault:truncate-after-accept]" })).rejects.toThrow();
  expect((await generate(openai, { prompt: "x [fault:no-id]" })).body.data).toEqual([]);
  expect(openai.ledger).toHaveLength(3);
});
