import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { imageSize } from "image-size";
import { expect, test } from "vitest";
import type { Upstreams } from "../src/index.js";
import { download, send, upstreams } from "./client.js";

const KEY = "Bearer kie-key-1234";

const create = (kie: Upstreams, model: string, input: object, more: object = {}) =>
  send("POST", `${kie.url}/api/v1/jobs/createTask`, KEY, { model, input, ...more });
const record = async (kie: Upstreams, taskId: string) =>
  (await send("GET", `${kie.url}/api/v1/jobs/recordInfo?taskId=${taskId}`, KEY)).body;

test("a market task waits, is made, and tells its credits", async () => {
  const kie = await upstreams();
  const created = await create(kie, "nano-banana-2", {
    prompt: "a fox",
    aspect_ratio: "3:4",
    resolution: "1K",
  });
  expect(created).toMatchObject({ status: 200, body: { code: 200, msg: "success" } });
  const { taskId } = created.body.data;
  // Just after its creation it is not known yet.
  expect(await record(kie, taskId)).toMatchObject({ code: 422, msg: "recordInfo is null" });
  kie.advance(1000);
  expect((await record(kie, taskId)).data).toMatchObject({
    state: "waiting",
    resultJson: "",
    failCode: null,
  });
  kie.advance(1000);
  expect((await record(kie, taskId)).data.state).toBe("queuing");
  kie.advance(2000);
  expect((await record(kie, taskId)).data.state).toBe("generating");
  kie.advance(6000);
  const { data } = await record(kie, taskId);
  expect(data).toMatchObject({ state: "success", creditsConsumed: 8, costTime: 9, failMsg: null });
  const [url] = JSON.parse(data.resultJson).resultUrls;
  expect(imageSize((await download(url)).bytes)).toMatchObject({ type: "jpg", width: 880, height: 1184 });
  expect(kie.ledger).toMatchObject([{ service: "kie", endpoint: "nano-banana-2", key: "1234" }]);
  expect(kie.breaches).toEqual([]);
});

test.each([
  ["nano-banana-2", {}, "This field is required"],
  [
    "nano-banana-2",
    { prompt: "x", resolution: "8K" },
    "resolution is not within the range of allowed options",
  ],
  ["z-image", { prompt: "x" }, "This field is required"],
  ["seedream/5-lite-text-to-image", { prompt: "fox", aspect_ratio: "1:1" }, "This field is required"],
  [
    "flux-2/pro-text-to-image",
    { prompt: "fo", aspect_ratio: "1:1", resolution: "1K" },
    "prompt is not within the range of allowed options",
  ],
  [
    "kling/v2-5-turbo-text-to-video-pro",
    { prompt: "x", duration: 5 },
    "duration is not within the range of allowed options",
  ],
  [
    "gemini-omni-video",
    { prompt: "x", duration: "5" },
    "duration is not within the range of allowed options",
  ],
])("%s refuses %j with HTTP 200 and code 500", async (model, input, msg) => {
  const kie = await upstreams();
  expect(await create(kie, model, input)).toMatchObject({ status: 200, body: { code: 500, msg } });
  expect(kie.ledger).toEqual([]);
  expect(kie.takeBreaches()).toHaveLength(1);
});

test("a misspelt field is dropped and billed, and a breach", async () => {
  const kie = await upstreams();
  const { body } = await create(kie, "nano-banana-2", { prompt: "x", ratio: "1:1" }, { callbackUrl: "x" });
  expect(body.code).toBe(200);
  expect(kie.takeBreaches()).toEqual([
    "kie nano-banana-2: unknown field ratio",
    "kie nano-banana-2: unknown field callbackUrl",
  ]);
});

test("more than 20 new tasks in 10 s are refused, not queued", async () => {
  const kie = await upstreams();
  for (let count = 0; count < 20; count++) await create(kie, "nano-banana-2", { prompt: "x" });
  expect((await create(kie, "nano-banana-2", { prompt: "x" })).body.code).toBe(429);
  kie.advance(10_001);
  expect((await create(kie, "nano-banana-2", { prompt: "x" })).body.code).toBe(200);
  expect(kie.ledger).toHaveLength(21);
});

