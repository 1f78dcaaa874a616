import { text } from "node:stream/consumers";
import { imageSize } from "image-size";
import { expect, onTestFinished, test } from "vitest";
import { getFile } from "../../../src/platform/get-file.js";
import { openAgent } from "../../../src/platform/outgoing-agent.js";
import type { Upstreams } from "../../../src/sandbox/upstreams/index.js";
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
  ["seedream/5-lite-text-to-image", { prompt: "x", aspect_ratio: "1:1" }, "This field is required"],
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

test("a song needs a callback address and becomes two tracks, one after the other", async () => {
  const kie = await upstreams();
  const song = { prompt: "a calm song", customMode: false, instrumental: false, model: "V5" };
  const url = `${kie.url}/api/v1/generate`;
  expect((await send("POST", url, KEY, song)).body).toMatchObject({
    code: 422,
    msg: "Please enter callBackUrl",
  });
  kie.takeBreaches();
  const callBackUrl = "https://callback.invalid/kie";
  const { taskId } = (await send("POST", url, KEY, { ...song, callBackUrl })).body.data;
  const look = async () => (await send("GET", `${url}/record-info?taskId=${taskId}`, KEY)).body.data;
  expect(await look()).toMatchObject({ status: "PENDING", response: null });
  kie.advance(4000);
  expect(await look()).toMatchObject({
    status: "TEXT_SUCCESS",
    response: {
      sunoData: [
        { audioUrl: "", duration: "" },
        { audioUrl: "", duration: "" },
      ],
    },
  });
  kie.advance(3000);
  expect(await look()).toMatchObject({
    status: "FIRST_SUCCESS",
    response: { sunoData: [{ duration: 64.2 }, { audioUrl: "" }] },
  });
  kie.advance(3000);
  const { status, response } = await look();
  expect(status).toBe("SUCCESS");
  const [first, second] = response.sunoData;
  expect([first.duration, second.duration]).toEqual([64.2, 71.8]);
  expect((await download(first.audioUrl)).mime).toBe("audio/mpeg");
  expect(imageSize((await download(second.imageUrl)).bytes)).toMatchObject({ type: "jpg", width: 512 });
  expect(kie.breaches).toEqual([]);
});

test.each([
  [{ customMode: false, instrumental: false, prompt: "x".repeat(501) }, 413],
  [{ customMode: true, instrumental: false, prompt: "la la", style: "pop" }, 422],
  [{ customMode: true, instrumental: true, style: "pop", title: "t".repeat(81) }, 413],
  [{ customMode: true, instrumental: true, style: "pop", title: "t", styleWeight: 0.333 }, 422],
])("a song is refused for %j", async (fields, code) => {
  const kie = await upstreams();
  const body = { model: "V5", callBackUrl: "https://callback.invalid/kie", ...fields };
  expect((await send("POST", `${kie.url}/api/v1/generate`, KEY, body)).body.code).toBe(code);
  expect(kie.takeBreaches()).toHaveLength(1);
});

test("a Veo film says 1 when it is made, and its 1080p comes later", async () => {
  const kie = await upstreams();
  const body = { prompt: "waves", model: "veo3_fast", aspectRatio: "16:9", duration: 4 };
  const { taskId } = (await send("POST", `${kie.url}/api/v1/veo/generate`, KEY, body)).body.data;
  const look = async () =>
    (await send("GET", `${kie.url}/api/v1/veo/record-info?taskId=${taskId}`, KEY)).body.data;
  const fullHd = async () =>
    (await send("GET", `${kie.url}/api/v1/veo/get-1080p-video?taskId=${taskId}&index=0`, KEY)).body;
  expect(await look()).toMatchObject({ successFlag: 0, response: null });
  kie.advance(9000);
  expect(await look()).toMatchObject({ successFlag: 1, errorCode: null, response: { resolution: "720p" } });
  expect((await fullHd()).code).toBe(400);
  kie.advance(6000);
  expect((await fullHd()).data.resultUrl).toContain("/files/kie/");
});

test("a Veo film that was made at 720p has its 4K later", async () => {
  const kie = await upstreams();
  const body = { prompt: "waves [fault:made-at-720p]", model: "veo3", resolution: "4k", duration: 4 };
  const { taskId } = (await send("POST", `${kie.url}/api/v1/veo/generate`, KEY, body)).body.data;
  const record = `${kie.url}/api/v1/veo/record-info?taskId=${taskId}`;
  const ask = async () =>
    (await send("POST", `${kie.url}/api/v1/veo/get-4k-video`, KEY, { taskId, index: 0 })).body;
  expect((await ask()).code).toBe(422);
  kie.advance(9000);
  expect((await send("GET", record, KEY)).body.data.response.resolution).toBe("720p");
  expect((await ask()).data.resultUrls).toBeNull();
  kie.advance(6000);
  expect((await ask()).data.resultUrls).toHaveLength(1);
});

test.each([
  [{ imageUrls: ["https://a.test/1.png"], generationType: "TEXT_2_VIDEO" }],
  [{ imageUrls: ["https://a.test/1.png"], generationType: "REFERENCE_2_VIDEO", duration: 4 }],
  [{ duration: "8" }],
])("Veo refuses %j", async (fields) => {
  const kie = await upstreams();
  const body = { prompt: "waves", ...fields };
  expect((await send("POST", `${kie.url}/api/v1/veo/generate`, KEY, body)).body.code).toBe(422);
  expect(kie.takeBreaches()).toHaveLength(1);
});

test("keys are refused in the body of HTTP 200; a request without User-Agent does not get so far", async () => {
  const kie = await upstreams({ keys: { kie: "right" } });
  expect(await create(kie, "nano-banana-2", { prompt: "x" })).toMatchObject({
    status: 200,
    body: { code: 401 },
  });
  const agent = openAgent({});
  onTestFinished(() => agent.destroy());
  const headers = { authorization: "Bearer right" };
  const bare = await getFile(agent, { origin: kie.url, path: "/api/v1/chat/credit", headers });
  expect(bare.status).toBe(403);
  expect(await text(bare.body)).toContain("1010");
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
