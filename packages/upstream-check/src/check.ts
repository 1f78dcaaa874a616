import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCanvas } from "@napi-rs/canvas";
import type { Mapping } from "../../../src/catalogue/mapping.js";
import { type Operation, operationOf, readOutputs, withLinks } from "../../../src/catalogue/operation.js";
import type { GenerationRequest } from "../../../src/contract/request.js";
import { sleep } from "../../../src/platform/clock.js";
import { reasonOf } from "../../../src/platform/errors.js";
import { RateLimit } from "../../../src/platform/rate-limit.js";
import type { UpstreamAdapter, UpstreamCall, UpstreamReference } from "../../../src/providers/adapter.js";
import { OutputError } from "../../../src/providers/file-inspector.js";
import {
  judgeAnswer,
  judgeFailure,
  type SubmitJudgement,
  warningsOf,
} from "../../../src/providers/outcomes.js";
import { deadlineMs, mappingSteps, taskPauseMs } from "../../../src/providers/service.js";
import { serviceAddress } from "../../../src/providers/service-calls.js";
import { openServiceIo, type ServiceIo, type ServiceIoOptions } from "../../../src/providers/service-io.js";
import { askTask, type TaskAnswer } from "../../../src/providers/task-poller.js";
import type { GeneratedFile } from "../../../src/workers/worker-pool.js";
import {
  answerFindings,
  costFindings,
  differs,
  type Finding,
  fileFindings,
  type ReadAnswer,
} from "./findings.js";
import type { CheapRequest } from "./request.js";
import { createScrubber } from "./scrub.js";

interface Check extends Omit<ServiceIoOptions, "link"> {
  cheap: CheapRequest;
  tracks: number;
  say: (line: string) => void;
  /** Ends the waiting; the task goes on at the service. */
  signal: AbortSignal;
}

export interface Checked {
  mapping: Mapping;
  /** The request as it was sent, with its links. */
  request: GenerationRequest;
  attempt: { id: string };
  seed: number;
  tracks: number;
  /** Milliseconds since the epoch at which the POST began. */
  submittedAt: number;
  reads: readonly ReadAnswer[];
  findings: readonly Finding[];
  reference: UpstreamReference | undefined;
  files: readonly GeneratedFile[];
  /** Says why there is no file. */
  failure: string | undefined;
}

type Ready = Extract<TaskAnswer, { kind: "ready" }>;

const FILES_MAX = 8;

