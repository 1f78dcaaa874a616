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

/** A file inside the task's directory. Among tracks, an image is the cover of the preceding track. */
export interface RenderedFile {
  path: string;
  mime: string;
  width?: number;
  height?: number;
  durationSec?: number;
  title?: string;
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
