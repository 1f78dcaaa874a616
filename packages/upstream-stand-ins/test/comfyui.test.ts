import { randomUUID } from "node:crypto";
import { imageSize } from "image-size";
import { expect, test } from "vitest";
import type { Upstreams } from "../src/index.js";
import { download, send, upstreams } from "./client.js";

const SAMPLING = { steps: 8, cfg: 1, sampler_name: "euler", scheduler: "simple", denoise: 1 };
const LINKS = { model: ["4", 0], positive: ["6", 0], negative: ["6", 0], latent_image: ["5", 0] };
const GRAPH = {
  "3": { class_type: "KSampler", inputs: { seed: 1, ...SAMPLING, ...LINKS } },
  "4": { class_type: "CheckpointLoaderSimple", inputs: { ckpt_name: "a.safetensors" } },
  "5": { class_type: "EmptyLatentImage", inputs: { width: 320, height: 256, batch_size: 1 } },
  "6": { class_type: "CLIPTextEncode", inputs: { text: "a fox", clip: ["4", 1] } },
  "8": { class_type: "VAEDecode", inputs: { samples: ["3", 0], vae: ["4", 2] } },
  "9": { class_type: "SaveImage", inputs: { images: ["8", 0], filename_prefix: "x" } },
};

const prompt = (comfy: Upstreams, body: object) => send("POST", `${comfy.url}/prompt`, undefined, body);
const get = async (comfy: Upstreams, path: string) =>
  (await send("GET", `${comfy.url}${path}`, undefined)).body;

test("a workflow keeps the id that the client chose, waits, runs, and stands in the history", async () => {
  const comfy = await upstreams();
  const id = randomUUID();
  expect(await prompt(comfy, { prompt: GRAPH, prompt_id: id })).toMatchObject({
    status: 200,
    body: { prompt_id: id, node_errors: {} },
  });
  expect((await get(comfy, "/queue")).queue_pending).toEqual([
    [0, id, GRAPH, { create_time: expect.any(Number) }, ["9"]],
  ]);
  comfy.advance(4000);
  expect((await get(comfy, "/queue")).queue_running).toEqual([
    [0, id, GRAPH, { create_time: expect.any(Number) }, ["9"]],
  ]);
  expect(await get(comfy, `/history/${id}`)).toEqual({});
  comfy.advance(6000);
  expect(await get(comfy, "/queue")).toEqual({ queue_running: [], queue_pending: [] });
  const entry = (await get(comfy, `/history/${id}`))[id];
  expect(entry.status).toMatchObject({ status_str: "success", completed: true });
  const [file] = entry.outputs["9"].images;
  const picture = await download(`${comfy.url}/view?${new URLSearchParams(file)}`);
  expect(imageSize(picture.bytes)).toMatchObject({ type: "png", width: 320, height: 256 });
  expect(comfy.ledger).toHaveLength(1);
});

test("the same id twice is two runs", async () => {
  const comfy = await upstreams();
  const body = { prompt: GRAPH, prompt_id: randomUUID() };
  await prompt(comfy, body);
  await prompt(comfy, body);
  expect(comfy.ledger).toHaveLength(2);
});

test.each([
  [{ prompt: GRAPH, prompt_id: randomUUID().toUpperCase() }, "invalid_prompt_id"],
  [{ prompt: { "6": GRAPH["6"] } }, "prompt_no_outputs"],
  [{ prompt: { "9": { inputs: {} } } }, "invalid_prompt"],
  [{}, "no_prompt"],
  [
    {
      prompt: {
        "10": { class_type: "LoadImage", inputs: { image: "none.png" } },
        "11": { class_type: "PreviewImage", inputs: { images: ["10", 0] } },
      },
    },
    "prompt_outputs_failed_validation",
  ],
  [{ prompt: { ...GRAPH, "10": { class_type: "ApiNode", inputs: {} } } }, "missing_node_type"],
  [
    { prompt: { ...GRAPH, "5": { class_type: "EmptyLatentImage", inputs: { width: 321, height: 256 } } } },
    "prompt_outputs_failed_validation",
  ],
  [
    {
      prompt: { ...GRAPH, "6": { class_type: "CLIPTextEncode", inputs: { text: "a fox", clip: ["40", 1] } } },
    },
    "prompt_outputs_failed_validation",
  ],
])("a workflow is refused with its reason", async (body, type) => {
  const comfy = await upstreams();
  expect(await prompt(comfy, body)).toMatchObject({ status: 400, body: { error: { type } } });
  expect(comfy.ledger).toEqual([]);
});

