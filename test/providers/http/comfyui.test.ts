import { describe, expect, test } from "vitest";
import { readOutputs } from "../../../src/catalogue/operation.js";
import { comfyui } from "../../../src/providers/services/comfyui.js";
import { answer, HTML, operation } from "./answer.js";

const ID = "8b7d9f7e-0d0c-4a55-9c39-3a1f0b2a6b10";
const GRAPH = { "10": { class_type: "SaveImage", inputs: { images: ["9", 0] } } };
const ASKED = operation({ api: "workflow", endpoint: "a.json", input: GRAPH });
const REFERENCE = { prompt_id: ID };
const ROOT = "https://comfyui.invalid";

const item = (number: number, id: string) => [number, id, GRAPH, { create_time: 1 }, ["10"]];
const queue = (running: unknown[], pending: unknown[]) => ({
  queue_running: running,
  queue_pending: pending,
});
const EMPTY = queue([], []);

describe("a submit", () => {
  test("is the graph under the id of its attempt", () => {
    expect(comfyui.submit(ASKED, { id: ID })).toEqual({
      method: "POST",
      url: `${ROOT}/prompt`,
      json: { prompt: GRAPH, prompt_id: ID, client_id: ID },
    });
  });

  test("is accepted although a node is wrong, whose output is left out: its words go with the task", () => {
    const errors = [{ type: "value_not_in_list", message: "Value not in list", details: "ckpt_name: 'a'" }];
    const node_errors = { "7": { class_type: "CheckpointLoaderSimple", errors } };
    const accepted = answer(200, { prompt_id: ID, number: 3, node_errors });
    expect(comfyui.readSubmit(accepted, ASKED)).toEqual({
      kind: "accepted",
      reference: {
        ...REFERENCE,
        warnings: "node 7 (CheckpointLoaderSimple): Value not in list: ckpt_name: 'a'",
      },
    });
  });

  test("is made anew with other seeds, where its graph has a seed of its own", () => {
    const graph = {
      "1": { class_type: "KSampler", inputs: { seed: 7, steps: 4, model: ["2", 0] } },
      "2": { class_type: "RandomNoise", inputs: { noise_seed: 0 }, _meta: { title: "noise" } },
      "3": { class_type: "KSampler", inputs: { seed: ["2", 0] } },
    };
    const remade = comfyui.remake?.(operation({ endpoint: "a.json", input: graph }));
    expect(remade).toMatchObject({ endpoint: "a.json" });
    expect(remade?.input).toEqual({
      ...graph,
      "1": { class_type: "KSampler", inputs: { seed: 6, steps: 4, model: ["2", 0] } },
      "2": { class_type: "RandomNoise", inputs: { noise_seed: 1 }, _meta: { title: "noise" } },
    });
    expect(comfyui.remake?.(ASKED)).toBeUndefined();
  });

  test("that its nodes refuse is a request that cannot be made, and names the node", () => {
    const details = "unet_name: 'z.safetensors' not in ['nsfw.safetensors']";
    const refusal = {
      error: { type: "prompt_outputs_failed_validation", message: "Prompt outputs failed validation" },
      node_errors: {
        "1": {
          errors: [{ type: "value_not_in_list", message: "Value not in list", details }],
          class_type: "UNETLoader",
        },
      },
    };
    expect(comfyui.readSubmit(answer(400, refusal), ASKED)).toEqual({
      kind: "refused",
      // Its words are about files and numbers, never about what is asked for.
      refusal: "request",
      detail: `400 node 1 (UNETLoader): Value not in list: ${details}`,
    });
  });

  test("without a graph is refused in the words of the server", () => {
    const refused = answer(400, { error: "no prompt", node_errors: [] });
    const expected = { kind: "refused", refusal: "request", detail: "400 no prompt" };
    expect(comfyui.readSubmit(refused, ASKED)).toMatchObject(expected);
  });
});

