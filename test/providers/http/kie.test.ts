import { describe, expect, test } from "vitest";
import { kie } from "../../../src/providers/services/kie.js";
import { answer, cut, HTML, operation } from "./answer.js";

const ATTEMPT = { id: "any" };
const CALLBACK_URL = "https://atelier.example/hooks/kie/a-token";
const MARKET = { api: "market", task_id: "task_1" };
const VEO = { api: "veo", task_id: "veo_1", resolution: "1080p" };
const SUNO = { api: "suno", task_id: "5c79" };

/** Mostly the HTTP status is 200, whatever the code says. */
function told(code: number, msg: string, data: unknown = null) {
  return answer(200, { code, msg, data });
}

describe("a submit", () => {
  test("to the market has the model beside its input", () => {
    const input = { prompt: "a cat", resolution: "1K" };
    expect(kie.submit(operation({ api: "market", endpoint: "nano-banana-2", input }), ATTEMPT)).toEqual({
      method: "POST",
      url: "https://api.kie.ai/api/v1/jobs/createTask",
      json: { model: "nano-banana-2", input },
    });
  });

  test("of a job that was sold to the older Veo has the model among its fields", () => {
    const input = { prompt: "a cat", aspectRatio: "16:9" };
    expect(kie.submit(operation({ api: "veo", endpoint: "veo3_fast", input }), ATTEMPT)).toEqual({
      method: "POST",
      url: "https://api.kie.ai/api/v1/veo/generate",
      json: { model: "veo3_fast", prompt: "a cat", aspectRatio: "16:9" },
    });
  });

  test("of a job that was sold to the older Suno has an address to call back, which it insists on", () => {
    const callBackUrl = "https://atelier.invalid/hooks/kie";
    const input = { prompt: "a song", customMode: false, instrumental: false, callBackUrl };
    expect(kie.submit(operation({ api: "suno", endpoint: "V5", input }), ATTEMPT)).toEqual({
      method: "POST",
      url: "https://api.kie.ai/api/v1/generate",
      json: { model: "V5", ...input },
    });
  });

  test.each([
    ["market", { prompt: "a cat" }, { model: "m", callBackUrl: CALLBACK_URL, input: { prompt: "a cat" } }],
    ["veo", { prompt: "a cat" }, { model: "m", prompt: "a cat", callBackUrl: CALLBACK_URL }],
    [
      "suno",
      { prompt: "a song", callBackUrl: "https://atelier.example/hooks/kie" },
      { model: "m", callBackUrl: CALLBACK_URL, prompt: "a song" },
    ],
  ])("to %s names the address of its attempt, where the service can call it", (api, input, json) => {
    const asked = operation({ api, endpoint: "m", input });
    const call = kie.submit(asked, { ...ATTEMPT, callbackUrl: CALLBACK_URL });
    expect(call.json).toEqual(json);
    expect(asked.input).toEqual(input);
  });

  test("is made of the same bytes as before where nobody can be called", () => {
    const callBackUrl = "https://atelier.invalid/hooks/kie";
    const input = { customMode: false, instrumental: false, callBackUrl, prompt: "a song" };
    const { json } = kie.submit(operation({ api: "suno", endpoint: "V5", input }), ATTEMPT);
    expect(JSON.stringify(json)).toBe(
      JSON.stringify({ model: "V5", callBackUrl, customMode: false, instrumental: false, prompt: "a song" }),
    );
  });

  test("looks like a browser's", () => {
    const headers = kie.headers("secret");
    expect(headers.authorization).toBe("Bearer secret");
    expect(headers["user-agent"]).toMatch(/^Mozilla\/5\.0 /);
  });
});

