import { imageSize } from "image-size";
import { ALL_FORMATS, BufferSource, Input } from "mediabunny";
import { expect, test } from "vitest";
import { download, send, upstreams } from "./client.js";

const KEY = "Key fal-key-1234";
const MODEL = "fal-ai/nano-banana-2";
/** Its sides are no whole sixteens. */
const GPT_SIZE = { prompt: "x", image_size: { width: 1000, height: 1000 } };

test("a picture goes through the queue and is charged once", async () => {
  const fal = await upstreams();
  const submitted = await send("POST", `${fal.url}/${MODEL}`, KEY, { prompt: "a fox", aspect_ratio: "16:9" });
  const { request_id: id, status_url: statusUrl, response_url: responseUrl } = submitted.body;
  expect(submitted).toMatchObject({ status: 200, body: { status: "IN_QUEUE", queue_position: 3 } });
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(responseUrl).toBe(`${fal.url}/fal-ai/nano-banana-2/requests/${id}`);
  expect(fal.ledger).toMatchObject([
    { service: "fal", endpoint: MODEL, taskId: id, key: "1234", price: { amount: 0.08, currency: "USD" } },
  ]);

  fal.advance(2000);
  expect(await send("GET", statusUrl, KEY)).toMatchObject({
    status: 202,
    body: { status: "IN_QUEUE", queue_position: 1 },
  });
  fal.advance(2000);
  expect(await send("GET", statusUrl, KEY)).toMatchObject({
    status: 202,
    body: { status: "IN_PROGRESS", logs: null },
  });
  expect(await send("GET", responseUrl, KEY)).toMatchObject({
    status: 400,
    body: { detail: "Request is still in progress" },
  });
  fal.advance(6000);
  expect(await send("GET", statusUrl, KEY)).toMatchObject({
    status: 200,
    body: { status: "COMPLETED", metrics: { inference_time: 6 } },
  });
  const result = await send("GET", responseUrl, KEY);
  expect(result.headers.get("x-fal-billable-units")).toBe("1");
  const [image] = result.body.images;
  expect(image).toMatchObject({ content_type: "image/png", width: 1360, height: 768 });

  // Its name lies: it is a JPEG.
  const file = await download(image.url);
  expect(imageSize(file.bytes)).toMatchObject({ type: "jpg", width: 1360, height: 768 });
  expect(fal.breaches).toEqual([]);
});

test("different prompts give different pictures, the same prompt the same", async () => {
  const fal = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const picture = async (prompt: string) => {
    const { body } = await send("POST", `${fal.url}/fal-ai/z-image/turbo`, KEY, {
      prompt,
      image_size: { width: 256, height: 128 },
      output_format: "png",
    });
    return download((await send("GET", body.response_url, KEY)).body.images[0].url);
  };
  const [fox, again, owl] = [await picture("a fox"), await picture("a fox"), await picture("an owl")];
  expect(fox.bytes.equals(again.bytes)).toBe(true);
  expect(fox.bytes.equals(owl.bytes)).toBe(false);
  expect(imageSize(fox.bytes)).toMatchObject({ type: "png", width: 256, height: 128 });
});

test("a film is H.264 of the asked length and says octet-stream", async () => {
  const fal = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const input = { prompt: "waves", duration: "4s", aspect_ratio: "9:16", generate_audio: false };
  const { body } = await send("POST", `${fal.url}/fal-ai/veo3.1/fast`, KEY, input);
  const { video } = (await send("GET", body.response_url, KEY)).body;
  const file = await download(video.url);
  expect(file.mime).toBe("application/octet-stream");
  const film = new Input({ source: new BufferSource(new Uint8Array(file.bytes)), formats: ALL_FORMATS });
  const track = await film.getPrimaryVideoTrack();
  expect(track).toMatchObject({ codec: "avc", displayWidth: 720, displayHeight: 1280 });
  expect(await film.computeDuration()).toBeCloseTo(4, 1);
  expect(fal.ledger[0]?.price.amount).toBeCloseTo(0.4);
});

test("a track is an MP3 of the asked length", async () => {
  const fal = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const input = { prompt: "calm piano", music_length_ms: 12_000, force_instrumental: true };
  const { body } = await send("POST", `${fal.url}/fal-ai/elevenlabs/music`, KEY, input);
  const { audio } = (await send("GET", body.response_url, KEY)).body;
  const file = await download(audio.url);
  expect(file.mime).toBe("audio/mpeg");
  const track = new Input({ source: new BufferSource(new Uint8Array(file.bytes)), formats: ALL_FORMATS });
  expect(await track.computeDuration()).toBeCloseTo(12, 1);
});

