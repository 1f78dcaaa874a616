import { randomUUID } from "node:crypto";
import { z } from "zod";
import { type Answer, type Call, isRecord, type Json, json } from "./call.js";
import { type Dialect, plain, type Submission, upload } from "./dialect.js";
import { fileAnswer } from "./download.js";
import { images, type Model, type NewFile } from "./model.js";
import type { UpstreamState } from "./state.js";
import { type Phase, phaseOf, type Task } from "./task.js";

/*
 * Source: comfyanonymous/ComfyUI, server.py. What is cancelled while it waits is in neither list; what is interrupted
 * while it runs is in the history, with an error. POSTs to /queue, /interrupt and /history have an empty answer.
 */

const EMPTY: Answer = { status: 200 };

function tasksOf(state: UpstreamState): Task[] {
  return [...state.tasks.values()].filter(
    ({ service, isForgotten }) => service === "comfyui" && !isForgotten,
  );
}

function answerQueue(state: UpstreamState): Answer {
  // Of one moment: a prompt that leaves the one list meanwhile is in the other.
  const now = state.time.now();
  const inPhase = (kind: Phase["kind"]) => tasksIn(state, kind, now).map(itemOf);
  return json(200, { queue_running: inPhase("running"), queue_pending: inPhase("queued") });
}

function tasksIn(state: UpstreamState, kind: Phase["kind"], now = state.time.now()): Task[] {
  return tasksOf(state).filter((task) => phaseOf(task, now).kind === kind);
}

function changeQueue(state: UpstreamState, { json: body }: Call): Answer {
  const ids = new Set(Array.isArray(body?.delete) ? body.delete : []);
  for (const task of tasksIn(state, "queued")) {
    if (body?.clear !== true && !ids.has(task.id)) continue;
    task.isForgotten = true;
    state.keep(task);
  }
  return EMPTY;
}

function interrupt(state: UpstreamState, { json: body }: Call): Answer {
  for (const task of tasksIn(state, "running")) {
    if (body?.prompt_id !== undefined && body.prompt_id !== task.id) continue;
    task.cancelledAt = state.time.now();
    state.keep(task);
  }
  return EMPTY;
}

/** The oldest first; `max_items` from `offset`, or the last ones. */
function answerHistory(state: UpstreamState, { query }: Call): Answer {
  const now = state.time.now();
  const over = tasksOf(state).filter((task) => isOver(phaseOf(task, now)));
  const count = query.has("max_items") ? Number(query.get("max_items")) : over.length;
  const offset = query.has("offset") ? Number(query.get("offset")) : over.length - count;
  const shown = over.slice(Math.max(0, offset), Math.max(0, offset) + count);
  return json(200, Object.fromEntries(shown.map((task) => [task.id, entryOf(task, phaseOf(task, now))])));
}

function isOver({ kind }: Phase): boolean {
  return kind === "ended" || kind === "cancelled";
}

/** Ids of the nodes that it runs for. */
function outputsOf({ input }: Task): readonly string[] {
  return Array.isArray(input.outputs) ? input.outputs.map(String) : [];
}

/** `[number, id, prompt, extra data, outputs]`. */
function itemOf(task: Task): unknown[] {
  const extra = { client_id: task.input.client_id, create_time: task.acceptedAt };
  return [task.input.number, task.id, task.input.graph, extra, outputsOf(task)];
}

function entryOf(task: Task, phase: Phase): Json {
  const prompt = itemOf(task);
  const start = ["execution_start", { prompt_id: task.id, timestamp: task.acceptedAt + task.queueMs }];
  const isMade = phase.kind === "ended" && task.outcome.kind === "made";
  if (!isMade) {
    const kind = phase.kind === "cancelled" ? "execution_interrupted" : "execution_error";
    const messages = [
      start,
      [
        kind,
        {
          prompt_id: task.id,
          node_id: "8",
          node_type: "KSampler",
          executed: [],
          ...(kind === "execution_error" && {
            exception_message: "Allocation on device",
            exception_type: "torch.OutOfMemoryError",
          }),
        },
      ],
    ];
    return { prompt, outputs: {}, status: { status_str: "error", completed: false, messages }, meta: {} };
  }
  const [node] = outputsOf(task);
  const files = task.files.map(({ id }) => ({ filename: `${id}.png`, subfolder: "", type: "output" }));
  const messages = [start, ["execution_success", { prompt_id: task.id }]];
  return {
    prompt,
    outputs: node !== undefined && files.length > 0 ? { [node]: { images: files } } : {},
    status: { status_str: "success", completed: true, messages },
    meta: {},
  };
}