describe("a poll of the queue", () => {
  test.each([
    ["runs", queue([item(1, ID)], [item(2, "b")]), { kind: "pending", phase: "running" }],
    [
      "waits behind others, in any order of the list",
      queue([item(1, "a")], [item(2, "b"), item(9, "d"), item(5, ID), item(4, "c")]),
      { kind: "pending", phase: "queued", queuePosition: 3 },
    ],
    [
      "is in it no longer",
      queue([item(1, "a")], [item(2, "b")]),
      {
        kind: "next",
        call: { method: "GET", url: `${ROOT}/history/${ID}` },
        reference: { ...REFERENCE, step: "history" },
      },
    ],
  ])("tells that it %s", (_name, body, expected) => {
    expect(comfyui.readPoll(answer(200, body), REFERENCE)).toEqual(expected);
  });
});

const success = { status_str: "success", completed: true, messages: [] };
const failed = (name: string, told: object) => ({
  outputs: {},
  status: {
    status_str: "error",
    completed: false,
    messages: [
      ["execution_start", {}],
      [name, told],
    ],
  },
});

describe("a poll of the history", () => {
  const look = (body: unknown, status = 200) =>
    comfyui.readPoll(answer(status, body as object), { ...REFERENCE, step: "history" });

  test("gives the files of every node an address on the root", () => {
    const outputs = {
      "10": { images: [{ filename: "a b.png", subfolder: "x", type: "output" }], animated: [true] },
      "12": { gifs: [{ filename: "a.mp4", subfolder: "", type: "output", format: "video/h264-mp4" }] },
      "13": { text: ["words"] },
      "14": null,
    };
    const made = look({ [ID]: { prompt: item(1, ID), outputs, status: success, meta: {} } });
    if (made.kind !== "ready") throw new Error(made.kind);
    const filesOf = (files: string) =>
      readOutputs({ kind: "image", files, encoding: "url" }, made.document)?.map(({ source }) => source);
    expect(filesOf("/10/images/*/url")).toEqual([{ url: "/view?filename=a+b.png&subfolder=x&type=output" }]);
    expect(filesOf("/12/gifs/*/url")).toEqual([{ url: "/view?filename=a.mp4&subfolder=&type=output" }]);
    expect(filesOf("/13/text/*/url")).toBeUndefined();
  });

  test.each([
    ["neither list has it", {}, { kind: "failed", detail: expect.stringContaining("lost") }],
    [
      "it failed",
      {
        [ID]: failed("execution_error", {
          node_id: "8",
          node_type: "KSampler",
          exception_type: "torch.OutOfMemoryError",
          exception_message: "Allocation on device",
        }),
      },
      { kind: "failed", detail: "node 8 (KSampler): torch.OutOfMemoryError: Allocation on device" },
    ],
    [
      "somebody interrupted it",
      { [ID]: failed("execution_interrupted", { node_id: "8" }) },
      { kind: "failed", detail: "interrupted" },
    ],
    ["it ended without a status", { [ID]: { outputs: {}, status: null } }, { kind: "ready", document: {} }],
    [
      "its status is not known",
      { [ID]: { outputs: {}, status: { status_str: "paused" } } },
      { kind: "glitch" },
    ],
  ])("tells that %s", (_name, body, expected) => {
    expect(look(body)).toMatchObject(expected);
  });
});

test("a prompt is taken out of the queue, and ended where it runs, and no other one", () => {
  expect(comfyui.cancel?.(REFERENCE)).toEqual([
    { method: "POST", url: `${ROOT}/queue`, json: { delete: [ID] } },
    { method: "POST", url: `${ROOT}/interrupt`, json: { prompt_id: ID } },
  ]);
});

test("a poll answered with 404 ends no task: its lists are always there", () => {
  const absent = answer(404, { detail: "Not Found" });
  for (const reference of [REFERENCE, { ...REFERENCE, step: "history" }])
    expect(comfyui.readPoll(absent, reference).kind).toBe("glitch");
});

