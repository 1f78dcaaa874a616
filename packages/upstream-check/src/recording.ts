import { readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Json } from "../../../src/catalogue/json.js";
import type { Mapping } from "../../../src/catalogue/mapping.js";
import { operationOf } from "../../../src/catalogue/operation.js";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { reasonOf } from "../../../src/platform/errors.js";
import type { HttpAnswer } from "../../../src/platform/http-exchange.js";
import type { UpstreamAdapter, UpstreamCall } from "../../../src/providers/adapter.js";
import { readJson } from "../../../src/providers/judge-status.js";
import type { Checked } from "./check.js";
import type { ReadAnswer } from "./findings.js";
import { createScrubber, type Scrubber } from "./scrub.js";

export const RECORDINGS = "test/recordings";

const json: z.ZodType<Json> = z.json();
const step = z.strictObject({
  call: z.strictObject({
    method: z.enum(["GET", "POST", "PUT"]),
    url: z.string(),
    headers: z.record(z.string(), z.string()).exactOptional(),
    json: json.exactOptional(),
    /** Names of the parts of a multipart body. */
    form: z.array(z.string()).exactOptional(),
  }),
  answer: z.strictObject({
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    /** A JSON body as a value, any other as its text. */
    body: json,
    isJson: z.boolean(),
  }),
  /** The answer as the adapter reads it. */
  outcome: json,
});
type Step = z.infer<typeof step>;

/** One request of one mapping, with every answer that was read: without keys, signatures and personal ids. */
const recordingSchema = z.strictObject({
  format: z.literal(1),
  /** False for what was recorded against a stand-in or a proxy. */
  live: z.boolean(),
  recorded_at: z.iso.datetime(),
  provider: z.string().min(1),
  model_key: z.string().min(1),
  endpoint: z.string().min(1),
  request: z.looseObject({ type: z.enum(["image", "video", "music"]), model_key: z.string() }),
  attempt: z.object({ id: z.string() }),
  seed: z.int(),
  tracks: z.int(),
  /** The submit, then the polls of the task. */
  steps: z.array(step).min(1),
  /** What the files were found to be; absent where none was taken. */
  files: z.array(json).exactOptional(),
});
export type Recording = z.infer<typeof recordingSchema>;

/** Reads every recording below a folder, by its path there. */
export function readRecordings(folder: string): readonly { path: string; recording: Recording }[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".json"))
    .sort()
    .map((path) => ({
      path,
      recording: recordingSchema.parse(JSON.parse(readFileSync(join(folder, path), "utf8"))),
    }));
}

export interface Origin {
  adapter: UpstreamAdapter;
  /** The name of the file, without its ending. */
  name: string;
  key: string;
  /** The root where the calls went, in place of the service's own hosts. */
  root?: URL | undefined;
  /** True where the service itself has answered, and no stand-in. */
  isLive: boolean;
  out: string | undefined;
}

/** Tells what was written, or why not. What a stand-in answered never goes among the live ones. */
export async function writeRecording(checked: Checked, origin: Origin): Promise<string> {
  const { adapter, name, root, out, isLive } = origin;
  if (checked.reads.length === 0) return "No recording: nothing was answered";
  if (!isLive && out === undefined)
    return `No recording: ${root?.origin} may be a stand-in; --live says that it is not, --out names a folder`;
  try {
    const path = join(out ?? RECORDINGS, adapter.name, `${name.replace(/[^\w.-]+/g, "-")}.json`);
    const recording = makeRecording(checked, origin);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, `${JSON.stringify(recording, null, 2)}\n`);
    return `Recording: ${path}. Look through it before you give it away`;
  } catch (error) {
    return `No recording: ${reasonOf(error)}`;
  }
}

/**
 * Makes what the tests replay: the scrubbed answers, with the calls that lead to them and what the adapter reads in
 * them. Throws for a recording that would not tell what happened, or would tell a secret.
 */