test("an output that is wrong is left out with its reason, while another one is right", async () => {
  const comfy = await upstreams();
  const id = randomUUID();
  const graph = {
    ...GRAPH,
    "2": { class_type: "SaveImage", inputs: { images: ["1", 0], filename_prefix: "x" } },
    "1": { class_type: "LoadImage", inputs: { image: "none.png" } },
    "7": { class_type: "LoadImage", inputs: { image: "read by nobody.png" } },
  };
  const { status, body } = await prompt(comfy, { prompt: graph, prompt_id: id });
  expect(status).toBe(200);
  expect(body.node_errors).toEqual({
    "1": {
      errors: [expect.objectContaining({ type: "custom_validation_failed" })],
      dependent_outputs: ["2"],
      class_type: "LoadImage",
    },
  });
  expect((await get(comfy, "/queue")).queue_pending[0][4]).toEqual(["9"]);
  comfy.advance(9000);
  expect(Object.keys((await get(comfy, `/history/${id}`))[id].outputs)).toEqual(["9"]);
});

test("it tells the nodes that it has, with their inputs and the files that it finds", async () => {
  const comfy = await upstreams();
  const kinds = await get(comfy, "/object_info");
  expect(kinds.SaveImage).toMatchObject({ name: "SaveImage", output_node: true });
  expect(kinds.KSampler).toMatchObject({
    output_node: false,
    input: {
      required: {
        model: ["*", {}],
        seed: ["INT", { min: 0 }],
        sampler_name: [expect.arrayContaining(["euler"]), {}],
      },
    },
  });
  expect(kinds.VAELoader.input.required.vae_name[0]).toContain("ae.safetensors");
});

test("an upload gets another name where its own is taken by other bytes", async () => {
  const comfy = await upstreams();
  const upload = async (text: string, more: Readonly<Record<string, string>> = {}) => {
    const form = new FormData();
    form.append("image", new Blob([text], { type: "image/png" }), "a.png");
    for (const [name, value] of Object.entries(more)) form.append(name, value);
    return (await send("POST", `${comfy.url}/upload/image`, undefined, form)).body;
  };
  expect(await upload("one")).toEqual({ name: "a.png", subfolder: "", type: "input" });
  expect((await upload("one")).name).toBe("a.png");
  expect((await upload("two")).name).toBe("a (1).png");
  expect((await upload("three", { overwrite: "true" })).name).toBe("a.png");
  expect(await upload("one", { subfolder: "ours" })).toMatchObject({ name: "a.png", subfolder: "ours" });
  expect(await upload("two", { subfolder: "ours" })).toMatchObject({ name: "a (1).png", subfolder: "ours" });
  const load = {
    ...GRAPH,
    "10": { class_type: "LoadImage", inputs: { image: "a (1).png" } },
    "11": { class_type: "PreviewImage", inputs: { images: ["10", 0] } },
  };
  expect(await prompt(comfy, { prompt: load })).toMatchObject({ status: 200, body: { node_errors: {} } });
});

test("a deleted prompt is in neither list, an interrupted one in the history with an error", async () => {
  const comfy = await upstreams();
  const [waiting, running] = [randomUUID(), randomUUID()];
  await prompt(comfy, { prompt: GRAPH, prompt_id: running });
  comfy.advance(4000);
  await prompt(comfy, { prompt: GRAPH, prompt_id: waiting });
  // An interruption of one that waits does nothing.
  await send("POST", `${comfy.url}/interrupt`, undefined, { prompt_id: waiting });
  const deleted = await send("POST", `${comfy.url}/queue`, undefined, { delete: [waiting] });
  expect(deleted).toMatchObject({ status: 200, body: "" });
  await send("POST", `${comfy.url}/interrupt`, undefined, { prompt_id: running });
  expect(await get(comfy, "/queue")).toEqual({ queue_running: [], queue_pending: [] });
  expect(await get(comfy, `/history/${waiting}`)).toEqual({});
  const { status } = (await get(comfy, `/history/${running}`))[running];
  expect(status.status_str).toBe("error");
  expect(status.messages.at(-1)[0]).toBe("execution_interrupted");
});

test("prompts run one after the other, and the oldest that ended stands first in the history", async () => {
  const comfy = await upstreams();
  const [first, second] = [randomUUID(), randomUUID()];
  await prompt(comfy, { prompt: GRAPH, prompt_id: first });
  await prompt(comfy, { prompt: GRAPH, prompt_id: second });
  comfy.advance(9000);
  const queue = await get(comfy, "/queue");
  expect([queue.queue_running.length, queue.queue_pending[0]?.[1]]).toEqual([0, second]);
  comfy.advance(9000);
  expect(Object.keys(await get(comfy, "/history"))).toEqual([first, second]);
  const oldest = await get(comfy, "/history?max_items=1&offset=0");
  expect(Object.keys(oldest)).toEqual([first]);
  expect(oldest[first].prompt[3]).toEqual({ create_time: expect.any(Number) });
  expect(Object.keys(await get(comfy, "/history?max_items=1"))).toEqual([second]);
});

test("a restart loses what it had in memory", async () => {
  const comfy = await upstreams();
  const id = randomUUID();
  await prompt(comfy, { prompt: GRAPH, prompt_id: id });
  comfy.forgetTasks("comfyui");
  expect(await get(comfy, "/queue")).toEqual({ queue_running: [], queue_pending: [] });
  expect(await get(comfy, `/history/${id}`)).toEqual({});
});