describe("the answer to a submit", () => {
  test.each([
    ["market", { api: "market" }, { api: "market", task_id: "task_1" }],
    [
      "veo",
      { api: "veo", input: { resolution: "1080p" } },
      { api: "veo", task_id: "task_1", resolution: "1080p" },
    ],
    ["suno", { api: "suno" }, { api: "suno", task_id: "task_1" }],
  ])("of %s keeps the task and its interface", (_api, change, reference) => {
    const accepted = told(200, "success", { taskId: "task_1" });
    expect(kie.readSubmit(accepted, operation(change))).toEqual({ kind: "accepted", reference });
  });

  test.each([
    [401, "You do not have access permissions", { kind: "suspected", reason: "key_refused" }],
    [402, "Credits insufficient", { kind: "paused", reason: "no_credit" }],
    [433, "The sub-key has reached its limit", { kind: "paused", reason: "no_credit" }],
    [505, "Feature disabled", { kind: "paused", reason: "locked" }],
    [
      500,
      "Credits insufficient : Your current balance isn't enough",
      { kind: "paused", reason: "no_credit" },
    ],
    [500, "This field is required", { kind: "refused", refusal: "request" }],
    [500, "aspect_ratio is not within the range of allowed options", { kind: "refused", refusal: "request" }],
    [500, "Server exception, please try again later or contact customer service", { kind: "ambiguous" }],
    [501, "Generation failed", { kind: "ambiguous" }],
    [422, "Please enter callBackUrl.", { kind: "refused", refusal: "request" }],
    [451, "Failed to fetch the image", { kind: "refused", refusal: "request" }],
    [
      400,
      "Your prompt was flagged by Website as violating content policies.",
      { kind: "refused", refusal: "policy" },
    ],
    [429, "The call frequency is too high", { kind: "throttled" }],
    [455, "The system is undergoing maintenance", { kind: "throttled" }],
    [200, "success", { kind: "ambiguous" }],
  ])("is judged by its code %i: %s", (code, msg, expected) => {
    expect(kie.readSubmit(told(code, msg), operation())).toMatchObject(expected);
  });

  test.each([
    ["the guard's page", answer(403, "error code: 1010"), { kind: "suspected", reason: "locked" }],
    ["a gateway's page", answer(502, HTML), { kind: "ambiguous" }],
    ["a page with status 200", answer(200, HTML), { kind: "ambiguous" }],
    ["no mapping", answer(404, { status: 404, error: "Not Found" }), { kind: "refused" }],
    ["a cut answer", cut(told(200, "success", { taskId: "task_1" })), { kind: "ambiguous" }],
  ])("without a code is judged by its status: %s", (_name, given, expected) => {
    expect(kie.readSubmit(given, operation())).toMatchObject(expected);
  });
});

