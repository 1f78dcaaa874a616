import { fileUrl } from "../download.js";
import type { FileSpec } from "../files/file-spec.js";
import type { Json } from "../json.js";
import type { Task } from "../task.js";
import { FAL_MODELS } from "./models.js";

/**
 * The output of a model, as its reference describes it.
 * A picture is named and described as `output_format` says, PNG without one, whatever it is.
 */
export function outputOf(task: Task, root: string): Json {
  const kind = FAL_MODELS[task.endpoint]?.unit;
  if (kind === "seconds")
    return { video: task.files.map((file) => described(task, file, root, "mp4", "video/mp4"))[0] };
  if (kind === "audios")
    return { audio: task.files.map((file) => described(task, file, root, "mp3", "audio/mpeg"))[0] };
  const { output_format: format = "png" } = task.input;
  const extension = format === "jpeg" ? "jpg" : String(format);
  return {
    images: task.files.map((file) => ({
      ...described(task, file, root, extension, `image/${String(format)}`),
      ...(file.kind === "image" ? { width: file.width, height: file.height } : {}),
    })),
    description: "",
  };
}

function described(task: Task, file: FileSpec, root: string, extension: string, mime: string): Json {
  return {
    url: fileUrl(root, task, file, extension),
    content_type: mime,
    file_name: `output.${extension}`,
    file_size: null,
  };
}
