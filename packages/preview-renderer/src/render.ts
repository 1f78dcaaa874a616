import { renderImage } from "./image.js";
import type { RenderedFile, RenderTask } from "./task.js";

/**
 * Makes the files of a task in its directory. Videos and tracks load their code when they are first asked for, so
 * that a new process paints its first picture soon.
 * @throws RenderError
 */
export async function render(task: RenderTask): Promise<RenderedFile[]> {
  switch (task.request.type) {
    case "image":
      return renderImage(task);
    case "video":
      return (await import("./video/video.js")).renderVideo(task);
    case "music":
      return (await import("./music/music.js")).renderMusic(task);
  }
}
