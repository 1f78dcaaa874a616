import { z } from "zod";
import type { Json } from "../../catalogue/json.js";
import type { HttpAnswer } from "../../platform/http-exchange.js";
import { MEGABYTE, SECOND_MS } from "../../platform/units.js";
import {
  type DoubtfulAttempt,
  ELEMENTS_MAX,
  type LookUpOutcome,
  lenient,
  type PollOutcome,
  SKEW_MS,
  type SubmitOutcome,
  taskIdField,
  type UpstreamAdapter,
  type UpstreamCall,
  type UpstreamReference,
} from "../adapter.js";
import {
  detailOf,
  isSuccess,
  judgeFailedTask,
  judgeOwnPollStatus,
  judgeProbeStatus,
  judgeSubmit,
  readGood,
  readJson,
  refused,
} from "../judge-status.js";

/** Stands for the operator's root: the software has no address of its own. */
const HOST = "comfyui.invalid";
const ROOT = `https://${HOST}`;
/** Limits an answer: its queue tells each workflow whole. */
const ANSWER_BYTES_MAX = 16 * MEGABYTE;
const ANSWER_VALUES_MAX = 200_000;

const message = z.tuple([z.string()], z.unknown());
const entry = z.looseObject({
  outputs: z.record(z.string(), z.record(z.string(), z.unknown()).catch({})).catch({}),
  status: lenient(z.looseObject({ status_str: z.string().catch(""), messages: z.array(message).catch([]) })),
});
type HistoryEntry = z.infer<typeof entry>;
const history = z.record(z.string(), entry);
const file = z.looseObject({
  filename: z.string().min(1),
  subfolder: z.string().catch(""),
  type: z.string().catch("output"),
});
const failure = z.looseObject({
  node_id: z.string().catch(""),
  node_type: z.string().catch(""),
  exception_type: z.string().catch(""),
  exception_message: z.string().catch(""),
});

/** Reads what the history says of a prompt. Undefined for what is no history. */
function readEntry(answer: HttpAnswer, id: string): HistoryEntry | "absent" | undefined {
  const entries = readGood(answer, history);
  if (!entries) return undefined;
  return (Object.hasOwn(entries, id) ? entries[id] : undefined) ?? "absent";
}

/** Judges an entry, which has ended: in time, by an error, or by an interruption. */
function judgeEntry(answer: HttpAnswer, { outputs, status }: HistoryEntry): PollOutcome {
  const state = status ? status.status_str : "success";
  if (state === "success") return { kind: "ready", document: documentOf(outputs) };
  if (state !== "error") return { kind: "glitch", detail: detailOf(answer, `status ${state}`) };
  const last = status?.messages.findLast(([name]) => /^execution_(?:error|interrupted)$/.test(name));
  const [name = "execution_error", told] = last ?? [];
  if (name === "execution_interrupted") return { kind: "failed", detail: "interrupted" };
  const { node_id, node_type, exception_type, exception_message } = failure.parse(told ?? {});
  const words = `node ${node_id} (${node_type}): ${exception_type}: ${exception_message}`;
  return judgeFailedTask({ codes: [], words: words.replace(/\s+/g, " ").trim() });
}

/** Collects each node's lists of files (`images`, `gifs`, `video`, `audio`), with their addresses. */
function documentOf(outputs: HistoryEntry["outputs"]): Json {
  return Object.fromEntries(
    Object.entries(outputs).map(([node, lists]) => [
      node,
      Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, flagsOf(list) ?? filesOf(list)])),
    ]),
  );
}

/** Returns what a safety checker tells beside the files: a list of yes and no. */
function flagsOf(list: unknown): boolean[] | undefined {
  const flags = Array.isArray(list) ? list.filter((flag) => typeof flag === "boolean") : [];
  return flags.length > 0 ? flags : undefined;
}

function filesOf(list: unknown): Json[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, ELEMENTS_MAX).flatMap((given): Json[] => {
    const parsed = file.safeParse(given).data;
    if (!parsed) return [];
    const { filename, subfolder, type } = parsed;
    return [
      { filename, subfolder, type, url: `/view?${new URLSearchParams({ filename, subfolder, type })}` },
    ];
  });
}

const problem = z.looseObject({ message: z.string().catch(""), details: z.string().catch("") });
const nodeErrors = z
  .record(z.string(), z.looseObject({ class_type: z.string().catch(""), errors: z.array(problem).catch([]) }))
  .catch({});
