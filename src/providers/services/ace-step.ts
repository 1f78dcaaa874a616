import { z } from "zod";
import type { Json } from "../../catalogue/json.js";
import { isUnwieldy, parseJson } from "../../platform/json.js";
import { lenient, listOf, type PollOutcome, taskIdField, type UpstreamAdapter } from "../adapter.js";
import {
  judgeFailedTask,
  judgeOwnPollStatus,
  judgeProbeStatus,
  judgeSubmit,
  readGood,
} from "../judge-status.js";

/** Stands for the operator's root: the software has no address of its own. */
const HOST = "ace-step.invalid";
const ROOT = `https://${HOST}`;

const acceptance = z.looseObject({ data: z.looseObject({ task_id: taskIdField }) });
const task = z.looseObject({ task_id: z.string(), status: z.number(), result: z.string().catch("") });
const answers = z.looseObject({ data: listOf(task) });
const track = z.looseObject({
  file: lenient(z.string()),
  error: lenient(z.string()),
});
const tracks = listOf(track);

/**
 * Adapts an ACE-Step 1.5 of the operator. It chooses the id of a task and has no list of tasks, so a POST without an
 * answer stays in doubt. Sources: github.com/ace-step/ACE-Step-1.5, docs/en/API.md and acestep/api_server.py
 */
export const aceStep: UpstreamAdapter = {
  name: "ace_step",
  apiHosts: [HOST],
  fileHosts: [],
  filesNeedKey: true,
  headers: (key): Readonly<Record<string, string>> => (key === "" ? {} : { authorization: `Bearer ${key}` }),

  submit: ({ endpoint, input }) => ({
    method: "POST",
    url: `${ROOT}/release_task`,
    json: { model: endpoint, ...input },
  }),
  readSubmit(answer) {
    const accepted = readGood(answer, acceptance);
    return accepted
      ? { kind: "accepted", reference: { task_id: accepted.data.task_id } }
      : judgeSubmit(answer);
  },

  poll: ({ task_id: id }) => ({
    method: "POST",
    url: `${ROOT}/query_result`,
    json: { task_id_list: [String(id)] },
  }),
  readPoll(answer, { task_id: id }) {
    const found = readGood(answer, answers)?.data.find(({ task_id }) => task_id === id);
    return found ? judgeTask(found) : judgeOwnPollStatus(answer);
  },

  probe: { call: { method: "GET", url: `${ROOT}/v1/stats` }, read: judgeProbeStatus },
};

/** Judges a task. Waiting, running and unknown tasks look alike: the deadline ends one that a restart lost. */
function judgeTask({ status, result }: z.infer<typeof task>): PollOutcome {
  const made = readTracks(result);
  switch (status) {
    case 0:
      if (made?.length === 0)
        return { kind: "failed", detail: "lost: the server does not know the task, as after a restart" };
      return { kind: "pending", phase: "running" };
    case 1:
      return { kind: "ready", document: { result: filesOf(made ?? []) } };
    case 2:
      return judgeFailedTask({ codes: [], words: made?.[0]?.error ?? "status 2" });
    default:
      return { kind: "glitch", detail: `status ${status}` };
  }
}

/** Returns undefined where none of its elements can be read: an empty list has a meaning of its own. */
function readTracks(result: string): z.infer<typeof tracks> | undefined {
  const given = isUnwieldy(result) ? undefined : parseJson(result);
  const read = tracks.safeParse(given).data;
  return read?.length === 0 && Array.isArray(given) && given.length > 0 ? undefined : read;
}

/** Returns paths on the server itself: `/v1/audio?path=…`. */
function filesOf(made: z.infer<typeof tracks>): Json {
  return made.flatMap(({ file }) => (file ? [{ file }] : []));
}
