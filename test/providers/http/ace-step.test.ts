import { describe, expect, test } from "vitest";
import { aceStep } from "../../../src/providers/services/ace-step.js";
import { answer, operation } from "./answer.js";

const ID = "550e8400-e29b-41d4-a716-446655440000";
const ATTEMPT = { id: "1", callbackUrl: "https://ours.invalid/hooks/ace_step" };
const ROOT = "https://ace-step.invalid";
const ASKED = operation({ endpoint: "acestep-v15-turbo", input: { sample_query: "a song" } });
const wrapped = (data: unknown) => ({ data, code: 200, error: null, timestamp: 1, extra: null });
const told = (status: number, result: unknown, id = ID) =>
  wrapped([{ task_id: id, status, result: typeof result === "string" ? result : JSON.stringify(result) }]);

test("the key is sent where the operator gave one, for files too, and a probe needs it", () => {
  expect(aceStep.headers("secret")).toEqual({ authorization: "Bearer secret" });
  expect(aceStep.headers("")).toEqual({});
  expect(aceStep.filesNeedKey).toBe(true);
  expect(aceStep.probe.call).toEqual({ method: "GET", url: `${ROOT}/v1/stats` });
});

describe("a submit", () => {
  test("names the model", () => {
    expect(aceStep.submit(ASKED, ATTEMPT)).toEqual({
      method: "POST",
      url: `${ROOT}/release_task`,
      json: { model: "acestep-v15-turbo", sample_query: "a song" },
    });
  });

  test("is accepted with an id of the server", () => {
    const accepted = answer(200, wrapped({ task_id: ID, status: "queued", queue_position: 1 }));
    expect(aceStep.readSubmit(accepted, ASKED)).toEqual({ kind: "accepted", reference: { task_id: ID } });
  });
});

describe("a poll of a task", () => {
  const read = (status: number, body: object | string) =>
    aceStep.readPoll(answer(status, body), { task_id: ID });

  test("asks for it alone", () => {
    expect(aceStep.poll({ task_id: ID })).toEqual({
      method: "POST",
      url: `${ROOT}/query_result`,
      json: { task_id_list: [ID] },
    });
  });

  test("hides no track or task behind an odd one", () => {
    const path = "/v1/audio?path=a.mp3";
    const { data } = told(1, [null as never, { file: path }, "x" as never]);
    const among = wrapped([null, { task_id: 5 }, ...(data as object[])]);
    expect(read(200, among)).toEqual({ kind: "ready", document: { result: [{ file: path }] } });
  });

  test.each([
    [200, told(0, [{ file: "", status: 0, stage: "queued" }]), { kind: "pending", phase: "running" }],
    // What it answers for a task that it does not know.
    [200, told(0, []), { kind: "failed", detail: expect.stringContaining("lost") }],
    [200, told(0, "not JSON"), { kind: "pending" }],
    [
      200,
      told(2, [{ file: "", error: "CUDA out of memory" }]),
      { kind: "failed", detail: "CUDA out of memory" },
    ],
    [200, told(2, { status: 0 }), { kind: "failed", detail: "status 2" }],
    [200, told(1, []), { kind: "ready", document: { result: [] } }],
    [200, told(7, []), { kind: "glitch" }],
    [200, told(1, [], "another"), { kind: "glitch" }],
    [404, { detail: "Not Found" }, { kind: "glitch" }],
  ])("answered with %i %j tells its state", (status, body, expected) => {
    expect(read(status, body)).toMatchObject(expected);
  });
});
