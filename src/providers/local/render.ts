import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GenerationType } from "../../contract/model.js";
import { type GeneratedFile, GenerationFailed, type GenerationTask } from "../../core/jobs/provider.js";
import { paintImage } from "./image.js";
import { renderMusic } from "./music/music.js";
import { openReferences } from "./references.js";

/** Quality of the lossy WebP, 0 to 100. */
const WEBP_QUALITY = 85;

type Renderer = (task: GenerationTask) => Promise<GeneratedFile[]>;

const RENDERERS: Partial<Record<GenerationType, Renderer>> = { image: renderImage, music: renderMusic };

/**
 * Makes the files of a task in its directory. Runs in the renderer's own process.
 * @throws GenerationFailed
 */
export async function render(task: GenerationTask): Promise<GeneratedFile[]> {
  const renderer = RENDERERS[task.request.type];
  if (!renderer)
    throw new GenerationFailed("refused", `the local renderer makes no ${task.request.type} yet`);
  return renderer(task);
}

async function renderImage(task: GenerationTask): Promise<GeneratedFile[]> {
  const canvas = paintImage(task, await openReferences(task.references));
  const path = join(task.directory, "image.webp");
  await store(path, canvas.encodeSync("webp", WEBP_QUALITY));
  return [{ path, mime: "image/webp", width: canvas.width, height: canvas.height }];
}

async function store(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(path, bytes);
  } catch (error) {
    throw new GenerationFailed("storage", "the result cannot be written", { cause: error });
  }
}