test("a refused field is accepted and billed, and told only by the result", async () => {
  const fal = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const input = { prompt: "waves", duration: 5 };
  const path = "fal-ai/kling-video/v2.5-turbo/pro/text-to-video";
  const submitted = await send("POST", `${fal.url}/${path}`, KEY, input);
  expect(submitted.status).toBe(200);
  expect(await send("GET", submitted.body.status_url, KEY)).toMatchObject({
    status: 200,
    body: { status: "COMPLETED", error_type: "unprocessable_entity" },
  });
  const result = await send("GET", submitted.body.response_url, KEY);
  expect(result).toMatchObject({
    status: 422,
    body: {
      detail: [{ loc: ["body", "duration"], type: "literal_error", msg: "Input should be '5', '10'" }],
    },
  });
  expect(result.headers.get("x-fal-retryable")).toBe("false");
  expect(fal.ledger).toHaveLength(1);
  expect(fal.takeBreaches()).toEqual([`fal ${path}: duration is refused: choice '5', '10'`]);
});

test.each([
  ["openai/gpt-image-2.5/flare/text-to-image", { image_size: "square_hd", quality: "high" }, 0.0528],
  ["google/nano-banana-2.1", { resolution: "4K" }, 0.134],
  ["bytedance/seedream/v5/pro/text-to-image", { image_size: "auto_1K" }, 0.0675],
  ["bytedance/seedream/v5/pro/text-to-image", {}, 0.135],
  ["google/gemini-omni-flash/v1.1/text-to-video", { duration: 10 }, 1],
  ["google/gemini-omni-flash/v1.1/text-to-video", { duration: 4, resolution: "4k" }, 1.2],
])("%s with %j costs %d", async (path, input, amount) => {
  const fal = await upstreams();
  await send("POST", `${fal.url}/${path}`, KEY, { prompt: "a fox", ...input });
  expect(fal.ledger).toMatchObject([{ price: { amount: expect.closeTo(amount, 3), currency: "USD" } }]);
  expect(fal.breaches).toEqual([]);
});

test("a misspelt field is dropped without a word, and a breach", async () => {
  const fal = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const { body } = await send("POST", `${fal.url}/${MODEL}`, KEY, { prompt: "a fox", aspect: "16:9" });
  expect((await send("GET", body.response_url, KEY)).status).toBe(200);
  expect(fal.takeBreaches()).toEqual([`fal ${MODEL}: unknown field aspect`]);
});

test.each([
  ["fal-ai/minimax-music/v2.6", { prompt: "calm piano music" }, "lyrics"],
  ["fal-ai/elevenlabs/music", {}, "prompt"],
  [
    "fal-ai/bytedance/seedream/v5/lite/text-to-image",
    { prompt: "x", image_size: { width: 64, height: 64 } },
    "image_size",
  ],
  ["xai/grok-imagine-image", { prompt: "x", resolution: "1K" }, "resolution"],
  ["fal-ai/veo3.1/reference-to-video", { prompt: "x", image_urls: [] }, "image_urls"],
  ["kling/v4/text-to-video", { prompt: "x", duration: "5" }, "duration"],
  ["kling/v4/image-to-video", { prompt: "x" }, "start_image_url"],
  ["openai/gpt-image-2.5/flare/text-to-image", GPT_SIZE, "image_size"],
  ["openai/gpt-image-2.5/sunburst/edit", { prompt: "x" }, "image_urls"],
  ["google/nano-banana-2.1", { prompt: "x", resolution: "0.5K" }, "resolution"],
  [
    "bytedance/seedream/v5/pro/text-to-image",
    { prompt: "x", image_size: { width: 2880, height: 2880 } },
    "image_size",
  ],
  ["google/gemini-omni-flash/v1.1/text-to-video", { prompt: "x", resolution: "4K" }, "resolution"],
])("%s refuses %j for its %s", async (path, input, field) => {
  const fal = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const { body } = await send("POST", `${fal.url}/${path}`, KEY, input);
  const result = await send("GET", body.response_url, KEY);
  expect(result.status).toBe(422);
  expect(result.body.detail[0].loc).toEqual(["body", field]);
  expect(fal.takeBreaches()).toHaveLength(1);
});

test("keys, accounts and unknown tasks are told as the service tells them", async () => {
  const fal = await upstreams({ keys: { fal: "right" } });
  const url = `${fal.url}/${MODEL}`;
  expect(await send("POST", url, "Key wrong", { prompt: "a" })).toMatchObject({
    status: 401,
    body: { detail: "invalid key credentials" },
  });
  expect((await send("POST", url, "Bearer right", { prompt: "a" })).status).toBe(401);
  expect(
    await send("GET", `${url}/requests/019ab7c4-0000-7000-8000-000000000000/status`, "Key right"),
  ).toMatchObject({
    status: 404,
    body: { status: "NOT_FOUND" },
  });
  fal.setAccount("fal", "locked");
  const locked = await send("POST", url, "Key right", { prompt: "a" });
  expect(locked.status).toBe(403);
  expect(locked.body.detail).toContain("User is locked");
  const upload = { content_type: "image/png", file_name: "a.png" };
  expect((await send("POST", `${fal.url}/storage/upload/initiate`, "Key right", upload)).status).toBe(403);
  expect(fal.ledger).toEqual([]);
});

