import { writeFile } from "node:fs/promises";
import { z } from "zod";

export type ParameterValue = string | number | boolean | readonly string[];

/** What is to be made: `prompt`, and other parameters by their names in Generation API v1. */
export interface RenderRequest {
  type: "image" | "video" | "music";
  model_key: string;
  prompt?: string;
  [parameter: string]: ParameterValue | undefined;
}

export interface RenderTask {
  jobId: number;
  request: RenderRequest;
  model: string;
  /** The same task with the same seed makes the same bytes. */
  seed: number;
  tracks: number;
  /** Local paths of pictures. */
  references: readonly string[];
  /** Folder that the files are written to. */
  directory: string;
}

/** What the result depends on, besides its references. */
export type Wish = Pick<RenderTask, "request" | "model" | "seed">;

/** A file inside the task's directory. Among tracks, an image is the cover of the preceding track. */
export interface RenderedFile {
  path: string;
  mime: string;
  width?: number;
  height?: number;
  durationSec?: number;
  title?: string;
}

/** What the worker sends back for a task. */
export type RenderReply =
  | { kind: "done"; files: readonly RenderedFile[] }
  | { kind: "failed"; failure: RenderFailure; message: string };

/** Why a task failed: its picture cannot be read, its file cannot be written, or anything else. */
type RenderFailure = "reference" | "storage" | "provider";

/** The task failed; the message can be shown to people. */
export class RenderError extends Error {
  override readonly name = "RenderError";
  constructor(
    readonly failure: RenderFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

const taskMessage = z.object({
  jobId: z.number(),
  request: z.looseObject({
    type: z.enum(["image", "video", "music"]),
    model_key: z.string(),
    prompt: z.string().optional(),
  }),
  model: z.string(),
  seed: z.number(),
  tracks: z.number(),
  references: z.array(z.string()),
  directory: z.string(),
});

/** @throws ZodError for anything but a task */
export function taskOf(message: unknown): RenderTask {
  const { request, ...task } = taskMessage.parse(message);
  return { ...task, request: request as RenderRequest };
}

/** @throws RenderError `storage` when the file cannot be written */
export async function store(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(path, bytes);
  } catch (error) {
    throw new RenderError("storage", "the result cannot be written", { cause: error });
  }
}
