import { z } from "zod";
import type { Cost, Operation } from "../../../src/catalogue/operation.js";
import type { GenerationRequest } from "../../../src/contract/request.js";
import type { HttpAnswer } from "../../../src/platform/http-exchange.js";
import type { PollOutcome, SubmitOutcome, UpstreamReference } from "../../../src/providers/adapter.js";
import { isSuccess, readJson } from "../../../src/providers/judge-status.js";
import type { GeneratedFile } from "../../../src/workers/worker-pool.js";

export interface Finding {
  /** False for what changes nothing, such as a field that no page names. */
  matters: boolean;
  text: string;
}

export function differs(text: string): Finding {
  return { matters: true, text };
}

export function note(text: string): Finding {
  return { matters: false, text };
}

export interface ReadAnswer {
  answer: HttpAnswer;
  outcome: SubmitOutcome | PollOutcome;
  /** The reference of the polled task; absent for the submit. */
  reference?: UpstreamReference;
}

/** Headers by which services tell what a result costs. */
const COST_HEADERS: Readonly<Record<string, string>> = { fal: "x-fal-billable-units" };

const WARNING_MAX = 300;

/** Lists in what an answer is not understood, or complains (polza: of a parameter that it ignored). A refusal or a failure is told by the verdict. */
export function answerFindings(service: string, { answer, outcome, reference }: ReadAnswer): Finding[] {
  if (outcome.kind === "glitch")
    return [differs(`the adapter does not understand this answer: ${outcome.detail}`)];
  const isGood = ["accepted", "pending", "next", "ready"].includes(outcome.kind) && isSuccess(answer);
  if (!isGood || (outcome.kind === "ready" && !reference)) return [];
  const header = COST_HEADERS[service];
  if (outcome.kind === "ready" && header !== undefined && !answer.headers.has(header))
    return [differs(`the result has no header ${header}`)];
  const { data } = z.object({ warnings: z.array(z.unknown()).min(1) }).safeParse(readJson(answer));
  return data ? [differs(`the service warns: ${JSON.stringify(data.warnings).slice(0, WARNING_MAX)}`)] : [];
}

/** The tolerance of prices, which the services round. */
export const PRICE_TOLERANCE = 0.01;

/** Compares the cost that the service told with the finished task. */
export function costFindings(told: Cost | undefined, expected: Cost | undefined): Finding[] {
  if (!told && !expected) return [note("neither the service nor the catalogue tells what it cost")];
  if (!told) return [note("the answers do not tell the cost; the catalogue's price is recorded")];
  const said = `it cost ${told.amount} ${told.currency}`;
  if (!expected) return [note(`${said}; the catalogue tells no price`)];
  if (told.currency !== expected.currency)
    return [differs(`${said}, and the catalogue counts in ${expected.currency}`)];
  const isNear = Math.abs(told.amount - expected.amount) <= expected.amount * PRICE_TOLERANCE;
  return isNear ? [] : [differs(`${said}, and the catalogue says ${expected.amount}`)];
}

/** The tolerance of ratios: sides are rounded to what the model can make. */
const RATIO_TOLERANCE = 0.05;
const SIDE_TOLERANCE = 0.1;
/** The factor by which the pixels of a resolution may differ. */
const PIXELS_FACTOR = 2;
const SECONDS_TOLERANCE = 0.6;
const MUSIC_TOLERANCE = 0.1;

const VIDEO_SIDES: Readonly<Record<string, number>> = { "480p": 480, "720p": 720, "1080p": 1080, "4K": 2160 };
const IMAGE_SIDES: Readonly<Record<string, number>> = { "1K": 1024, "2K": 2048, "4K": 4096 };

/** Lists in what the files are not what was asked for. */
export function fileFindings(
  files: readonly GeneratedFile[],
  request: GenerationRequest,
  { input }: Pick<Operation, "input">,
  tracks: number,
): Finding[] {
  const kind = request.type === "music" ? "audio" : request.type;
  const made = files.filter((file) => file.mime.startsWith(`${kind}/`));
  const wanted = request.type === "music" ? tracks : 1;
  return [
    ...(made.length === wanted ? [] : [differs(`${made.length} files of type ${kind}, not ${wanted}`)]),
    ...made.flatMap((file) => [
      ...mimeFinding(file, input.output_format),
      ...ratioFinding(file, request.aspect_ratio),
      ...sizeFinding(file, request),
      ...durationFinding(file, request),
    ]),
  ];
}

function mimeFinding({ mime, original }: GeneratedFile, format: unknown): Finding[] {
  const got = original?.mime ?? mime;
  if (typeof format !== "string" || !got.startsWith("image/")) return [];
  return told(got === `image/${format === "jpg" ? "jpeg" : format}`, `the file is ${got}`, format);
}

function ratioFinding({ width, height }: GeneratedFile, ratio: unknown): Finding[] {
  const [across, down] = typeof ratio === "string" ? ratio.split(":").map(Number) : [];
  if (!width || !height || !across || !down) return [];
  const isNear = Math.abs((width / height) * (down / across) - 1) <= RATIO_TOLERANCE;
  return told(isNear, `the file is ${width}×${height}`, String(ratio));
}

function sizeFinding({ width, height }: GeneratedFile, { type, resolution }: GenerationRequest): Finding[] {
  const side = (type === "video" ? VIDEO_SIDES : IMAGE_SIDES)[String(resolution)];
  if (!width || !height || side === undefined) return [];
  const said = `the file is ${width}×${height}`;
  const pixels = (width * height) / side ** 2;
  if (type === "video")
    return told(Math.abs(Math.min(width, height) / side - 1) <= SIDE_TOLERANCE, said, String(resolution));
  // Some models have no smaller pictures.
  if (pixels > PIXELS_FACTOR) return [note(`${said}, and ${resolution} was asked for: it is larger`)];
  return told(pixels >= 1 / PIXELS_FACTOR, said, String(resolution));
}

function durationFinding({ durationSec }: GeneratedFile, { type, duration_sec: asked }: GenerationRequest) {
  if (durationSec === undefined || typeof asked !== "number") return [];
  const tolerance = type === "music" ? asked * MUSIC_TOLERANCE : SECONDS_TOLERANCE;
  const isNear = Math.abs(durationSec - asked) <= tolerance;
  return told(isNear, `the file takes ${durationSec.toFixed(1)} s`, `${asked} s`);
}

function told(isNear: boolean, said: string, asked: string): Finding[] {
  return isNear ? [] : [differs(`${said}, and ${asked} was asked for`)];
}