const SONG = { model: "V6", custom_mode: true, instrumental: false, style: "pop", title: "Harbour" };
const IDEA = { model: "V6", custom_mode: false, instrumental: false };

test("a song becomes two tracks with their covers, at once", async () => {
  const kie = await upstreams();
  const lyrics = "Snow is falling on the town";
  const { taskId } = (await create(kie, "ai-music-api/generate", { ...SONG, lyrics })).body.data;
  kie.advance(5000);
  expect((await record(kie, taskId)).data).toMatchObject({ state: "generating", resultJson: "" });
  kie.advance(5000);
  const { data } = await record(kie, taskId);
  expect(data).toMatchObject({ state: "success", creditsConsumed: 12 });
  const [first, second, ...more] = JSON.parse(data.resultJson).data;
  expect(more).toEqual([]);
  expect([first.duration, second.duration]).toEqual([64.2, 71.8]);
  expect(first.title).toBe("Harbour");
  expect((await download(first.audio_url)).mime).toBe("audio/mpeg");
  expect(imageSize((await download(second.image_url)).bytes)).toMatchObject({ type: "jpg", width: 512 });
  expect(kie.breaches).toEqual([]);
});

test.each([
  [{ ...IDEA, prompt: "x".repeat(501) }],
  [{ ...IDEA, prompt: "a calm song", style_weight: 0.5 }],
  [{ ...IDEA }],
  [{ ...SONG }],
  [{ ...SONG, lyrics: "la la", title: "t".repeat(81) }],
  [{ ...SONG, instrumental: true, title: undefined }],
  [{ ...SONG, instrumental: true, style_weight: 0.333 }],
  [{ ...SONG, lyrics: "la la", model: "V5" }],
])("a song is refused for %j", async (input) => {
  const kie = await upstreams();
  expect((await create(kie, "ai-music-api/generate", input)).body.code).toBe(500);
  expect(kie.ledger).toEqual([]);
  expect(kie.takeBreaches()).toHaveLength(1);
});

test("the interfaces that Suno and Veo had before are gone, and V6 is no model of the market", async () => {
  const kie = await upstreams();
  const post = (path: string, body: object) => send("POST", `${kie.url}${path}`, KEY, body);
  expect((await post("/api/v1/generate", { ...IDEA, prompt: "x" })).status).toBe(404);
  expect((await post("/api/v1/veo/generate", { prompt: "waves" })).status).toBe(404);
  expect((await create(kie, "V6", { prompt: "x" })).body.code).toBe(422);
  kie.takeBreaches();
});

test.each([
  [{ model: "veo3_fast", aspect_ratio: "9:16", resolution: "1080p" }, 65],
  [{ model: "veo3", resolution: "4k" }, 380],
  [{ model: "veo3", resolution: "4k", image_urls: ["https://a.test/1.png"] }, 370],
])("a Veo film of %j takes %i credits", async (fields, credits) => {
  const kie = await upstreams();
  const { taskId } = (await create(kie, "veo-3-1", { prompt: "waves", duration: 4, ...fields })).body.data;
  kie.advance(20_000);
  const { data } = await record(kie, taskId);
  expect(data).toMatchObject({ state: "success", creditsConsumed: credits });
  expect(JSON.parse(data.resultJson).resultUrls).toHaveLength(1);
});

test.each([
  [{ image_urls: ["https://a.test/1.png"], generation_type: "TEXT_2_VIDEO" }],
  [{ image_urls: ["https://a.test/1.png"], generation_type: "REFERENCE_2_VIDEO", duration: 4 }],
  [{ duration: "8" }],
  [{ model: "veo-3-1" }],
])("Veo refuses %j", async (fields) => {
  const kie = await upstreams();
  expect((await create(kie, "veo-3-1", { prompt: "waves", ...fields })).body.code).toBe(500);
  expect(kie.takeBreaches()).toHaveLength(1);
});