/** Sends one request as the service would, and reports every answer that is not as expected. */
export async function checkUpstream(check: Check): Promise<Checked> {
  const directory = await mkdtemp(join(tmpdir(), "upstream-check-"));
  const service = openServiceIo({ ...check, published: undefined });
  try {
    return await send(check, service, directory);
  } finally {
    await service.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function send(check: Check, service: ServiceIo, directory: string): Promise<Checked> {
  const { adapter: plain, ids, clock, say, cheap, tracks, signal, root } = check;
  const progress = new Progress(plain.name, say);
  const adapter = progress.watched(plain);
  const attempt = { id: ids.request() };
  const seed = ids.seed();
  const { mapping } = cheap;
  const request = await withPictures(cheap.request, service, directory, signal);
  const operation = operationOf(mapping, request, { seed, tracks });
  if ("refusedField" in operation) throw new Error(`the mapping takes no ${operation.refusedField}`);

  const call = adapter.submit(operation, attempt);
  say(`→ ${call.method} ${serviceAddress(call.url, { ...plain, root }) ?? call.url}`);
  say(shownBody(call));
  signal.throwIfAborted();
  const submittedAt = clock.now();
  const judgement = await service.calls.submit(call).then(
    (answer) => judgeAnswer(adapter, answer, operation, clock.now()),
    (error: unknown) => judgeFailure(error),
  );
  const reference = judgement.kind === "accepted" ? judgement.reference : undefined;
  const end = await endOf(judgement, { ...check, adapter }, service, operation, progress);
  if (typeof end !== "string") progress.find(costFindings(end.cost, operation.cost));
  const taken = typeof end === "string" ? end : await takeFiles(end, service, operation, directory, check);
  const isMade = typeof taken !== "string";
  if (isMade) progress.find(fileFindings(taken, request, operation, tracks));
  const outcome = { files: isMade ? taken : [], failure: isMade ? undefined : taken };
  const { reads, findings } = progress;
  return { mapping, request, attempt, seed, tracks, submittedAt, reads, findings, reference, ...outcome };
}

/** Shows the body without the pictures in it. */
function shownBody({ json, form }: UpstreamCall): string {
  const shown = json === undefined ? null : createScrubber([]).json(json);
  return JSON.stringify(form ? form.map(({ name }) => name) : shown, null, 2);
}

/** Replaces links by those to pictures, which the service is given first: services refuse small or empty ones. */
async function withPictures(
  request: GenerationRequest,
  { references }: ServiceIo,
  directory: string,
  signal: AbortSignal,
): Promise<GenerationRequest> {
  const { start_frame_url: start, end_frame_url: end, reference_urls: links } = request;
  const given = [start, end, ...(Array.isArray(links) ? links : [])].filter((link) => link !== undefined);
  if (given.length === 0) return request;
  const paths = await Promise.all(
    given.map(async (_link, index) => {
      const path = join(directory, `reference-${index}`);
      await writeFile(path, drawApple(index));
      return path;
    }),
  );
  return withLinks(request, await references.publish(paths, signal));
}

function drawApple(index: number): Buffer {
  const canvas = createCanvas(1024, 1024);
  const context = canvas.getContext("2d");
  context.fillStyle = "#f4efe6";
  context.fillRect(0, 0, 1024, 1024);
  context.fillStyle = "#c9302c";
  context.arc(512 + index * 60, 512, 256, 0, 2 * Math.PI);
  context.fill();
  return canvas.toBuffer("image/png");
}

/** Waits for the end of the task. Returns why there is none, for a person, where nothing was made. */
async function endOf(
  judgement: SubmitJudgement,
  check: Check,
  { calls }: ServiceIo,
  { poll }: Operation,
  progress: Progress,
): Promise<Ready | string> {
  if (judgement.kind === "ready") return judgement;
  if (judgement.kind === "ambiguous")
    return `ambiguous: nobody knows whether a task was made and will be paid for. ${judgement.detail}`;
  if (judgement.kind !== "accepted") return `${told(judgement)}: nothing was made. ${judgement.detail}`;
  const { clock, signal, adapter } = check;
  const { reference } = judgement;
  check.say(`  accepted as ${JSON.stringify(reference)}`);
  const warnings = warningsOf(judgement);
  if (warnings !== undefined) progress.find([differs(`accepted with a warning: ${warnings}`)]);
  const toldNothing = (why: string) => progress.find([differs(`a look told nothing: ${why}`)]);
  const acceptedAt = clock.now();
  for (;;) {
    const ageMs = clock.now() - acceptedAt;
    if (ageMs >= deadlineMs(poll))
      return `timeout: not ended within ${poll.deadline_sec} s; it may still be made and paid for`;
    // Nobody else asks about tasks.
    await sleep(clock, taskPauseMs(mappingSteps(poll), ageMs, { inFlight: 1, perSec: undefined }), signal);
    const answer =
      !signal.aborted && (await askTask({ adapter, calls, clock }, new RateLimit(clock), reference, signal));
    if (!answer || signal.aborted) return "interrupted: the task goes on at the service and will be paid for";
    if (answer.kind === "ready") return answer;
    if (answer.kind === "refused" || answer.kind === "failed" || answer.kind === "paused")
      return `${told(answer)}: ${answer.detail}`;
    if (answer.kind === "glitch") toldNothing(answer.detail);
    if (answer.kind === "unknown_task") toldNothing("the service does not know the task");
    if (answer.kind !== "throttled") continue;
    toldNothing("too many polls");
    await sleep(clock, answer.retryAfterMs ?? 0, signal);
  }
}

function told(end: { kind: string; reason?: string; refusal?: string }): string {
  const reason = end.kind === "paused" ? end.reason : end.kind === "refused" ? end.refusal : undefined;
  return end.kind.replace("_", " ") + (reason === undefined ? "" : ` (${reason})`);
}

/** Downloads and judges the files of a finished task. Returns why there are none, for a person. */
async function takeFiles(
  { document }: Ready,
  { outputs }: ServiceIo,
  { output }: Operation,
  directory: string,
  { say, signal }: Check,
): Promise<readonly GeneratedFile[] | string> {
  const listed = readOutputs(output, document)?.slice(0, FILES_MAX);
  if (!listed) return `the finished task has no file at ${output.files}`;
  const hosts = listed.map(({ source }) => {
    if (!("url" in source) || source.url.startsWith("data:")) return "the answer itself";
    return URL.canParse(source.url) ? new URL(source.url).host : "no address";
  });
  const places = [...new Set(hosts)].join(", ");
  say(`  ${listed.length} files at ${places}`);
  try {
    const files = await outputs.fetch(listed, directory, signal);
    for (const { mime, original, width, height, durationSec, title } of files) {
      const sides = width && height ? `${width}×${height}` : "";
      const seconds = durationSec === undefined ? "" : `${durationSec.toFixed(1)} s`;
      say(`  ${[original?.mime ?? mime, sides, seconds, title].filter((fact) => fact).join(", ")}`);
    }
    return files;
  } catch (error) {
    const isForeign = error instanceof OutputError && error.fault === "forbidden_host";
    const why = isForeign ? `${places} is none of the adapter's file hosts` : reasonOf(error);
    return `made, but its files were not taken: ${why}`;
  }
}

/** Matches headers in which a service counts, where no adapter reads them. */
const COST_HEADER = /billable|cost|credits|units/;

/** Prints what was read and found as it comes. */
class Progress {
  readonly reads: ReadAnswer[] = [];
  readonly findings: Finding[] = [];
  #shown = "";

  constructor(
    private readonly service: string,
    private readonly say: (line: string) => void,
  ) {}

  /** Wraps the adapter: each answer that it reads is noted. */
  watched(adapter: UpstreamAdapter): UpstreamAdapter {
    return {
      ...adapter,
      readSubmit: (answer, operation) => {
        const outcome = adapter.readSubmit(answer, operation);
        this.#note({ answer, outcome });
        return outcome;
      },
      readPoll: (answer, reference) => {
        const outcome = adapter.readPoll(answer, reference);
        this.#note({ answer, outcome, reference });
        return outcome;
      },
    };
  }

  #note(read: ReadAnswer): void {
    const { answer, outcome } = read;
    this.reads.push(read);
    const place = outcome.kind === "pending" && outcome.queuePosition;
    const phase = outcome.kind === "pending" ? outcome.phase : outcome.kind;
    const line = `← ${answer.status}: ${phase}${typeof place === "number" ? `, at ${place}` : ""}`;
    // Polls of a waiting task repeat themselves.
    if (line !== this.#shown) this.say(line);
    this.#shown = line;
    for (const [name, value] of answer.headers) if (COST_HEADER.test(name)) this.say(`  ${name}: ${value}`);
    this.find(answerFindings(this.service, read));
  }

  /** Adds findings. Each is told once. */
  find(findings: readonly Finding[]): void {
    for (const finding of findings) {
      if (this.findings.some(({ text }) => text === finding.text)) continue;
      this.findings.push(finding);
      this.say(`  ${finding.matters ? "DIFFERS" : "note"}: ${finding.text}`);
    }
  }
}