const refusal = z.looseObject({
  error: z.union([z.string(), problem.extend({ type: z.string().catch("") })]),
  node_errors: nodeErrors,
});

/** Tells why ComfyUI does not run a workflow, node by node. Undefined for an answer of something else. */
function refusalWords(document: unknown): string | undefined {
  const parsed = refusal.safeParse(document).data;
  if (!parsed) return undefined;
  const { error, node_errors: nodes } = parsed;
  if (typeof error === "string") return error;
  return wordsOf(nodes) ?? `${error.type} ${error.message} ${error.details}`.trim();
}

/** Tells what is said of nodes, one by one. Undefined where nothing is. */
function wordsOf(nodes: z.infer<typeof nodeErrors>): string | undefined {
  const byNode = Object.entries(nodes).map(([id, { class_type: type, errors }]) => {
    const words = errors.map(({ message, details }) => `${message}: ${details}`).join(", ");
    return `node ${id} (${type}): ${words}`;
  });
  return byNode.length === 0 ? undefined : byNode.join("; ");
}

/** Parses `[number, id, prompt, extra data, outputs]`; lower numbers run first. */
const item = z.tuple([z.number(), z.string()], z.unknown());
const queue = z.looseObject({ queue_running: z.array(item), queue_pending: z.array(item) });
type Queue = z.infer<typeof queue>;

/** Counts the prompts that run or wait before it. Undefined where the queue lacks it. */
function placeInQueue(
  { queue_running: running, queue_pending: pending }: Queue,
  wanted: string,
): number | "running" | undefined {
  if (running.some(([, id]) => id === wanted)) return "running";
  const found = pending.find(([, id]) => id === wanted);
  if (!found) return undefined;
  // The list is a heap, so only its first element is in its place.
  return running.length + pending.filter(([number]) => number < found[0]).length;
}

const NAMES: ReadonlySet<string> = new Set(["seed", "noise_seed"]);

