import { join } from "node:path";
import type { GenerationType } from "../../contract/model.js";
import type { GeneratedFile, GenerationTask } from "../../ports/provider.js";
import { store } from "../../workers/store.js";
import { paintImage } from "./image.js";
import { renderMusic } from "./music/music.js";
import { openReferences } from "./references.js";
import { sizeOf } from "./size.js";
import { renderVideo } from "./video/render-video.js";

/** Quality of the lossy WebP, 0 to 100. */
const WEBP_QUALITY = 85;

type Renderer = (task: GenerationTask) => Promise<GeneratedFile[]>;

const RENDERERS: Readonly<Record<GenerationType, Renderer>> = {
  image: renderImage,
  video: renderVideo,
  music: renderMusic,
};

/**
 * Makes the files of a task in its directory. Runs in the renderer's own process.
 * @throws GenerationError
 */
export function render(task: GenerationTask): Promise<GeneratedFile[]> {
  return RENDERERS[task.request.type](task);
}

async function renderImage(task: GenerationTask): Promise<GeneratedFile[]> {
  // All shapes of one resolution have the same area.
  const { width, height } = sizeOf(1, task.request.resolution);
  const canvas = paintImage(task, await openReferences(task.references, width * height));
  const path = join(task.directory, "image.webp");
  await store(path, canvas.encodeSync("webp", WEBP_QUALITY));
  return [{ path, mime: "image/webp", width: canvas.width, height: canvas.height }];
}
