import { join } from "node:path";
import { paintImage } from "./image.js";
import { renderMusic } from "./music/music.js";
import { openReferences } from "./references.js";
import { sizeOf } from "./size.js";
import { store } from "./store.js";
import type { RenderedFile, RenderRequest, RenderTask } from "./task.js";
import { renderVideo } from "./video/render-video.js";

/** Quality of the lossy WebP, 0 to 100. */
const WEBP_QUALITY = 85;

type Renderer = (task: RenderTask) => Promise<RenderedFile[]>;

const RENDERERS: Readonly<Record<RenderRequest["type"], Renderer>> = {
  image: renderImage,
  video: renderVideo,
  music: renderMusic,
};

/**
 * Makes the files of a task in its directory. Runs in the renderer's own process.
 * @throws RenderError
 */
export function render(task: RenderTask): Promise<RenderedFile[]> {
  return RENDERERS[task.request.type](task);
}

async function renderImage(task: RenderTask): Promise<RenderedFile[]> {
  // All shapes of one resolution have the same area.
  const { width, height } = sizeOf(1, task.request.resolution);
  const canvas = paintImage(task, await openReferences(task.references, width * height));
  const path = join(task.directory, "image.webp");
  await store(path, canvas.encodeSync("webp", WEBP_QUALITY));
  return [{ path, mime: "image/webp", width: canvas.width, height: canvas.height }];
}