/*
 * Required inputs, as ComfyUI's own nodes declare them. Sources: comfyanonymous/ComfyUI nodes.py, comfy_extras/
 * nodes_flux.py, nodes_custom_sampler.py, nodes_sd3.py, nodes_model_advanced.py, nodes_post_processing.py,
 * nodes_images.py, nodes_edit_model.py.
 */

interface GraphNode {
  id: string;
  classType: string;
  inputs: Json;
}

interface NodeKind {
  /** A link, a text, bounds and step of a whole number, or the values of a list. */
  inputs: Readonly<Record<string, InputKind>>;
  isOutput?: true;
}
type InputKind = "link" | "text" | "number" | WholeNumber | readonly string[];
interface WholeNumber {
  min: number;
  max: number;
  step: number;
}

interface NodeError {
  type: string;
  message: string;
  details: string;
  extra_info: object;
}

const side = (step: number): InputKind => ({ min: step, max: 16_384, step });
const batch = { min: 1, max: 4096, step: 1 };
const seed = { min: 0, max: Number.MAX_SAFE_INTEGER, step: 1 };
const steps = { min: 1, max: 10_000, step: 1 };
const samplers = ["euler", "euler_ancestral", "heun", "dpmpp_2m", "res_multistep", "uni_pc"];
const schedulers = ["simple", "normal", "karras", "beta"];
/** The files in its folder of models. */
const CHECKPOINTS = ["a.safetensors", "sd_xl_base_1.0.safetensors"];
const DIFFUSION_MODELS = ["flux-2-klein-4b.safetensors", "z_image_turbo_bf16.safetensors"];
const TEXT_ENCODERS = ["qwen_3_4b.safetensors"];
const VAES = ["ae.safetensors", "flux2-vae.safetensors"];

const NODES: Readonly<Record<string, NodeKind>> = {
  CLIPLoader: {
    inputs: { clip_name: TEXT_ENCODERS, type: ["stable_diffusion", "flux2", "lumina2", "qwen_image"] },
  },
  CLIPTextEncode: { inputs: { text: "text", clip: "link" } },
  CFGGuider: { inputs: { model: "link", positive: "link", negative: "link", cfg: "number" } },
  CheckpointLoaderSimple: { inputs: { ckpt_name: CHECKPOINTS } },
  ConditioningZeroOut: { inputs: { conditioning: "link" } },
  EmptyFlux2LatentImage: { inputs: { width: side(16), height: side(16), batch_size: batch } },
  EmptyLatentImage: { inputs: { width: side(8), height: side(8), batch_size: batch } },
  EmptySD3LatentImage: { inputs: { width: side(16), height: side(16), batch_size: batch } },
  Flux2Scheduler: { inputs: { steps, width: side(1), height: side(1) } },
  GetImageSize: { inputs: { image: "link" } },
  ImageScaleToTotalPixels: {
    inputs: {
      image: "link",
      upscale_method: ["nearest-exact", "bilinear", "area", "bicubic", "lanczos"],
      megapixels: "number",
    },
  },
  KSampler: {
    inputs: {
      model: "link",
      seed,
      steps,
      cfg: "number",
      sampler_name: samplers,
      scheduler: schedulers,
      positive: "link",
      negative: "link",
      latent_image: "link",
      denoise: "number",
    },
  },
  KSamplerSelect: { inputs: { sampler_name: samplers } },
  LoadImage: { inputs: { image: "text" } },
  ModelSamplingAuraFlow: { inputs: { model: "link", shift: "number" } },
  PreviewImage: { inputs: { images: "link" }, isOutput: true },
  RandomNoise: { inputs: { noise_seed: seed } },
  ReferenceLatent: { inputs: { conditioning: "link" } },
  SamplerCustomAdvanced: {
    inputs: { noise: "link", guider: "link", sampler: "link", sigmas: "link", latent_image: "link" },
  },
  SaveImage: { inputs: { images: "link", filename_prefix: "text" }, isOutput: true },
  UNETLoader: {
    inputs: { unet_name: DIFFUSION_MODELS, weight_dtype: ["default", "fp8_e4m3fn", "fp8_e5m2"] },
  },
  VAEDecode: { inputs: { samples: "link", vae: "link" } },
  VAEEncode: { inputs: { pixels: "link", vae: "link" } },
  VAELoader: { inputs: { vae_name: VAES } },
};