function makeRecording(checked: Checked, { adapter, key, isLive: live }: Origin): Recording {
  const { mapping, attempt, seed, tracks, submittedAt, reads, files } = checked;
  const scrubber = createScrubber([key]);
  const request = recordingSchema.shape.request.parse(scrubber.json(checked.request as Json));
  const facts = { live, recorded_at: new Date(submittedAt).toISOString(), request, attempt, seed, tracks };
  const told = reads.filter(({ outcome }, index) => !isRepeated(outcome, reads[index - 1]?.outcome));
  const answers = told.map(({ answer }) => recordedAnswer(answer, scrubber));
  const steps = replay(adapter, mapping, facts, answers).map((replayed, index): Step => {
    const answer = answers[index];
    if (!answer || Reflect.get(Object(replayed.outcome), "kind") !== told[index]?.outcome.kind)
      throw new Error("without its secrets an answer is read as something else");
    return { ...replayed, answer };
  });
  const recording = recordingSchema.parse({
    format: 1,
    provider: adapter.name,
    model_key: request.model_key,
    endpoint: mapping.endpoint,
    ...facts,
    steps,
    ...(files.length > 0 && {
      files: files.map(({ mime, width, height, durationSec, original }) =>
        plain({ mime: original?.mime ?? mime, width, height, duration_sec: durationSec }),
      ),
    }),
  });
  if (scrubber.isLeaking(JSON.stringify(recording))) throw new Error("a secret would stand in the recording");
  return recording;
}

/** Recognises repeated answers: a task that waits is polled again and again. */
function isRepeated(outcome: ReadAnswer["outcome"], before: ReadAnswer["outcome"] | undefined): boolean {
  return outcome.kind === "pending" && JSON.stringify(outcome) === JSON.stringify(before);
}

/** Returns the value as JSON tells it: without what is undefined. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** Headers that adapters read, and what helps to understand an answer. */
const HEADERS = [
  "content-type",
  "date",
  "retry-after",
  "idempotency-key-retention",
  "x-fal-billable-units",
  "x-fal-error-type",
  "x-fal-needs-retry",
  "x-fal-request-timeout-type",
  "x-fal-retryable",
];

function recordedAnswer(answer: HttpAnswer, scrubber: Scrubber): Step["answer"] {
  const { status, headers, text } = answer;
  const kept = HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === undefined ? [] : [[name, scrubber.text(value)]];
  });
  const body = readJson({ ...answer, fault: undefined });
  return {
    status,
    headers: Object.fromEntries(kept),
    body: body === undefined ? scrubber.text(text) : scrubber.json(body),
    isJson: body !== undefined,
  };
}

/** Replays what the mapping and the adapter of today would call and read, given these answers. Sends nothing. */
export function replay(
  adapter: UpstreamAdapter,
  mapping: Mapping,
  { request, attempt, seed, tracks }: Pick<Recording, "request" | "attempt" | "seed" | "tracks">,
  recorded: readonly Step["answer"][],
): Pick<Step, "call" | "outcome">[] {
  const operation = operationOf(mapping, request as GenerationRequest, { seed, tracks });
  if ("refusedField" in operation) throw new Error(`the mapping no longer takes ${operation.refusedField}`);
  const [first, ...polls] = recorded.map(answerOf);
  if (!first) return [];
  const submitted = adapter.readSubmit(first, operation);
  const steps = [{ call: shownCall(adapter.submit(operation, attempt)), outcome: plain(submitted) }];
  if (submitted.kind !== "accepted") return steps;
  const { reference } = submitted;
  const firstPoll = { call: adapter.poll(reference), reference };
  let next = firstPoll;
  for (const answer of polls) {
    const outcome = adapter.readPoll(answer, next.reference);
    steps.push({ call: shownCall(next.call), outcome: plain(outcome) });
    next = outcome.kind === "next" ? { call: outcome.call, reference: outcome.reference } : firstPoll;
  }
  return steps;
}

/** Rebuilds the answer as it came, without what was scrubbed. */
function answerOf({ status, headers, body, isJson }: Step["answer"]): HttpAnswer {
  const text = isJson ? JSON.stringify(body) : String(body);
  return { status, headers: new Map(Object.entries(headers)), text, fault: undefined };
}

function shownCall({ form, ...call }: UpstreamCall): Step["call"] {
  return step.shape.call.parse(plain({ ...call, form: form?.map(({ name }) => name) }));
}