test("an upload is announced, put without a key, and read by the model", async () => {
  const fal = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const initiate = `${fal.url}/storage/upload/initiate?storage_type=fal-cdn-v3`;
  const begun = await send("POST", initiate, KEY, { content_type: "image/png", file_name: "a.png" });
  const png = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  await fetch(begun.body.upload_url, { method: "PUT", body: new Uint8Array(png) });
  expect((await download(begun.body.file_url)).bytes.equals(png)).toBe(true);

  const edit = `${fal.url}/${MODEL}/edit`;
  const good = await send("POST", edit, KEY, { prompt: "x", image_urls: [begun.body.file_url] });
  expect((await send("GET", good.body.response_url, KEY)).status).toBe(200);
  const bad = await send("POST", edit, KEY, { prompt: "x", image_urls: [`${fal.url}/uploads/none/a.png`] });
  expect((await send("GET", bad.body.response_url, KEY)).body.detail[0].type).toBe("file_download_error");
  expect(fal.breaches).toEqual([]);
});

test("a result is forgotten after an hour", async () => {
  const fal = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const { body } = await send("POST", `${fal.url}/${MODEL}`, KEY, { prompt: "a fox" });
  fal.advance(3_600_001);
  expect((await send("GET", body.response_url, KEY)).status).toBe(404);
});

test("a waiting request can be cancelled, a running one cannot", async () => {
  const fal = await upstreams();
  const first = (await send("POST", `${fal.url}/${MODEL}`, KEY, { prompt: "a fox" })).body;
  expect(await send("PUT", first.cancel_url, KEY)).toMatchObject({
    status: 202,
    body: { status: "CANCELLATION_REQUESTED" },
  });
  expect((await send("GET", first.status_url, KEY)).body.status).toBe("COMPLETED");
  expect((await send("GET", first.response_url, KEY)).status).toBe(499);
  const second = (await send("POST", `${fal.url}/${MODEL}`, KEY, { prompt: "a fox" })).body;
  fal.advance(4000);
  expect(await send("PUT", second.cancel_url, KEY)).toMatchObject({
    status: 400,
    body: { status: "ALREADY_COMPLETED" },
  });
});

test("a request that is not started in the time it was given ends unmade", async () => {
  const fal = await upstreams();
  const prompt = "a fox [fault:slow-queue]";
  const headers = { "x-fal-request-timeout": "10" };
  const { body } = await send("POST", `${fal.url}/${MODEL}`, KEY, { prompt }, headers);
  fal.advance(9999);
  expect((await send("GET", body.status_url, KEY)).body.status).toBe("IN_QUEUE");
  fal.advance(1);
  expect((await send("GET", body.status_url, KEY)).body.status).toBe("COMPLETED");
  const result = await send("GET", body.response_url, KEY);
  expect(result).toMatchObject({ status: 504, body: { error_type: "request_timeout" } });
  expect(result.headers.get("x-fal-request-timeout-type")).toBe("user");
});

test("the list of requests names what has ended, with its input", async () => {
  const fal = await upstreams();
  const list = `${fal.url}/v1/models/requests/by-endpoint?endpoint_id=${MODEL}&expand=payloads`;
  const { body } = await send("POST", `${fal.url}/${MODEL}`, KEY, { prompt: "a fox" });
  expect((await send("GET", list, KEY)).body).toMatchObject({ items: [], has_more: false });
  fal.advance(9000);
  expect((await send("GET", list, KEY)).body.items).toMatchObject([
    { request_id: body.request_id, endpoint_id: MODEL, status_code: 200, json_input: { prompt: "a fox" } },
  ]);
  const prices = await send("GET", `${fal.url}/v1/models/pricing?endpoint_id=${MODEL}`, KEY);
  expect(prices.body.prices).toMatchObject([{ unit_price: 0.08, unit: "images", currency: "USD" }]);
});

test("a key that is sent to the files' host is a breach", async () => {
  const fal = await upstreams({ timing: { queueMs: 0, runMs: 0 } });
  const { body } = await send("POST", `${fal.url}/${MODEL}`, KEY, { prompt: "a fox" });
  const { url } = (await send("GET", body.response_url, KEY)).body.images[0];
  await send("GET", url, KEY);
  expect(fal.takeBreaches()).toHaveLength(1);
});
