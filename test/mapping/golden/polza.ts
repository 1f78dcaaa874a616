import { casesOf, image, LINKS, music, video } from "./case.js";

const [first, last] = LINKS;

export const POLZA = casesOf({ service: "polza" }, [
  {
    name: "nano-banana-2 with a photo",
    body: image("nano-banana-2", { resolution: "2K", reference_urls: [first] }),
    endpoint: "google/gemini-nano-banana-2.1",
    input: {
      prompt: "a fox",
      aspect_ratio: "1:1",
      image_resolution: "2K",
      output_format: "png",
      images: [{ type: "url", data: first }],
    },
  },
  {
    name: "gpt-image-2-5 in fast mode, whose shape and resolution have to be told",
    body: image("gpt-image-2-5", { aspect_ratio: "27:16" }),
    endpoint: "openai/gpt-image-2.5-flare",
    input: { prompt: "a fox", aspect_ratio: "27:16", image_resolution: "1K" },
  },
  {
    name: "seedream-5 of words, whose quality is its resolution",
    body: image("seedream-5", { aspect_ratio: "21:9", resolution: "2K" }),
    endpoint: "seedream/5-pro-text-to-image",
    input: { prompt: "a fox", aspect_ratio: "21:9", quality: "high" },
  },
  {
    name: "seedream-5 with a photo, by its Lite version",
    body: image("seedream-5", { reference_urls: [first] }),
    endpoint: "bytedance/seedream-5-lite",
    input: {
      prompt: "a fox",
      aspect_ratio: "1:1",
      quality: "basic",
      images: [{ type: "url", data: first }],
    },
  },
  {
    name: "veo-3-1 in fast mode",
    body: video("veo-3-1", {
      sound: true,
      video_speed_mode: "fast",
      duration_sec: 8,
      start_frame_url: first,
    }),
    endpoint: "google/veo3_fast",
    input: {
      prompt: "a fox",
      aspect_ratio: "16:9",
      generationType: "FIRST_AND_LAST_FRAMES_2_VIDEO",
      enableTranslation: "true",
      images: [{ type: "url", data: first }],
    },
  },
  {
    name: "gemini-omni from references",
    body: video("gemini-omni", { video_input_mode: "references", reference_urls: [first, last] }),
    endpoint: "gemini-omni-video",
    input: {
      prompt: "a fox",
      images: [
        { type: "url", data: first },
        { type: "url", data: last },
      ],
      duration: 4,
      aspect_ratio: "16:9",
      resolution: "720p",
    },
  },
  {
    name: "suno-v5 of an idea",
    body: music("suno-v5", { description: "A song about the first snow", custom_style: "jazz" }),
    endpoint: "suno/generate",
    input: { prompt: "A song about the first snow. jazz" },
  },
]);
