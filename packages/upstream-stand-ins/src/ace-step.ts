import { z } from "zod";
import { type Answer, type Call, choice, flag, json, textOf, whole } from "./call.js";
import { type Dialect, plain, type Submission } from "./dialect.js";
import { fileAnswer } from "./download.js";
import type { FileSpec } from "./files.js";
import { judge } from "./judge.js";
import { aboutOf, type Model, type NewFile } from "./model.js";
import type { UpstreamState } from "./state.js";
import type { Phase, Task } from "./task.js";

/*
 * Source: https://github.com/ace-step/ACE-Step-1.5/blob/f30aee4c/docs/en/API.md, section 4.2. What is left out has the
 * default that stands there: two tracks, and a length that the language model chooses.
 */

const TRACKS = 2;
const TRACK_SEC = 12;
const words = z.string().optional();
const number = z.number().optional();

const RELEASE_TASK: Model = {
  schema: z.object({
    prompt: words,
    lyrics: words,
    thinking: flag,
    vocal_language: words,
    audio_format: choice("mp3", "wav", "flac", "opus", "aac", "wav32"),
    sample_mode: flag,
    sample_query: words,
    use_format: flag,
    model: words,
    bpm: whole(30, 300),
    key_scale: words,
    time_signature: choice("", "2", "3", "4", "6"),
    audio_duration: z.number().min(10).max(600).optional(),
    inference_steps: whole(1, 200),
    guidance_scale: number,
    use_random_seed: flag,
    seed: z.int().min(-1).optional(),
    batch_size: whole(1, 8),
    use_cot_caption: flag,
    use_cot_language: flag,
    task_type: choice("text2music", "cover", "repaint", "lego", "extract", "complete"),
    ai_token: words,
  }),
  rules: [
    ({ use_random_seed: isRandom, seed }) =>
      seed !== undefined && seed !== -1 && isRandom !== false
        ? { field: "seed", kind: "rule", expected: "use_random_seed false with a seed" }
        : undefined,
    ({ prompt, lyrics, sample_query: query, sample_mode: isSample }) =>
      [prompt, lyrics, query].every((text) => !text) && isSample !== true
        ? { field: "prompt", kind: "rule", expected: "a text" }
        : undefined,
  ],
  results: (input) => {
    const { batch_size: count = TRACKS, audio_duration: durationSec = TRACK_SEC } = input;
    return Array.from(
      { length: Number(count) },
      (_, index): NewFile => ({
        kind: "audio",
        format: "mp3",
        durationSec: Number(durationSec),
        about: index === 0 ? textsOf(input) : `${textsOf(input)} #${index + 1}`,
        title: "",
      }),
    );
  },
  units: () => 0,
};

function textsOf({ sample_query: query, ...input }: Record<string, unknown>): string {
  return typeof query === "string" && query !== "" ? query : aboutOf(input);
}

/*
 * Sources: docs/en/API.md of ace-step/ACE-Step-1.5, and acestep/api_server.py (f30aee4c): a task that it does not know
 * has status 0 and an empty list; `result` is a text; files are named by a path on the server itself.
 */

const FOLDER = "/tmp/api_audio";

function failure(status: number, detail: string): Answer {
  return json(status, { detail });
}

function wrapped(data: unknown): Answer {
  return json(200, { data, code: 200, error: null, timestamp: 0, extra: null });
}

function read({ json: body }: Call): Submission | Answer {
  if (!body) return failure(400, "JSON payload must be an object");
  const texts = [body.prompt, body.lyrics, body.sample_query];
  return {
    api: "release_task",
    endpoint: typeof body.model === "string" ? body.model : "default",
    // Where orders of faults stand.
    input: { ...body, prompt: texts.filter((text) => typeof text === "string").join(" ") },
    body,
    model: RELEASE_TASK,
    judgement: judge(RELEASE_TASK, body),
  };
}

/** The first of a list, or of one as a text. */
function idOf({ json: body }: Call): string {
  const given = body?.task_id_list;
  const list: unknown = typeof given === "string" ? JSON.parse(given) : given;
  return Array.isArray(list) ? String(list[0] ?? "") : "";
}

function answerOf(task: Task, phase: Phase): Answer {
  if (phase.kind !== "ended") {
    const stage = phase.kind === "queued" ? "queued" : "running";
    return told(task, 0, [{ file: "", wave: "", status: 0, metas: {}, progress: 0, stage, error: null }]);
  }
  if (task.outcome.kind !== "made") {
    const error = "Music generation failed: CUDA out of memory";
    return told(task, 2, [{ file: "", wave: "", status: 2, metas: {}, stage: "failed", error }]);
  }
  const files = task.files.length > 0 ? task.files.map(pathOf) : [""];
  const made = files.map((file) => ({
    file,
    wave: "",
    status: 1,
    prompt: task.input.prompt,
    metas: { bpm: 120, duration: 12 },
    seed_value: "1,2",
    dit_model: task.endpoint,
  }));
  return told(task, 1, made);
}

function told({ id }: Task, status: number, result: readonly object[]): Answer {
  return wrapped([{ task_id: id, result: JSON.stringify(result), status, progress_text: "" }]);
}

function pathOf({ id }: FileSpec): string {
  return `/v1/audio?path=${encodeURIComponent(`${FOLDER}/${id}.mp3`)}`;
}

async function answerAudio(state: UpstreamState, { query }: Call): Promise<Answer> {
  const id = new RegExp(`^${FOLDER}/(\\w+)\\.mp3$`).exec(query.get("path") ?? "")?.[1];
  if (id === undefined) return failure(403, "Access denied: path outside allowed directory");
  return (await fileAnswer(state, id, "ace-step")) ?? failure(404, "Audio file not found");
}

/** An ACE-Step 1.5 of one's own: no price, a key where it was started with one, and tasks in memory. */
export function aceStepDialect(state: UpstreamState): Dialect {
  const full = failure(429, "Server busy: queue is full");
  return {
    name: "ace_step",
    currency: "USD",
    routes: {
      "POST /release_task": {
        kind: "submit",
        read,
        accepted: ({ id }) => wrapped({ task_id: id, status: "queued", queue_position: 1 }),
        withoutId: wrapped({ status: "queued" }),
      },
      "POST /query_result": {
        kind: "task",
        idOf,
        unknown: (call) => wrapped([{ task_id: idOf(call), result: "[]", status: 0 }]),
        strange: (task) => told(task, 7, [{ file: "", status: 7 }]),
        answer: answerOf,
      },
      "GET /v1/audio": plain((call) => answerAudio(state, call)),
      "GET /v1/stats": plain(() => wrapped({ jobs: { total: state.ledger.length }, queue_size: 0 })),
    },
    keyOf: ({ headers, json: body }) =>
      textOf(body?.ai_token) ?? headers.authorization?.replace(/^Bearer /, "") ?? "",
    refusals: {
      "rate-limited": full,
      maintenance: failure(503, "Service Unavailable"),
      "wrong-key": failure(401, "Invalid API key"),
    },
    tooManyQueries: full,
  };
}