describe("a poll of a task of the market", () => {
  const record = (data: object) => told(200, "success", { taskId: "task_1", failCode: null, ...data });

  test("asks by its id", () => {
    expect(kie.poll({ api: "market", task_id: "a/b" })).toEqual({
      method: "GET",
      url: "https://api.kie.ai/api/v1/jobs/recordInfo?taskId=a%2Fb",
    });
  });

  test("finds the addresses in a text, and what it cost", () => {
    const done = record({
      state: "success",
      resultJson: '{"resultUrls":["https://tempfile.aiquickdraw.com/a.png"]}',
      costTime: 23,
      creditsConsumed: 8,
    });
    expect(kie.readPoll(done, MARKET)).toEqual({
      kind: "ready",
      document: { resultUrls: ["https://tempfile.aiquickdraw.com/a.png"] },
      cost: { amount: 8, currency: "kie_credit", source: "upstream" },
    });
  });

  test("finds the songs of V6 with what belongs to them", () => {
    const song = { audio_url: "https://cdn1.suno.ai/a.mp3", image_url: "https://cdn2.suno.ai/a.jpeg" };
    const data = [
      { ...song, title: "Snow", duration: 61.2 },
      { ...song, title: "Snow", duration: 64 },
    ];
    const done = record({ state: "success", resultJson: JSON.stringify({ data }), creditsConsumed: 12 });
    expect(kie.readPoll(done, MARKET)).toMatchObject({ kind: "ready", document: { data } });
  });

  test("believes a record that is finished beside another code, and no code without a record", () => {
    const data = {
      state: "success",
      resultJson: '{"resultUrls":["https://tempfile.aiquickdraw.com/a.png"]}',
    };
    expect(kie.readPoll(told(505, "success", { taskId: "task_1", ...data }), MARKET).kind).toBe("ready");
    expect(kie.readPoll(told(505, "Feature disabled"), MARKET).kind).toBe("glitch");
    expect(kie.readPoll(told(401, "no access"), MARKET).kind).toBe("paused");
  });

  test("tells what a task that failed took nevertheless, and nothing where it took nothing", () => {
    const failed = (credits: unknown) => record({ state: "fail", failMsg: "no", creditsConsumed: credits });
    expect(kie.readPoll(failed(8), MARKET)).toMatchObject({ kind: "failed", cost: { amount: 8 } });
    for (const credits of [0, null, undefined])
      expect(kie.readPoll(failed(credits), MARKET)).not.toHaveProperty("cost");
  });

  test.each([
    ["waiting", record({ state: "waiting" }), { kind: "pending", phase: "queued" }],
    ["queuing", record({ state: "queuing" }), { kind: "pending", phase: "queued" }],
    ["generating", record({ state: "generating" }), { kind: "pending", phase: "running" }],
    ["not written yet, or lost", told(422, "recordInfo is null"), { kind: "unknown_task" }],
    ["done, its result not yet written", record({ state: "success", resultJson: "" }), { kind: "glitch" }],
    ["in a state that nobody knows", record({ state: "paused" }), { kind: "glitch" }],
    ["unknown", told(404, "Not found"), { kind: "unknown_task" }],
    ["asked for too often", told(429, "slow down"), { kind: "throttled" }],
    ["forbidden alone", told(402, "Credits insufficient"), { kind: "glitch" }],
    ["asked for with a revoked key", told(401, "no access"), { kind: "paused", reason: "key_refused" }],
    ["behind maintenance", told(455, "maintenance"), { kind: "glitch" }],
    ["behind a fault", told(500, "Server exception"), { kind: "glitch" }],
    ["behind a page", answer(502, HTML), { kind: "glitch" }],
  ])("that is %s tells it so", (_name, given, expected) => {
    expect(kie.readPoll(given, MARKET)).toMatchObject(expected);
  });

  test.each([
    ["400", "Your prompt was flagged by the safety system", { kind: "refused", refusal: "policy" }],
    ["500", "The input was flagged as sensitive", { kind: "refused", refusal: "policy" }],
    ["501", "caught by our AI moderator", { kind: "refused", refusal: "policy" }],
    ["422", "image_size is wrong", { kind: "refused", refusal: "request" }],
    ["500", "Internal Error, Please try again later.", { kind: "failed" }],
    [null, null, { kind: "failed" }],
  ])("that failed with %s and %s tells why", (failCode, failMsg, expected) => {
    expect(kie.readPoll(record({ state: "fail", failCode, failMsg }), MARKET)).toMatchObject(expected);
  });
});

test.each([
  ["400", "Song Description contained artist name or producer tag", { kind: "refused", refusal: "policy" }],
  ["413", "Uploaded audio matches existing work of art", { kind: "refused", refusal: "policy" }],
  ["422", "title is too long", { kind: "refused", refusal: "request" }],
  ["500", "Internal Error, Please try again later.", { kind: "failed" }],
])("a song of V6 that failed with %s and %s tells why", (failCode, failMsg, expected) => {
  const data = { taskId: "task_1", model: "ai-music-api/generate", state: "fail", failCode, failMsg };
  expect(kie.readPoll(told(200, "success", data), MARKET)).toMatchObject(expected);
});