/** What its validation says of a node. */
function errorsOf(nodes: readonly GraphNode[], { classType, inputs }: GraphNode): NodeError[] {
  return Object.entries(NODES[classType]?.inputs ?? {}).flatMap(([name, kind]) => {
    const value = inputs[name];
    if (value === undefined) return [error("required_input_missing", "Required input is missing", name)];
    const linked = linkOf(value);
    if (linked !== undefined)
      return nodes.some(({ id }) => id === linked)
        ? []
        : [error("exception_during_validation", "Exception when validating node", `'${linked}'`)];
    return isOfKind(kind, value) ? [] : [error(...complaint(kind, value), shown(kind, name, value))];
  });
}

/** The id of the node that an input is linked to. */
function linkOf(value: unknown): string | undefined {
  return Array.isArray(value) ? String(value[0]) : undefined;
}

function isList(kind: InputKind): kind is readonly string[] {
  return Array.isArray(kind);
}

function shown(kind: InputKind, name: string, value: unknown): string {
  return isList(kind) ? `${name}: '${String(value)}' not in [${kind.join(", ")}]` : name;
}

function isOfKind(kind: InputKind, value: unknown): boolean {
  if (kind === "link") return false;
  if (isList(kind)) return kind.some((known) => known === value);
  if (kind === "text") return typeof value === "string";
  if (typeof value !== "number") return false;
  if (kind === "number") return true;
  return Number.isInteger(value) && value >= kind.min && value <= kind.max && value % kind.step === 0;
}

function complaint(kind: InputKind, value: unknown): [type: string, message: string] {
  if (kind === "link") return ["bad_linked_input", "Bad linked input, must be a length-2 list"];
  if (isList(kind)) return ["value_not_in_list", "Value not in list"];
  if (typeof kind === "object" && typeof value === "number")
    return value > kind.max
      ? ["value_bigger_than_max", `Value ${value} bigger than max of ${kind.max}`]
      : ["value_smaller_than_min", `Value ${value} smaller than min of ${kind.min}`];
  return ["invalid_input_type", "Failed to convert an input value"];
}

function error(type: string, message: string, name: string): NodeError {
  return { type, message, details: name, extra_info: { input_name: name } };
}

/** The nodes of a workflow in the form of the API; undefined where it is not one. */
function nodesOf(graph: unknown): readonly GraphNode[] | undefined {
  if (!isRecord(graph)) return undefined;
  const nodes: GraphNode[] = [];
  for (const [id, node] of Object.entries(graph)) {
    if (!isRecord(node) || typeof node.class_type !== "string" || !isRecord(node.inputs)) return undefined;
    nodes.push({ id, classType: node.class_type, inputs: node.inputs });
  }
  return nodes;
}

function isOutput({ classType }: GraphNode): boolean {
  return NODES[classType]?.isOutput === true;
}

/** A node, and all that it is made from. */
function sourcesOf(nodes: readonly GraphNode[], node: GraphNode): readonly GraphNode[] {
  const found = new Set([node]);
  for (const { inputs } of found) {
    const ids = Object.values(inputs).map(linkOf);
    for (const source of nodes) if (ids.includes(source.id)) found.add(source);
  }
  return [...found];
}

/** Names of uploaded pictures that the workflow loads. */
function loadedImages(nodes: readonly GraphNode[]): { node: GraphNode; name: string }[] {
  return nodes.flatMap((node) =>
    node.classType === "LoadImage" && typeof node.inputs.image === "string"
      ? [{ node, name: node.inputs.image }]
      : [],
  );
}

/** All texts of a workflow: its prompts are among them. */
function textsOf(nodes: readonly GraphNode[]): string {
  const names = ["text", "prompt", "value"];
  return nodes
    .flatMap(({ inputs }) => names.map((name) => inputs[name]))
    .filter((value) => typeof value === "string")
    .join(" ");
}

function results(input: Json): readonly NewFile[] {
  const nodes = nodesOf(input.graph) ?? [];
  const latent = nodes.find(
    ({ inputs }) => typeof inputs.width === "number" && typeof inputs.height === "number",
  );
  const [width, height] = [Number(latent?.inputs.width ?? 512), Number(latent?.inputs.height ?? 512)];
  return images(input, { width, height }, "png", latent?.inputs.batch_size);
}

/** Whatever the workflow draws: a picture of the size of its latent image. */
const WORKFLOW: Model = {
  schema: z.object({
    prompt: z.string(),
    graph: z.record(z.string(), z.unknown()),
    number: z.number(),
    client_id: z.string().optional(),
    outputs: z.array(z.string()),
    node_errors: z.record(z.string(), z.unknown()),
  }),
  results,
  units: () => 0,
};

