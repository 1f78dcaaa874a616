import { type Answer, type Call, json } from "../call.js";
import type { DialectRoute, Submission, TaskRoute } from "../dialect.js";
import { type FileSpec, mimeOf } from "../files/file-spec.js";
import { judge } from "../judge.js";
import type { UpstreamState } from "../state.js";
import type { Phase, Task } from "../task.js";
import { RELEASE_TASK } from "./model.js";

/*
 * Sources: docs/en/API.md of ace-step/ACE-Step-1.5, and acestep/api_server.py (f30aee4c): a task that it does not know
 * has status 0 and an empty list; `result` is a text; files are named by a path on the server itself.
 */

const FOLDER = "/tmp/api_audio";

export function failure(status: number, detail: string): Answer {
  return json(status, { detail });
}

export function wrapped(data: unknown): Answer {
  return json(200, { data, code: 200, error: null, timestamp: 0, extra: null });
}

export function releaseRoute(): DialectRoute {
  return {
    kind: "submit",
    read,
    accepted: ({ id }) => wrapped({ task_id: id, status: "queued", queue_position: 1 }),
    withoutId: wrapped({ status: "queued" }),
  };
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
    judgement: judge(RELEASE_TASK.schema, body, RELEASE_TASK.rules),
  };
}

export function queryRoute(): DialectRoute {
  return {
    kind: "named-task",
    read({ json: body }): TaskRoute {
      const [id = ""] = idsOf(body?.task_id_list);
      return {
        kind: "task",
        id,
        unknown: wrapped([{ task_id: id, result: "[]", status: 0 }]),
        strange: (task) => told(task, 7, [{ file: "", status: 7 }]),
        answer: (task, phase) => answerOf(task, phase),
      };
    },
  };
}

/** A list, or one as a text. */
function idsOf(given: unknown): string[] {
  const list: unknown = typeof given === "string" ? JSON.parse(given) : given;
  return Array.isArray(list) ? list.map(String) : [];
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

export function audioRoute(state: UpstreamState): DialectRoute {
  return {
    kind: "plain",
    async answer({ query }) {
      const id = new RegExp(`^${FOLDER}/(\\w+)\\.mp3$`).exec(query.get("path") ?? "")?.[1];
      if (id === undefined) return failure(403, "Access denied: path outside allowed directory");
      const file = state.fileOwners.get(id)?.files.find((one) => one.id === id);
      if (!file) return failure(404, "Audio file not found");
      return {
        status: 200,
        headers: { "content-type": mimeOf(file) },
        bytes: await state.files.make(file, "ace-step"),
      };
    },
  };
}
