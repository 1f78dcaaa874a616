import { describe, expect, test } from "vitest";
import { kie } from "../../../src/providers/services/kie.js";
import { answer, operation } from "./answer.js";

const TASK = { task_id: "task_1" };

/** Mostly the HTTP status is 200, whatever the code says. */
function told(code: number, msg: string, data: unknown = null) {
  return answer(200, { code, msg, data });
}

describe("a submit", () => {
  test("has the model beside its input", () => {
    const input = { prompt: "a cat", resolution: "1K" };
    expect(kie.submit(operation({ api: "market", endpoint: "nano-banana-2", input }), { id: "any" })).toEqual(
      {
        method: "POST",
        url: "https://api.kie.ai/api/v1/jobs/createTask",
        json: { model: "nano-banana-2", input },
      },
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
    [433, "The sub-key has reached its limit", { kind: "paused", reason: "no_credit" }],
    [505, "Feature disabled", { kind: "paused", reason: "locked" }],
    [
      500,
      "Credits insufficient : Your current balance isn't enough",
      { kind: "paused", reason: "no_credit" },
    ],
    [500, "This field is required", { kind: "refused", refusal: "request" }],
    [500, "Server exception, please try again later or contact customer service", { kind: "ambiguous" }],
    [422, "Please enter callBackUrl.", { kind: "refused", refusal: "request" }],
    [455, "The system is undergoing maintenance", { kind: "throttled" }],
    [200, "success", { kind: "ambiguous" }],
  ])("is judged by its code %i: %s", (code, msg, expected) => {
    expect(kie.readSubmit(told(code, msg), operation())).toMatchObject(expected);
  });
});

describe("a poll of a task", () => {
  const record = (data: object) => told(200, "success", { taskId: "task_1", failCode: null, ...data });

  test("asks by its id", () => {
    expect(kie.poll({ task_id: "a/b" })).toEqual({
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
    expect(kie.readPoll(done, TASK)).toEqual({
      kind: "ready",
      document: { resultUrls: ["https://tempfile.aiquickdraw.com/a.png"] },
      cost: { amount: 8, currency: "kie_credit", source: "upstream" },
    });
  });

  test("believes a record that is finished beside another code, and no code without a record", () => {
    const data = {
      state: "success",
      resultJson: '{"resultUrls":["https://tempfile.aiquickdraw.com/a.png"]}',
    };
    expect(kie.readPoll(told(505, "success", { taskId: "task_1", ...data }), TASK).kind).toBe("ready");
    expect(kie.readPoll(told(505, "Feature disabled"), TASK).kind).toBe("glitch");
    expect(kie.readPoll(told(401, "no access"), TASK).kind).toBe("paused");
  });

  test("tells what a task that failed took nevertheless, and nothing where it took nothing", () => {
    const failed = (credits: unknown) => record({ state: "fail", failMsg: "no", creditsConsumed: credits });
    expect(kie.readPoll(failed(8), TASK)).toMatchObject({ kind: "failed", cost: { amount: 8 } });
    for (const credits of [0, null, undefined])
      expect(kie.readPoll(failed(credits), TASK)).not.toHaveProperty("cost");
  });

  test.each([
    ["waiting", record({ state: "waiting" }), { kind: "pending", phase: "queued" }],
    ["not written yet, or lost", told(422, "recordInfo is null"), { kind: "unknown_task" }],
    ["done, its result not yet written", record({ state: "success", resultJson: "" }), { kind: "glitch" }],
    ["in a state that nobody knows", record({ state: "paused" }), { kind: "glitch" }],
    ["unknown", told(404, "Not found"), { kind: "unknown_task" }],
    ["asked for too often", told(429, "slow down"), { kind: "throttled" }],
    ["asked for with a revoked key", told(401, "no access"), { kind: "paused", reason: "key_refused" }],
  ])("that is %s tells it so", (_name, given, expected) => {
    expect(kie.readPoll(given, TASK)).toMatchObject(expected);
  });

  test.each([
    ["400", "Your prompt was flagged by the safety system", { kind: "refused", refusal: "policy" }],
    [null, null, { kind: "failed" }],
  ])("that failed with %s and %s tells why", (failCode, failMsg, expected) => {
    expect(kie.readPoll(record({ state: "fail", failCode, failMsg }), TASK)).toMatchObject(expected);
  });
});

test.each([
  ["413", "Uploaded audio matches existing work of art", { kind: "refused", refusal: "policy" }],
  ["422", "title is too long", { kind: "refused", refusal: "request" }],
])("a song of V6 that failed with %s and %s tells why", (failCode, failMsg, expected) => {
  const data = { taskId: "task_1", model: "ai-music-api/generate", state: "fail", failCode, failMsg };
  expect(kie.readPoll(told(200, "success", data), TASK)).toMatchObject(expected);
});

test("an uploaded file's address comes with either name", () => {
  const uploaded = (data: object) => answer(200, { success: true, code: 200, msg: "uploaded", data });
  const downloadUrl = "https://tempfile.redpandaai.co/images/9f3c.png";
  expect(kie.upload?.readBegin(uploaded({ fileName: "9f3c.png", downloadUrl }))).toEqual({
    url: downloadUrl,
  });
  expect(kie.upload?.readBegin(uploaded({ fileUrl: downloadUrl }))).toEqual({ url: downloadUrl });
});

test("an expired result gets another address", () => {
  const url = "https://tempfile.aiquickdraw.com/a.png";
  expect(kie.renew?.(url).call).toEqual({
    method: "POST",
    url: "https://api.kie.ai/api/v1/common/download-url",
    json: { url },
  });
  expect(kie.renew?.(url).read(told(200, "success", `${url}?sig=1`))).toBe(`${url}?sig=1`);
  expect(kie.renew?.(url).read(told(422, "Invalid URL"))).toBeUndefined();
});

test.each([
  [told(200, "success", 100), { kind: "good", balance: 100 }],
  [told(200, "success", 0), { kind: "paused", reason: "no_credit", balance: 0 }],
])("a probe tells the state of the account", (given, expected) => {
  expect(kie.probe.read(given, "key_refused")).toEqual(expected);
});
