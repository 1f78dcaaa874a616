import { drawnTitle } from "../../contract/job.js";
import {
  GENERATION_TYPES,
  type GenerationType,
  type Model,
  type ParameterValue,
} from "../../contract/model.js";
import { priceKopecks } from "../../contract/price.js";

/** Preferred models; otherwise the first one of the type. */
const SHOWN: Readonly<Record<GenerationType, string>> = {
  image: "gpt-image-2-5",
  video: "veo-3-1",
  music: "music:suno-v5",
};

const WISHES: Readonly<Record<GenerationType, Readonly<Record<string, ParameterValue>>>> = {
  image: {
    prompt: "A lighthouse on a cliff at dawn, in watercolour",
    aspect_ratio: "16:9",
    generation_mode: "quality",
    resolution: "2K",
    count: 2,
  },
  video: {
    prompt: "Waves roll in under the lighthouse",
    resolution: "720p",
    duration_sec: 8,
    sound: true,
    start_frame_url: "https://pictures.example.com/lighthouse.png",
  },
  music: { description: "A slow song about the sea, with an accordion", style_preset_id: "folk" },
};

const IDS = { image: 1201, video: 1203, music: "music_1204" } as const;
const CREATED_AT = "2026-09-21T12:00:00.000Z";
const FILES = "https://studio.example.com/files";
const SIGNED = "expires=1790000000&serial=77&signature=…";

type Examples = Readonly<Record<string, unknown>>;

export function requestExamples(models: readonly Model[]): Examples {
  return ofEachType(models, (model) => ({
    type: model.type,
    model_key: model.model_key,
    ...settingsFor(model),
  }));
}

export function acceptedExamples(models: readonly Model[]): Examples {
  return ofEachType(models, (model) => {
    const unit = priceOf(model);
    const job = { ok: true, job_id: IDS[model.type] };
    if (model.type !== "image") return { ...job, status: "queued", cost_rub: unit };
    const ids = Array.from({ length: Number(settingsFor(model).count ?? 1) }, (_, n) => IDS.image + n);
    return { ...job, job_ids: ids, status: "queued", cost_rub: unit * ids.length, unit_cost_rub: unit };
  });
}

export function jobExamples(models: readonly Model[]): Examples {
  const image = shownModel(models, "image");
  const music = shownModel(models, "music");
  return { ...(image && visualExamples(image)), ...(music && { music: musicExample(music) }) };
}

function visualExamples(model: Model): Examples {
  const { aspect_ratio = null } = settingsFor(model);
  const job = { ...jobOf(model), aspect_ratio, duration_sec: null, cost_rub: priceOf(model) };
  const rest = { result: null, error: null, created_at: CREATED_AT };
  const result = { url: `${FILES}/77d0.webp?${SIGNED}`, mime: "image/webp" };
  return {
    queued: { ok: true, job: { ...job, ...rest } },
    done: { ok: true, job: { ...job, ...rest, status: "done", result } },
    failed: {
      ok: true,
      job: { ...job, ...rest, status: "error", error: "The generation took too long.", refunded: true },
    },
  };
}

function musicExample(model: Model): unknown {
  const title = drawnTitle(String(WISHES.music.description)) ?? model.title;
  const tracks = [track(1, title, 31.5), track(2, title, 34)];
  return {
    ok: true,
    job: {
      ...jobOf(model),
      status: "done",
      cost_rub: priceOf(model),
      result: { url: tracks[0]?.url ?? null, mime: "audio/mpeg", tracks },
      error: null,
      created_at: CREATED_AT,
    },
  };
}

function track(index: number, title: string, duration: number) {
  return {
    index,
    title,
    duration,
    url: `${FILES}/1f0${index}.mp3?${SIGNED}`,
    mime: "audio/mpeg",
    image_url: `${FILES}/9ab${index}.webp?${SIGNED}`,
  };
}

function jobOf({ type, model_key, title }: Model) {
  const model = model_key.replace(/^music:/, "");
  return { job_id: IDS[type], type, status: "queued", model, model_title: title };
}

function ofEachType(models: readonly Model[], exampleOf: (model: Model) => unknown): Examples {
  return Object.fromEntries(
    GENERATION_TYPES.flatMap((type) => {
      const model = shownModel(models, type);
      return model ? [[type, exampleOf(model)]] : [];
    }),
  );
}

function shownModel(models: readonly Model[], type: GenerationType): Model | undefined {
  const ofType = models.filter((model) => model.type === type);
  return ofType.find(({ model_key }) => model_key === SHOWN[type]) ?? ofType[0];
}

function settingsFor({ type, parameters }: Model): Readonly<Record<string, ParameterValue>> {
  return Object.fromEntries(
    Object.entries(WISHES[type]).filter(([name, value]) => {
      const parameter = parameters[name];
      return parameter && (parameter.values?.some((known) => known === value) ?? true);
    }),
  );
}

/** Returns the price per job in rubles. */
function priceOf(model: Model): number {
  return (priceKopecks(model, settingsFor(model)) ?? 0) / 100;
}
