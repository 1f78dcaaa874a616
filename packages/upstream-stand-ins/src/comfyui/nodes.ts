import type { Json } from "../json.js";

/*
 * Required inputs, as ComfyUI's own nodes declare them. Sources: comfyanonymous/ComfyUI nodes.py, comfy_extras/
 * nodes_flux.py, nodes_custom_sampler.py, nodes_sd3.py, nodes_model_advanced.py, nodes_post_processing.py,
 * nodes_images.py, nodes_edit_model.py.
 */

export interface GraphNode {
  id: string;
  classType: string;
  inputs: Json;
}

export interface NodeKind {
  /** A link, a text, bounds and step of a whole number, or the values of a list. */
  inputs: Readonly<Record<string, InputKind>>;
  isOutput?: true;
}
export type InputKind = "link" | "text" | "number" | WholeNumber | readonly string[];
interface WholeNumber {
  min: number;
  max: number;
  step: number;
}

export interface NodeError {
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

export const NODES: Readonly<Record<string, NodeKind>> = {
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
export function errorsOf(nodes: readonly GraphNode[], { classType, inputs }: GraphNode): NodeError[] {
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
export function linkOf(value: unknown): string | undefined {
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
