import { z } from "zod";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import type { PollOutcome, SubmitOutcome, UpstreamAdapter, UpstreamReference } from "./adapter.js";
import { taskIdField } from "./bounds.js";
import { comfyHistoryCall, comfyLookUpCall, readComfyLookUp } from "./comfyui/look-up.js";
import { withOtherSeeds } from "./comfyui/other-seeds.js";
import { placeInQueue, readQueue } from "./comfyui/queue.js";
import { nodeErrorWords, refusalWords } from "./comfyui/refusal.js";
import { judgeEntry, readEntry } from "./comfyui/result.js";
import {
  detailOf,
  isSuccess,
  judgePollStatus,
  judgeProbeStatus,
  judgeSubmit,
  readJson,
  refused,
} from "./judge-status.js";

/** Stands for the operator's root: the software has no address of its own. */
const HOST = "comfyui.invalid";
const ROOT = `https://${HOST}`;
/** Folder of uploads, below ComfyUI's folder of inputs, which keeps them until somebody empties it. */
const FOLDER = "atelier";

const WARNINGS_LENGTH_MAX = 1000;

const acceptance = z.looseObject({ prompt_id: taskIdField });
const stored = z.looseObject({ name: z.string().min(1), subfolder: z.string().catch("") });

/**
 * Adapts a ComfyUI of the operator, which runs one prompt after the other. Queue and history are in its memory; we
 * choose the ids of prompts. Source: github.com/Comfy-Org/ComfyUI, server.py and execution.py (PromptQueue)
 */
export const comfyui: UpstreamAdapter = {
  name: "comfyui",
  apiHosts: [HOST],
  fileHosts: [],
  readsLinks: false,
  headers: () => ({}),

  submit: ({ input }, { id }) => ({
    method: "POST",
    url: `${ROOT}/prompt`,
    json: { prompt: input, prompt_id: id, client_id: id },
  }),
  readSubmit(answer) {
    const accepted = isSuccess(answer) ? acceptance.safeParse(readJson(answer)).data : undefined;
    if (!accepted) return judgeRefusal(answer);
    const warnings = nodeErrorWords(readJson(answer))?.slice(0, WARNINGS_LENGTH_MAX);
    return {
      kind: "accepted",
      reference: { prompt_id: accepted.prompt_id, ...(warnings !== undefined && { warnings }) },
    };
  },
  remake(operation) {
    const input = withOtherSeeds(operation.input);
    return input && { ...operation, input };
  },

  // A prompt moves from the queue into the history: one in neither is lost only if they are read in this order.
  poll: () => ({ method: "GET", url: `${ROOT}/queue` }),
  readPoll: (answer, reference) =>
    reference.step === "history" ? readHistory(answer, reference) : readPlace(answer, reference),

  // The first takes back one that waits, the second ends it if it runs, and no other one.
  cancel: ({ prompt_id: id }) => [
    { method: "POST", url: `${ROOT}/queue`, json: { delete: [String(id)] } },
    { method: "POST", url: `${ROOT}/interrupt`, json: { prompt_id: String(id) } },
  ],

  lookUp: () => comfyLookUpCall(ROOT),
  readLookUp: (answer, attempt, _askedAt, asked = comfyLookUpCall(ROOT)) =>
    readComfyLookUp(answer, attempt, asked),

  upload: {
    begin: ({ path, mime, fileName }) => ({
      method: "POST",
      url: `${ROOT}/upload/image`,
      form: [
        { name: "image", file: path, mime, fileName },
        { name: "type", value: "input" },
        { name: "subfolder", value: FOLDER },
      ],
    }),
    // Under the name of the answer: another file may have had the one that was asked for.
    readBegin(answer) {
      const file = isSuccess(answer) ? stored.safeParse(readJson(answer)).data : undefined;
      return file && { url: file.subfolder === "" ? file.name : `${file.subfolder}/${file.name}` };
    },
  },

  probe: () => ({ method: "GET", url: `${ROOT}/system_stats` }),
  readProbe: judgeProbeStatus,
};

function judgeRefusal(answer: HttpAnswer): SubmitOutcome {
  const words = answer.status === 400 ? refusalWords(readJson(answer)) : undefined;
  // Words of nodes may show what a person wrote: they are those of a workflow that cannot run.
  return words === undefined ? judgeSubmit(answer) : refused(detailOf(answer, words));
}

function readPlace(answer: HttpAnswer, reference: UpstreamReference): PollOutcome {
  const queue = isSuccess(answer) ? readQueue(answer) : undefined;
  if (!queue) return judgeStrange(answer);
  const id = String(reference.prompt_id);
  const place = placeInQueue(queue, id);
  if (place === "running") return { kind: "pending", phase: "running" };
  if (place !== undefined) return { kind: "pending", phase: "queued", queuePosition: place };
  return { kind: "next", call: comfyHistoryCall(ROOT, id), reference: { ...reference, step: "history" } };
}

function readHistory(answer: HttpAnswer, { prompt_id: id }: UpstreamReference): PollOutcome {
  const entry = isSuccess(answer) ? readEntry(answer, String(id)) : undefined;
  if (!entry) return judgeStrange(answer);
  if (entry === "absent")
    return { kind: "failed", detail: "lost: neither in the queue nor in the history, as after a restart" };
  return judgeEntry(answer, entry);
}

/** Judges other answers. Its lists are always there: a 404 comes from something in front of it. */
function judgeStrange(answer: HttpAnswer): PollOutcome {
  const judged: PollOutcome = isSuccess(answer)
    ? { kind: "glitch", detail: detailOf(answer) }
    : judgePollStatus(answer);
  return judged.kind === "unknown_task" ? { kind: "glitch", detail: detailOf(answer) } : judged;
}