/* Source: comfyanonymous/ComfyUI, server.py (node_info). */

function answerObjectInfo(): Answer {
  return json(
    200,
    Object.fromEntries(Object.entries(NODES).map(([name, kind]) => [name, infoOf(name, kind)])),
  );
}

function infoOf(name: string, { inputs, isOutput }: NodeKind): Json {
  const required = Object.fromEntries(
    Object.entries(inputs).map(([input, kind]) => [input, declarationOf(name, kind)]),
  );
  return {
    input: { required },
    input_order: { required: Object.keys(inputs) },
    name,
    display_name: name,
    output_node: isOutput === true,
  };
}

/** Its kind, and what bounds it. The kinds of links are not told apart here. */
function declarationOf(node: string, kind: InputKind): unknown[] {
  if (kind === "link") return ["*", {}];
  if (kind === "number") return ["FLOAT", {}];
  // Names of files in its folder of inputs, to which uploads are added.
  if (kind === "text")
    return node === "LoadImage" ? [["example.png"], { image_upload: true }] : ["STRING", {}];
  return "min" in kind ? ["INT", kind] : [kind, {}];
}

/* Source: comfyanonymous/ComfyUI, server.py (image_upload, view_image): another file of the same name gets a number. */

function answerUpload(state: UpstreamState, { json: fields, files }: Call): Answer {
  const file = files.find(({ name }) => name === "image");
  if (!file) return { status: 400 };
  const base64 = file.bytes.toString("base64");
  const subfolder = String(fields?.subfolder ?? "");
  const asked = subfolder === "" ? file.fileName : `${subfolder}/${file.fileName}`;
  const isOverwritten = fields?.overwrite === "true" || fields?.overwrite === "1";
  const fileName = isOverwritten ? asked : freeName(state, asked, base64);
  const id = state.uploadNamed("comfyui", fileName)?.id ?? state.newId();
  state.addUpload({ id, service: "comfyui", fileName, mime: file.mime, base64 });
  const name = fileName.slice(asked.length - file.fileName.length);
  return json(200, { name, subfolder, type: fields?.type ?? "input" });
}

function freeName(state: UpstreamState, fileName: string, base64: string): string {
  const [, stem = fileName, extension = ""] = /^(.*?)(\.[^.]*)?$/.exec(fileName) ?? [];
  for (let number = 0; ; number++) {
    const name = number === 0 ? fileName : `${stem} (${number})${extension}`;
    const known = state.uploadNamed("comfyui", name);
    if (!known || known.base64 === base64) return name;
  }
}

async function answerView(state: UpstreamState, { query }: Call): Promise<Answer> {
  const id = /^(\w+)\.png$/.exec(query.get("filename") ?? "")?.[1] ?? "";
  return (await fileAnswer(state, id, "comfyui")) ?? { status: 404 };
}

/*
 * Source: comfyanonymous/ComfyUI, server.py (post_prompt) and execution.py (validate_prompt). The client may choose the
 * id; the same id twice is two runs. An output that is wrong is left out while another one is right.
 */

const BODY_FIELDS: ReadonlySet<string> = new Set([
  "prompt",
  "prompt_id",
  "client_id",
  "extra_data",
  "number",
  "front",
  "partial_execution_targets",
]);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function invalid(type: string, message: string, nodeErrors: object = {}, details = ""): Answer {
  return json(400, { error: { type, message, details, extra_info: {} }, node_errors: nodeErrors });
}

function read(state: UpstreamState, { json: body }: Call): Submission | Answer {
  if (body?.prompt === undefined) return invalid("no_prompt", "No prompt provided");
  const { prompt_id: id = randomUUID() } = body;
  if (typeof id !== "string" || !UUID.test(id))
    return invalid("invalid_prompt_id", "prompt_id must be a valid UUID");
  const nodes = nodesOf(body.prompt);
  if (!nodes)
    return invalid("invalid_prompt", "Cannot execute because a node is missing the class_type property.");
  const stranger = nodes.find(({ classType }) => NODES[classType] === undefined);
  if (stranger)
    return invalid(
      "missing_node_type",
      `Node '${stranger.classType}' not found.`,
      {},
      `Node ID '#${stranger.id}'`,
    );
  const outputs = nodes.filter(isOutput).map((node) => judged(state, nodes, node));
  if (outputs.length === 0) return invalid("prompt_no_outputs", "Prompt has no outputs");
  const nodeErrors = nodeErrorsOf(outputs);
  const right = outputs.filter(({ wrong }) => wrong.length === 0);
  if (right.length === 0) return invalidNodes(outputs, nodeErrors);
  return {
    api: "prompt",
    endpoint: "workflow",
    input: {
      prompt: textsOf(nodes),
      graph: body.prompt,
      number: state.ledger.length,
      outputs: right.map(({ output }) => output.id),
      node_errors: nodeErrors,
      ...(typeof body.client_id === "string" && { client_id: body.client_id }),
    },
    body,
    model: WORKFLOW,
    judgement: { problems: [], unknown: Object.keys(body).filter((name) => !BODY_FIELDS.has(name)) },
    id,
    busyMs: busyMs(state),
  };
}

