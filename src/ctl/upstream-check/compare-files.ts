import type { Operation } from "../../catalogue/operation.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { GeneratedFile } from "../../workers/worker-pool.js";
import { differs, type Finding, note } from "./finding.js";

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
  if (typeof format !== "string" || got.endsWith(`/${format === "jpg" ? "jpeg" : format}`)) return [];
  return got.startsWith("image/") ? [differs(`the file is ${got}, and ${format} was asked for`)] : [];
}

function ratioFinding({ width, height }: GeneratedFile, ratio: unknown): Finding[] {
  const [across, down] = typeof ratio === "string" ? ratio.split(":").map(Number) : [];
  if (!width || !height || !across || !down) return [];
  const isNear = Math.abs((width / height) * (down / across) - 1) <= RATIO_TOLERANCE;
  return isNear ? [] : [differs(`the file is ${width}×${height}, and ${ratio} was asked for`)];
}

function sizeFinding({ width, height }: GeneratedFile, { type, resolution }: GenerationRequest): Finding[] {
  const side = (type === "video" ? VIDEO_SIDES : IMAGE_SIDES)[String(resolution)];
  if (!width || !height || side === undefined) return [];
  const isNear =
    type === "video"
      ? Math.abs(Math.min(width, height) / side - 1) <= SIDE_TOLERANCE
      : Math.max((width * height) / side ** 2, side ** 2 / (width * height)) <= PIXELS_FACTOR;
  if (isNear) return [];
  const told = `the file is ${width}×${height}, and ${resolution} was asked for`;
  // Some models have no smaller pictures.
  return [type === "image" && width * height > side ** 2 ? note(`${told}: it is larger`) : differs(told)];
}

function durationFinding({ durationSec }: GeneratedFile, { type, duration_sec: asked }: GenerationRequest) {
  if (durationSec === undefined || typeof asked !== "number") return [];
  const tolerance = type === "music" ? asked * MUSIC_TOLERANCE : SECONDS_TOLERANCE;
  const isNear = Math.abs(durationSec - asked) <= tolerance;
  return isNear ? [] : [differs(`the file takes ${durationSec.toFixed(1)} s, and ${asked} s were asked for`)];
}
