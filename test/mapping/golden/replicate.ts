import { casesOf, image, LINKS, music, video } from "./case.js";

const [first, last] = LINKS;

export const REPLICATE = casesOf({ service: "replicate" }, [
  {
    name: "nano-banana-2 of words",
    body: image("nano-banana-2"),
    endpoint: "google/nano-banana-2.1",
    input: { prompt: "a fox", aspect_ratio: "1:1", resolution: "1K", output_format: "png" },
  },
  {
    name: "nano-banana-pro with photos, at their ratio, in 4K",
    body: image("nano-banana-pro", { aspect_ratio: "auto", resolution: "4K", reference_urls: LINKS }),
    endpoint: "google/nano-banana-pro",
    input: {
      prompt: "a fox",
      image_input: [...LINKS],
      aspect_ratio: "match_input_image",
      resolution: "4K",
      output_format: "png",
    },
  },
  {
    name: "gpt-image-2-5 in quality mode, in a size by its name",
    body: image("gpt-image-2-5", { generation_mode: "quality", aspect_ratio: "16:9", resolution: "4K" }),
    endpoint: "openai/gpt-image-2.5-sunburst",
    input: {
      prompt: "a fox",
      aspect_ratio: "3840x2160",
      quality: "high",
      number_of_images: 1,
      output_format: "webp",
      output_compression: 100,
    },
  },
  {
    name: "seedream-5 with a photo, of which it makes one picture",
    body: image("seedream-5", { aspect_ratio: "21:9", reference_urls: [first] }),
    endpoint: "bytedance/seedream-5-lite",
    input: {
      prompt: "a fox",
      image_input: [first],
      size: "2K",
      aspect_ratio: "21:9",
      sequential_image_generation: "disabled",
      max_images: 1,
      output_format: "png",
    },
  },
  {
    name: "flux-2-pro in four megapixels",
    body: image("flux-2-pro", { aspect_ratio: "4:3", resolution: "2K" }),
    endpoint: "black-forest-labs/flux-2-pro",
    input: { prompt: "a fox", aspect_ratio: "4:3", resolution: "4 MP", output_format: "png", seed: 7 },
  },
  {
    name: "z-image-turbo by its sides",
    body: image("z-image-turbo", { aspect_ratio: "16:9" }),
    endpoint: "prunaai/z-image-turbo",
    input: { prompt: "a fox", width: 1280, height: 720, output_format: "png", seed: 7 },
  },
  {
    name: "veo-3-1 in fast mode between two frames, without sound",
    body: video("veo-3-1", {
      start_frame_url: first,
      end_frame_url: last,
      video_speed_mode: "fast",
      duration_sec: 6,
    }),
    endpoint: "google/veo-3.1-fast",
    input: {
      prompt: "a fox",
      image: first,
      last_frame: last,
      aspect_ratio: "16:9",
      resolution: "720p",
      duration: 6,
      generate_audio: false,
      seed: 7,
    },
  },
  {
    name: "veo-3-1 of references, in the one form that it has for them",
    body: video("veo-3-1", {
      video_input_mode: "references",
      reference_urls: LINKS,
      duration_sec: 8,
      sound: true,
    }),
    endpoint: "google/veo-3.1",
    input: {
      prompt: "a fox",
      reference_images: [...LINKS],
      aspect_ratio: "16:9",
      resolution: "720p",
      duration: 8,
      generate_audio: true,
      seed: 7,
    },
  },
  {
    name: "kling-4, as version 3 with a start frame",
    body: video("kling-4", { start_frame_url: first, resolution: "1080p", duration_sec: 10 }),
    endpoint: "kwaivgi/kling-v3-video",
    input: { prompt: "a fox", start_image: first, mode: "pro", duration: 10, generate_audio: false },
  },
  {
    name: "elevenlabs, of its longest length there",
    body: music("elevenlabs", { description: "a calm song", duration_sec: 300 }),
    endpoint: "elevenlabs/music",
    input: {
      prompt: "a calm song",
      music_length_ms: 300_000,
      force_instrumental: false,
      output_format: "mp3_high_quality",
    },
  },
  {
    name: "minimax with words of one's own",
    body: music("minimax", {
      mode: "lyrics",
      lyrics: "snow on the roof and snow",
      custom_style: "folk",
    }),
    endpoint: "minimax/music-2.6",
    input: {
      prompt: "Style: folk",
      lyrics: "snow on the roof and snow",
      is_instrumental: false,
      audio_format: "mp3",
      sample_rate: 44_100,
      bitrate: 256_000,
    },
  },
]);
