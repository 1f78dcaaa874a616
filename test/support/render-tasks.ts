import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCanvas, loadImage } from "@napi-rs/canvas";
import type { ParameterValue } from "../../src/contract/model.js";
import type { GenerationTask, Outcome } from "../../src/jobs/provider.js";
import type { GeneratedFile } from "../../src/workers/worker-pool.js";

/** A renderer that hangs, hogs or crashes when its prompt says so. */
export const MOODY_WORKER_FILE = fileURLToPath(new URL("./workers/moody.mjs", import.meta.url));

export const never = new AbortController().signal;

export function newDirectory(): Promise<string> {
  return mkdtemp(join(tmpdir(), "atelier-local-"));
}

/** Writes files of these contents, and returns their paths. */
export async function newFiles(...contents: Buffer[]): Promise<string[]> {
  const directory = await newDirectory();
  const paths = contents.map((_content, index) => join(directory, `reference-${index}`));
  await Promise.all(contents.map((content, index) => writeFile(paths[index] ?? "", content)));
  return paths;
}

/** A task for a picture in a directory of its own. */
export async function newTask(
  prompt: string,
  parameters: Record<string, ParameterValue> = {},
  rest: Partial<GenerationTask> = {},
): Promise<GenerationTask> {
  return {
    jobId: 1,
    request: { type: "image", model_key: "test", prompt, aspect_ratio: "1:1", ...parameters },
    model: "test",
    seed: 7,
    tracks: 1,
    references: [],
    directory: await newDirectory(),
    ...rest,
  };
}

/** A task for a video in a directory of its own. */
export async function newVideoTask(
  prompt: string,
  parameters: Record<string, ParameterValue> = {},
  rest: Partial<GenerationTask> = {},
): Promise<GenerationTask> {
  const task = await newTask(prompt, {}, rest);
  return { ...task, request: { type: "video", model_key: "test", prompt, ...parameters } };
}

/** A PNG of one colour. */
export function plainPicture(colour: string, width = 64, height = 64): Buffer {
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = colour;
  ctx.fillRect(0, 0, width, height);
  return canvas.toBuffer("image/png");
}

/** The mean colour of an encoded picture, channels of 0 to 255. */
export async function meanColour(picture: Buffer): Promise<[number, number, number]> {
  const canvas = createCanvas(16, 16);
  const ctx = canvas.getContext("2d");
  ctx.drawImage(await loadImage(picture), 0, 0, 16, 16);
  const { data } = ctx.getImageData(0, 0, 16, 16);
  const sum: [number, number, number] = [0, 0, 0];
  for (let offset = 0; offset < data.length; offset += 4) {
    for (const channel of [0, 1, 2] as const) sum[channel] += (data[offset + channel] ?? 0) / 256;
  }
  return sum;
}

/** The files of a run that succeeds. */
export async function filesOf(run: Promise<Outcome>): Promise<readonly GeneratedFile[]> {
  const outcome = await run;
  if (outcome.kind === "made") return outcome.files;
  throw new Error(`no files: ${outcome.kind}`);
}