/** One prompt runs at a time. */
function busyMs(state: UpstreamState): number {
  const now = state.time.now();
  const ends = tasksOf(state)
    .filter((task) => ["queued", "running"].includes(phaseOf(task, now).kind))
    .map((task) => task.acceptedAt + task.queueMs + task.runMs - now);
  return Math.max(0, ...ends);
}

function imageErrors(state: UpstreamState, node: GraphNode): NodeError[] {
  return loadedImages([node])
    .filter(({ name }) => !state.uploadNamed("comfyui", name))
    .map(({ name }) => ({
      type: "custom_validation_failed",
      message: "Custom validation failed for node",
      details: `image - Invalid image file: ${name}`,
      extra_info: { input_name: "image" },
    }));
}

interface JudgedOutput {
  output: GraphNode;
  wrong: readonly { node: GraphNode; errors: readonly NodeError[] }[];
}

/** What it says of an output, and of all that it is made from. Other nodes are not looked at. */
function judged(state: UpstreamState, nodes: readonly GraphNode[], output: GraphNode): JudgedOutput {
  const wrong = sourcesOf(nodes, output).flatMap((node) => {
    const errors = [...errorsOf(nodes, node), ...imageErrors(state, node)];
    return errors.length > 0 ? [{ node, errors }] : [];
  });
  return { output, wrong };
}

function nodeErrorsOf(outputs: readonly JudgedOutput[]): Json {
  const wrong = outputs.flatMap((output) => output.wrong);
  const dependents = (id: string) =>
    outputs.filter((one) => one.wrong.some(({ node }) => node.id === id)).map(({ output }) => output.id);
  return Object.fromEntries(
    wrong.map(({ node, errors }) => [
      node.id,
      { errors, dependent_outputs: dependents(node.id), class_type: node.classType },
    ]),
  );
}

function invalidNodes(outputs: readonly JudgedOutput[], nodeErrors: Json): Answer {
  const details = outputs
    .flatMap(({ wrong }) => wrong.flatMap(({ errors }) => errors))
    .map((error) => `${error.message}: ${error.details}`)
    .join("\n");
  return invalid("prompt_outputs_failed_validation", "Prompt outputs failed validation", nodeErrors, details);
}

/** A ComfyUI of one's own: no key, no price, and everything in memory. */
export function comfyuiDialect(state: UpstreamState): Dialect {
  const busy = json(503, { error: "busy" });
  return {
    name: "comfyui",
    currency: "USD",
    routes: {
      "POST /prompt": {
        kind: "submit",
        read: (call) => read(state, call),
        accepted: (task) =>
          json(200, { prompt_id: task.id, number: task.input.number, node_errors: task.input.node_errors }),
        withoutId: json(200, { number: 1, node_errors: {} }),
      },
      "GET /history/([^/]+)": {
        kind: "task",
        unknown: () => json(200, {}),
        strange: (task) =>
          json(200, { [task.id]: { outputs: {}, status: { status_str: "paused", completed: false } } }),
        answer: (task, phase) => json(200, isOver(phase) ? { [task.id]: entryOf(task, phase) } : {}),
      },
      "GET /history": plain((call) => answerHistory(state, call)),
      "GET /object_info": plain(answerObjectInfo),
      "GET /queue": plain(() => answerQueue(state)),
      "POST /queue": plain((call) => changeQueue(state, call)),
      "POST /interrupt": plain((call) => interrupt(state, call)),
      "POST /upload/image": upload((call) => answerUpload(state, call)),
      "GET /view": plain((call) => answerView(state, call)),
      "GET /system_stats": plain(() => json(200, { system: { comfyui_version: "0.3.60" }, devices: [] })),
    },
    keyOf: () => "",
    refusals: { "rate-limited": busy, maintenance: busy },
    tooManyQueries: busy,
  };
}
