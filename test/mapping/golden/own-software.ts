import type { Json } from "../../../src/catalogue/json.js";
import { type GoldenCase, image, LINKS, music } from "./case.js";

const LYRICS = "[verse]\nFirst snow on the roof\nFirst snow on the river";

const node = (class_type: string, inputs: { readonly [name: string]: Json }) => ({ class_type, inputs });

const klein = (
  size: { width: Json; height: Json },
  conditioning: readonly [string, string],
  first: number,
) => {
  const id = (offset: number) => `${first + offset}`;
  const [positive, negative] = conditioning;
  return {
    "1": node("UNETLoader", { unet_name: "flux-2-klein-4b.safetensors", weight_dtype: "default" }),
    "2": node("CLIPLoader", { clip_name: "qwen_3_4b.safetensors", type: "flux2", device: "default" }),
    "3": node("VAELoader", { vae_name: "flux2-vae.safetensors" }),
    "4": node("CLIPTextEncode", { text: "a fox", clip: ["2", 0] }),
    "5": node("ConditioningZeroOut", { conditioning: ["4", 0] }),
    [id(0)]: node("EmptyFlux2LatentImage", { ...size, batch_size: 1 }),
    [id(1)]: node("Flux2Scheduler", { steps: 4, ...size }),
    [id(2)]: node("KSamplerSelect", { sampler_name: "euler" }),
    [id(3)]: node("RandomNoise", { noise_seed: 7 }),
    [id(4)]: node("CFGGuider", { cfg: 1, model: ["1", 0], positive: [positive, 0], negative: [negative, 0] }),
    [id(5)]: node("SamplerCustomAdvanced", {
      noise: [id(3), 0],
      guider: [id(4), 0],
      sampler: [id(2), 0],
      sigmas: [id(1), 0],
      latent_image: [id(0), 0],
    }),
    [id(6)]: node("VAEDecode", { samples: [id(5), 0], vae: ["3", 0] }),
    [id(7)]: node("SaveImage", { filename_prefix: "atelier", images: [id(6), 0] }),
  };
};

const reference = (link: string) => ({
  "6": node("LoadImage", { image: link }),
  "7": node("ImageScaleToTotalPixels", {
    upscale_method: "nearest-exact",
    megapixels: 1,
    resolution_steps: 1,
    image: ["6", 0],
  }),
  "8": node("GetImageSize", { image: ["7", 0] }),
  "9": node("VAEEncode", { pixels: ["7", 0], vae: ["3", 0] }),
  "10": node("ReferenceLatent", { conditioning: ["4", 0], latent: ["9", 0] }),
  "11": node("ReferenceLatent", { conditioning: ["5", 0], latent: ["9", 0] }),
});

const song = (more: GoldenCase["body"]) => music("music:ace-step", more);
const SONG = { thinking: true, audio_format: "mp3", use_random_seed: false, seed: 7, batch_size: 2 };

export const OWN_SOFTWARE: readonly GoldenCase[] = [
  {
    name: "z-image-turbo: prompt, size and seed in the nodes of the published template",
    service: "comfyui",
    body: image("z-image-turbo", { aspect_ratio: "16:9" }),
    api: "workflow",
    endpoint: "z-image-turbo.json",
    input: {
      "1": node("UNETLoader", { unet_name: "z_image_turbo_bf16.safetensors", weight_dtype: "default" }),
      "2": node("CLIPLoader", { clip_name: "qwen_3_4b.safetensors", type: "lumina2", device: "default" }),
      "3": node("VAELoader", { vae_name: "ae.safetensors" }),
      "4": node("CLIPTextEncode", { text: "a fox", clip: ["2", 0] }),
      "5": node("ConditioningZeroOut", { conditioning: ["4", 0] }),
      "6": node("EmptySD3LatentImage", { width: 1360, height: 768, batch_size: 1 }),
      "7": node("ModelSamplingAuraFlow", { shift: 3, model: ["1", 0] }),
      "8": node("KSampler", {
        seed: 7,
        steps: 8,
        cfg: 1,
        sampler_name: "res_multistep",
        scheduler: "simple",
        denoise: 1,
        model: ["7", 0],
        positive: ["4", 0],
        negative: ["5", 0],
        latent_image: ["6", 0],
      }),
      "9": node("VAEDecode", { samples: ["8", 0], vae: ["3", 0] }),
      "10": node("SaveImage", { filename_prefix: "atelier", images: ["9", 0] }),
    },
  },
  {
    name: "FLUX.2 [klein] of words",
    service: "comfyui",
    body: image("flux-2-pro", { resolution: "2K" }),
    api: "workflow",
    endpoint: "flux-2-klein.json",
    input: klein({ width: 2048, height: 2048 }, ["4", "5"], 6),
  },
  {
    name: "FLUX.2 [klein] of a picture, in its own size",
    service: "comfyui",
    body: image("flux-2-pro", { aspect_ratio: "auto", reference_urls: [LINKS[0]] }),
    api: "workflow",
    endpoint: "flux-2-klein-edit.json",
    input: { ...klein({ width: ["8", 0], height: ["8", 1] }, ["10", "11"], 12), ...reference(LINKS[0]) },
  },
  {
    name: "FLUX.2 [klein] of a picture, in another shape",
    service: "comfyui",
    body: image("flux-2-pro", { aspect_ratio: "4:3", reference_urls: [LINKS[0]] }),
    api: "workflow",
    endpoint: "flux-2-klein-edit.json",
    input: { ...klein({ width: 1184, height: 896 }, ["10", "11"], 12), ...reference(LINKS[0]) },
  },
  {
    name: "ace-step of an idea, whose words its language model writes",
    service: "ace_step",
    body: song({ description: "A soft song of the first snow", custom_style: "folk" }),
    endpoint: "acestep-v15-turbo",
    input: { sample_query: "A soft song of the first snow. folk", vocal_language: "unknown", ...SONG },
  },
  {
    name: "ace-step of lyrics, in the language that they are in",
    service: "ace_step",
    body: song({ mode: "lyrics", lyrics: LYRICS, style_preset_id: "hip_hop", title: "Snow" }),
    endpoint: "acestep-v15-turbo",
    input: { prompt: "hip hop", lyrics: LYRICS, vocal_language: "unknown", ...SONG },
  },
  {
    name: "ace-step of an idea without words",
    service: "ace_step",
    body: song({ description: "A soft tune of the first snow", make_instrumental: true }),
    endpoint: "acestep-v15-turbo",
    input: { prompt: "A soft tune of the first snow", lyrics: "[Instrumental]", ...SONG },
  },
];