test("the first Grok Imagine makes six pictures of one task, its second version one", async () => {
  const kie = await upstreams();
  const counts = [];
  for (const model of ["grok-imagine/text-to-image", "grok-imagine-image-2-0/text-to-image"]) {
    const { taskId } = (await create(kie, model, { prompt: "a fox", aspect_ratio: "1:1" })).body.data;
    kie.advance(20_000);
    counts.push(JSON.parse((await record(kie, taskId)).data.resultJson).resultUrls.length);
  }
  expect(counts).toEqual([6, 1]);
});

test("GPT Image 2.5 has its longest ratios in 1K alone", async () => {
  const kie = await upstreams();
  const model = "gpt-image-2-5-sunburst-text-to-image";
  const asked = { prompt: "a fox", aspect_ratio: "27:16" };
  expect((await create(kie, model, { ...asked, resolution: "1K" })).body.code).toBe(200);
  expect((await create(kie, model, { ...asked, resolution: "2K" })).body.code).toBe(500);
  kie.takeBreaches();
});

test("keys are refused in the body of HTTP 200; a request without User-Agent does not get so far", async () => {
  const kie = await upstreams({ keys: { kie: "right" } });
  expect(await create(kie, "nano-banana-2", { prompt: "x" })).toMatchObject({
    status: 200,
    body: { code: 401 },
  });
  // Node's own client names no User-Agent.
  const headers = { authorization: "Bearer right" };
  const [bare]: IncomingMessage[] = await once(get(`${kie.url}/api/v1/chat/credit`, { headers }), "response");
  expect(bare?.statusCode).toBe(403);
  expect(bare && (await text(bare))).toContain("1010");
  expect((await send("GET", `${kie.url}/api/v1/chat/credit`, "Bearer right")).body).toMatchObject({
    code: 200,
    data: 5000,
  });
});

test("an upload has a link that is no fileUrl, and a second one of the same name replaces it", async () => {
  const kie = await upstreams();
  const upload = async (text: string) => {
    const form = new FormData();
    form.append("uploadPath", "images");
    form.append("fileName", "a.png");
    form.append("file", new Blob([text], { type: "image/png" }), "b.png");
    return (await send("POST", `${kie.url}/api/file-stream-upload`, KEY, form)).body;
  };
  const first = await upload("one");
  expect(first).toMatchObject({
    success: true,
    code: 200,
    data: { fileName: "a.png", fileSize: 3, mimeType: "image/png" },
  });
  expect(first.data).not.toHaveProperty("fileUrl");
  await upload("two");
  expect((await download(first.data.downloadUrl)).bytes.toString()).toBe("two");
});

test("an expired link stays so; a fresh one lives twenty minutes", async () => {
  const kie = await upstreams();
  const { taskId } = (
    await create(kie, "z-image", { prompt: "x [fault:expired-output]", aspect_ratio: "1:1" })
  ).body.data;
  kie.advance(9000);
  const [url] = JSON.parse((await record(kie, taskId)).data.resultJson).resultUrls;
  expect((await download(url)).status).toBe(403);
  expect((await download(url)).status).toBe(403);
  const fresh = await send("POST", `${kie.url}/api/v1/common/download-url`, KEY, { url });
  expect((await download(fresh.body.data)).status).toBe(200);
  kie.advance(20 * 60_000 + 1);
  expect((await download(fresh.body.data)).status).toBe(403);
});

test("a policy's refusal at the end has the service's words", async () => {
  const kie = await upstreams();
  const { taskId } = (await create(kie, "nano-banana-2", { prompt: "x [fault:policy-at-result]" })).body.data;
  kie.advance(9000);
  expect((await record(kie, taskId)).data).toMatchObject({
    state: "fail",
    failCode: "400",
    failMsg: expect.stringContaining("flagged as sensitive"),
    creditsConsumed: 0,
  });
});