describe("a look-up of a doubtful submit", () => {
  const SUBMITTED_AT = Date.parse("2026-11-23T12:00:00Z");
  const doubtful = { id: ID, operation: ASKED, submittedAt: SUBMITTED_AT, askedForMs: 150_000, taken: [] };
  const HISTORY = { method: "GET", url: `${ROOT}/history/${ID}` } as const;
  const OLDEST = { method: "GET", url: `${ROOT}/history?max_items=1&offset=0` } as const;
  const read = (body: unknown, asked = comfyui.lookUp?.(doubtful), askedForMs = doubtful.askedForMs) =>
    comfyui.readLookUp?.(answer(200, body as object), { ...doubtful, askedForMs }, SUBMITTED_AT, asked);
  const found = { kind: "found", reference: REFERENCE };

  test("asks the queue first, then the history, then for the oldest entry of the history", () => {
    expect(comfyui.lookUp?.(doubtful)).toEqual({ method: "GET", url: `${ROOT}/queue` });
    expect(read(EMPTY)).toEqual({ kind: "next", call: HISTORY });
    expect(read({}, HISTORY)).toEqual({ kind: "next", call: OLDEST });
  });

  test("finds it in either", () => {
    expect(read(queue([item(1, ID)], []))).toEqual(found);
    expect(read(queue([], [item(1, ID)]))).toEqual(found);
    expect(read({ [ID]: { outputs: {}, status: success } }, HISTORY)).toEqual(found);
  });

  const oldest = (createdAt: number | undefined, startedAt: number | undefined) => ({
    other: {
      prompt: [0, "other", {}, createdAt === undefined ? {} : { create_time: createdAt }, []],
      outputs: {},
      status: {
        ...success,
        messages: startedAt === undefined ? [] : [["execution_start", { timestamp: startedAt }]],
      },
    },
  });
  const EARLIER = SUBMITTED_AT - 3_600_000;
  const LATER = SUBMITTED_AT + 60_000;

  test.each([
    ["an entry from before the submit proves that the memory is whole", oldest(EARLIER, undefined), "absent"],
    ["so does its start, where an older ComfyUI tells nothing else", oldest(undefined, EARLIER), "absent"],
    ["a history that begins after the submit may be that of a new process", oldest(LATER, LATER), "unknown"],
    ["so may an empty one", {}, "unknown"],
    ["an entry without a date proves nothing", oldest(undefined, undefined), "unknown"],
    ["a clock that may be ahead of ours proves nothing", oldest(SUBMITTED_AT - 60_000, undefined), "unknown"],
    ["an answer of something else proves nothing", HTML, "unknown"],
  ])("%s", (_name, body, kind) => {
    expect(read(body, OLDEST)?.kind).toBe(kind);
  });

  test("proves nothing while the submit may still be judged", () => {
    expect(read(oldest(EARLIER, EARLIER), OLDEST, 0)?.kind).toBe("unknown");
    expect(read(oldest(EARLIER, EARLIER), OLDEST, 149_000)?.kind).toBe("unknown");
  });

  test.each([500, 404, 401])("answered with %i proves nothing", (status) => {
    expect(comfyui.readLookUp?.(answer(status, EMPTY), doubtful, SUBMITTED_AT)).toEqual({ kind: "unknown" });
  });
});

test("a reference goes into a folder of ours, and is named as the answer to its upload names it", () => {
  const upload = comfyui.upload?.begin({ path: "/tmp/a", mime: "image/png", fileName: "a.png" });
  expect(upload?.form).toContainEqual({ name: "subfolder", value: "atelier" });
  const read = (body: object, status = 200) => comfyui.upload?.readBegin(answer(status, body));
  expect(read({ name: "9f3c (1).png", subfolder: "atelier", type: "input" })).toEqual({
    url: "atelier/9f3c (1).png",
  });
  expect(read({ name: "9f3c.png", subfolder: "", type: "input" })).toEqual({ url: "9f3c.png" });
  expect(read({}, 400)).toBeUndefined();
});
