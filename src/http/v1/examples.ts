/** What the reference shows of bodies and answers. */
export const REQUEST_EXAMPLES = {
  image: {
    type: "image",
    model_key: "gpt-image-2-5",
    prompt: "A lighthouse on a cliff at dawn, in watercolour",
    aspect_ratio: "16:9",
    generation_mode: "quality",
    resolution: "2K",
    count: 2,
  },
  video: {
    type: "video",
    model_key: "veo-3-1",
    prompt: "Waves roll in under the lighthouse",
    resolution: "720p",
    duration_sec: 8,
    sound: true,
    start_frame_url: "https://pictures.example.com/lighthouse.png",
  },
  music: {
    type: "music",
    model_key: "music:suno-v5",
    description: "A slow song about the sea, with an accordion",
    style_preset_id: "folk",
  },
};

export const ACCEPTED_EXAMPLES = {
  image: {
    ok: true,
    job_id: 1201,
    job_ids: [1201, 1202],
    status: "queued",
    cost_rub: 44,
    unit_cost_rub: 22,
  },
  video: { ok: true, job_id: 1203, status: "queued", cost_rub: 132 },
  music: { ok: true, job_id: "music_1204", status: "queued", cost_rub: 25 },
};

const FILES = "https://studio.example.com/files";
const SIGNED = "expires=1790000000&serial=77&signature=…";

const visualJob = {
  job_id: 1201,
  type: "image",
  status: "queued",
  model: "gpt-image-2-5",
  model_title: "GPT Image 2.5",
  aspect_ratio: "16:9",
  duration_sec: null,
  cost_rub: 22,
  result: null,
  error: null,
  created_at: "2026-09-21T12:00:00.000Z",
};

const song = {
  url: `${FILES}/1f0c.mp3?${SIGNED}`,
  mime: "audio/mpeg",
  tracks: [
    {
      index: 1,
      title: "The sea",
      duration: 31.5,
      url: `${FILES}/1f0c.mp3?${SIGNED}`,
      mime: "audio/mpeg",
      image_url: `${FILES}/9ab2.webp?${SIGNED}`,
    },
  ],
};

export const JOB_EXAMPLES = {
  queued: { ok: true, job: visualJob },
  done: {
    ok: true,
    job: {
      ...visualJob,
      status: "done",
      result: { url: `${FILES}/77d0.webp?${SIGNED}`, mime: "image/webp" },
    },
  },
  failed: {
    ok: true,
    job: { ...visualJob, status: "error", error: "The generation took too long and was stopped." },
  },
  music: {
    ok: true,
    job: {
      job_id: "music_1204",
      type: "music",
      status: "done",
      model: "suno-v5",
      model_title: "Suno v5",
      cost_rub: 25,
      result: song,
      error: null,
      created_at: "2026-09-21T12:00:00.000Z",
    },
  },
};