/** Gives the seeds of a graph other values; undefined where it has none. One that is a link is another node's. */
function withOtherSeeds(graph: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> | undefined {
  let isChanged = false;
  const changed = structuredClone(graph) as { [id: string]: { inputs?: { [name: string]: Json } } | null };
  for (const node of Object.values(changed)) {
    for (const [name, value] of Object.entries(node?.inputs ?? {})) {
      if (!NAMES.has(name) || typeof value !== "number" || !node?.inputs) continue;
      node.inputs[name] = value === 0 ? 1 : value - 1;
      isChanged = true;
    }
  }
  return isChanged ? (changed as Readonly<Record<string, Json>>) : undefined;
}

/** Time after which a POST has been judged, or never will be: nodes check a prompt before it is queued. */
const SENDING_MAX_MS = 30 * SECOND_MS;

/** Our part in the list of arguments of a prompt, by its own clock, in ms. */
const extraData = z.looseObject({ create_time: z.number() });
const started = z.tuple([z.literal("execution_start"), z.looseObject({ timestamp: z.number() })]);
const dated = z.looseObject({
  prompt: z.array(z.unknown()).catch([]),
  status: lenient(z.looseObject({ messages: z.array(z.unknown()).catch([]) })),
});

/** Asks for the first entry that it still knows: the list is in the order in which prompts ended. */
const OLDEST_CALL: UpstreamCall = { method: "GET", url: `${ROOT}/history?max_items=1&offset=0` };
const QUEUE_CALL: UpstreamCall = { method: "GET", url: `${ROOT}/queue` };

function historyCall(id: string): UpstreamCall {
  return { method: "GET", url: `${ROOT}/history/${encodeURIComponent(id)}` };
}

/**
 * Looks in the queue, then in the history. A prompt in neither was not accepted, or was lost with an earlier process:
 * it is `absent` only where an entry from before the submit shows that there was no restart since.
 */
function readComfyLookUp(answer: HttpAnswer, attempt: DoubtfulAttempt, asked: UpstreamCall): LookUpOutcome {
  if (!isSuccess(answer)) return { kind: "unknown" };
  if (asked.url === QUEUE_CALL.url) {
    const told = readGood(answer, queue);
    if (!told) return { kind: "unknown" };
    const isThere = placeInQueue(told, attempt.id) !== undefined;
    return isThere ? found(attempt) : { kind: "next", call: historyCall(attempt.id) };
  }
  if (asked.url === OLDEST_CALL.url)
    return sinceBefore(answer, attempt) ? { kind: "absent" } : { kind: "unknown" };
  const entry = readEntry(answer, attempt.id);
  if (!entry) return { kind: "unknown" };
  return entry === "absent" ? { kind: "next", call: OLDEST_CALL } : found(attempt);
}

function found({ id }: DoubtfulAttempt): LookUpOutcome {
  return { kind: "found", reference: { prompt_id: id } };
}

/** Tells whether the process that answers knew prompts before the submit, which can no longer arrive. */
function sinceBefore(answer: HttpAnswer, { submittedAt, askedForMs }: DoubtfulAttempt): boolean {
  const entries = z.record(z.string(), dated).safeParse(readJson(answer)).data ?? {};
  const isEarlier = Object.values(entries).some((entry) => begunAt(entry) <= submittedAt - SKEW_MS);
  return isEarlier && askedForMs >= SENDING_MAX_MS + SKEW_MS;
}

function begunAt({ prompt, status }: z.infer<typeof dated>): number {
  const created = extraData.safeParse(prompt[3]).data?.create_time;
  const ran = status?.messages.map((told) => started.safeParse(told).data?.[1].timestamp);
  return Math.min(...[created, ...(ran ?? [])].filter((time) => time !== undefined));
}

/** Folder of uploads, below ComfyUI's folder of inputs, which keeps them until somebody empties it. */
const FOLDER = "atelier";

const WARNINGS_LENGTH_MAX = 1000;

/** Nodes with errors are left out of what is made. */
const acceptance = z.looseObject({ prompt_id: taskIdField, node_errors: nodeErrors });
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
  answerBytesMax: ANSWER_BYTES_MAX,
  answerValuesMax: ANSWER_VALUES_MAX,
  headers: () => ({}),

  submit: ({ input }, { id }) => ({
    method: "POST",
    url: `${ROOT}/prompt`,
    json: { prompt: input, prompt_id: id, client_id: id },
  }),
  readSubmit(answer) {
    const accepted = readGood(answer, acceptance);
    if (!accepted) return judgeRefusal(answer);
    const warnings = wordsOf(accepted.node_errors)?.slice(0, WARNINGS_LENGTH_MAX);
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
  poll: () => QUEUE_CALL,
  readPoll: (answer, reference) =>
    reference.step === "history" ? readHistory(answer, reference) : readPlace(answer, reference),

  // The first takes back one that waits, the second ends it if it runs, and no other one.
  cancel: ({ prompt_id: id }) => [
    { method: "POST", url: `${ROOT}/queue`, json: { delete: [String(id)] } },
    { method: "POST", url: `${ROOT}/interrupt`, json: { prompt_id: String(id) } },
  ],

  lookUp: () => QUEUE_CALL,
  readLookUp: (answer, attempt, _askedAt, asked = QUEUE_CALL) => readComfyLookUp(answer, attempt, asked),

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
      const file = readGood(answer, stored);
      return file && { url: file.subfolder === "" ? file.name : `${file.subfolder}/${file.name}` };
    },
  },

  probe: { call: { method: "GET", url: `${ROOT}/system_stats` }, read: judgeProbeStatus },
};

function judgeRefusal(answer: HttpAnswer): SubmitOutcome {
  const words = answer.status === 400 ? refusalWords(readJson(answer)) : undefined;
  // Words of nodes may show what a person wrote: they are those of a workflow that cannot run.
  return words === undefined ? judgeSubmit(answer) : refused(detailOf(answer, words));
}

function readPlace(answer: HttpAnswer, reference: UpstreamReference): PollOutcome {
  const told = readGood(answer, queue);
  if (!told) return judgeOwnPollStatus(answer);
  const id = String(reference.prompt_id);
  const place = placeInQueue(told, id);
  if (place === "running") return { kind: "pending", phase: "running" };
  if (place !== undefined) return { kind: "pending", phase: "queued", queuePosition: place };
  return { kind: "next", call: historyCall(id), reference: { ...reference, step: "history" } };
}

function readHistory(answer: HttpAnswer, { prompt_id: id }: UpstreamReference): PollOutcome {
  const entry = readEntry(answer, String(id));
  if (!entry) return judgeOwnPollStatus(answer);
  if (entry === "absent")
    return { kind: "failed", detail: "lost: neither in the queue nor in the history, as after a restart" };
  return judgeEntry(answer, entry);
}