describe("a poll of a task of the older Veo", () => {
  const made = { resultUrls: ["https://tempfile.aiquickdraw.com/v.mp4"], resolution: "1080p" };
  const record = (data: object) => told(200, "success", { taskId: "veo_1", errorMessage: "", ...data });

  test("that is made has the addresses in its response", () => {
    expect(kie.poll(VEO).url).toBe("https://api.kie.ai/api/v1/veo/record-info?taskId=veo_1");
    const told = { ...made, resultUrls: [null, ...made.resultUrls, 7] };
    expect(kie.readPoll(record({ successFlag: 1, response: told }), VEO)).toEqual({
      kind: "ready",
      document: made,
    });
  });

  test.each([
    ["being made", record({ successFlag: 0, response: null }), { kind: "pending", phase: "running" }],
    ["made without a file", record({ successFlag: 1, response: null }), { kind: "glitch" }],
    ["not written yet, or lost", told(422, "record is null"), { kind: "unknown_task" }],
    [
      "given up",
      record({ successFlag: 3, errorCode: 501, errorMessage: "Failed, video generation task failed" }),
      { kind: "failed" },
    ],
    [
      "refused by its content",
      record({ successFlag: 2, errorCode: 400, errorMessage: "violating content policies" }),
      { kind: "refused", refusal: "policy" },
    ],
    [
      "refused by its prompt",
      record({ successFlag: 2, errorCode: 400, errorMessage: "Only English prompts are supported." }),
      { kind: "refused", refusal: "request" },
    ],
    [
      "refused by the answer's code",
      told(400, "Your prompt was flagged by Website as violating content policies."),
      { kind: "refused", refusal: "policy" },
    ],
    ["failed by the answer's code", told(501, "Generation failed"), { kind: "failed" }],
    ["behind a fault", told(500, "Internal Error"), { kind: "glitch" }],
  ])("that is %s tells it so", (_name, given, expected) => {
    expect(kie.readPoll(given, VEO)).toMatchObject(expected);
  });

  test("that was made smaller than asked for is fetched in the larger size, when that is ready", () => {
    const small = record({ successFlag: 1, response: { ...made, resolution: "720p" } });
    const next = kie.readPoll(small, VEO);
    if (next.kind !== "next") throw new Error("nothing follows");
    expect(next.call).toEqual({
      method: "GET",
      url: "https://api.kie.ai/api/v1/veo/get-1080p-video?taskId=veo_1&index=0",
    });
    const waiting = told(400, "1080P is processing. It should be ready in 1-2 minutes.");
    expect(kie.readPoll(waiting, next.reference)).toEqual({ kind: "pending", phase: "running" });
    const done = told(200, "success", { resultUrl: "https://tempfile.aiquickdraw.com/hd.mp4" });
    expect(kie.readPoll(done, next.reference)).toEqual({
      kind: "ready",
      document: { resultUrls: ["https://tempfile.aiquickdraw.com/hd.mp4"] },
    });
  });

  test("in 4K is asked for in the same way", () => {
    const small = record({ successFlag: 1, response: { ...made, resolution: "1080p" } });
    const next = kie.readPoll(small, { ...VEO, resolution: "4k" });
    if (next.kind !== "next") throw new Error("nothing follows");
    expect(next.call).toEqual({
      method: "POST",
      url: "https://api.kie.ai/api/v1/veo/get-4k-video",
      json: { taskId: "veo_1", index: 0 },
    });
    const waiting = told(200, "success", { taskId: "veo_1", resultUrls: null, imageUrls: null });
    expect(kie.readPoll(waiting, next.reference).kind).toBe("pending");
  });
});

describe("a poll of a task of the older Suno", () => {
  const song = {
    id: "e231",
    audioUrl: "https://cdn1.suno.ai/e231.mp3",
    imageUrl: "https://cdn2.suno.ai/e231.jpeg",
    title: "Steel",
    createTime: 1_763_900_000_000,
    duration: 198.44,
  };
  const record = (status: string, sunoData: unknown, rest: object = {}) =>
    told(200, "success", { taskId: "5c79", status, response: { taskId: "5c79", sunoData }, ...rest });

  test.each(["SUCCESS", "CALLBACK_EXCEPTION"])("whose songs are there is made: %s", (status) => {
    expect(kie.poll(SUNO).url).toBe("https://api.kie.ai/api/v1/generate/record-info?taskId=5c79");
    expect(kie.readPoll(record(status, [null, song, 7, song]), SUNO)).toEqual({
      kind: "ready",
      document: { taskId: "5c79", sunoData: [song, song] },
    });
  });

  test.each([
    ["PENDING", null, { kind: "pending", phase: "queued" }],
    ["TEXT_SUCCESS", [{ ...song, audioUrl: "" }], { kind: "pending", phase: "running" }],
    ["FIRST_SUCCESS", [song, { ...song, audioUrl: "" }], { kind: "pending", phase: "running" }],
    ["SUCCESS", [song, { ...song, audioUrl: "" }], { kind: "pending", phase: "running" }],
    ["CALLBACK_EXCEPTION", [{ ...song, audioUrl: "" }], { kind: "pending", phase: "running" }],
    ["REMIXING", [song], { kind: "glitch" }],
  ])("in state %s with songs %j goes on", (status, songs, expected) => {
    expect(kie.readPoll(record(status, songs), SUNO)).toMatchObject(expected);
  });

  test.each([
    ["SENSITIVE_WORD_ERROR", null, "The prompt has a sensitive word", "refused", "policy"],
    ["GENERATE_AUDIO_FAILED", 400, "Lyrics of somebody else", "refused", "policy"],
    ["GENERATE_AUDIO_FAILED", 413, "Matches an existing work of art", "refused", "policy"],
    ["GENERATE_AUDIO_FAILED", 408, "Timeout", "failed", undefined],
    ["CREATE_TASK_FAILED", 500, "Internal error", "failed", undefined],
  ])("that ended with %s and %s tells why", (status, errorCode, errorMessage, kind, refusal) => {
    const ended = kie.readPoll(record(status, null, { errorCode, errorMessage }), SUNO);
    expect(ended).toMatchObject({ kind, ...(refusal && { refusal }) });
  });
});

test("an upload is one form, and its address comes with either name", () => {
  const file = { path: "/tmp/a", mime: "image/png", fileName: "9f3c.png" };
  expect(kie.upload?.begin(file)).toEqual({
    method: "POST",
    url: "https://kieai.redpandaai.co/api/file-stream-upload",
    form: [
      { name: "file", file: "/tmp/a", mime: "image/png", fileName: "9f3c.png" },
      { name: "uploadPath", value: "images" },
      { name: "fileName", value: "9f3c.png" },
    ],
  });
  const uploaded = (data: object) => answer(200, { success: true, code: 200, msg: "uploaded", data });
  const downloadUrl = "https://tempfile.redpandaai.co/images/9f3c.png";
  expect(kie.upload?.readBegin(uploaded({ fileName: "9f3c.png", downloadUrl }))).toEqual({
    url: downloadUrl,
  });
  expect(kie.upload?.readBegin(uploaded({ fileUrl: downloadUrl }))).toEqual({ url: downloadUrl });
  expect(kie.upload?.readBegin(told(401, "no access"))).toBeUndefined();
});

test("an expired result gets another address", () => {
  const url = "https://tempfile.aiquickdraw.com/a.png";
  expect(kie.renew?.(url)).toEqual({
    method: "POST",
    url: "https://api.kie.ai/api/v1/common/download-url",
    json: { url },
  });
  expect(kie.readRenew?.(told(200, "success", `${url}?sig=1`))).toBe(`${url}?sig=1`);
  expect(kie.readRenew?.(told(422, "Invalid URL"))).toBeUndefined();
});

test.each([
  [told(200, "success", 100), { kind: "good", balance: 100 }],
  [told(200, "success", 0), { kind: "paused", reason: "no_credit", balance: 0 }],
  [told(401, "no access"), { kind: "paused", reason: "key_refused" }],
  [answer(502, HTML), { kind: "glitch" }],
])("a probe tells the state of key and account", (given, expected) => {
  expect(kie.readProbe?.(given, "key_refused")).toEqual(expected);
});
