import type { FileFacts, StoredFile } from "./files.js";
import { imageSize } from "./image-size.js";
import { type Params, present } from "./params.js";
import type { SandboxState } from "./state.js";

/** Limits thumbnails, as td's FileManager does: a larger one is left out. */
const THUMBNAIL_BYTES_MAX = 200 * 1024 - 1;
const THUMBNAIL_SIDE_MAX = 320;
const ATTACHED = "attach://";

/** What a call says of the file that it uploads. */
export function readFacts(state: SandboxState, params: Params): FileFacts {
  return present<FileFacts>({
    width: params.integer("width"),
    height: params.integer("height"),
    duration: params.integer("duration"),
    performer: params.text("performer"),
    title: params.text("title"),
    thumbnail: readThumbnail(state, params),
  });
}

/** A thumbnail that does not fit is no error: the server leaves it out without a word. */
function readThumbnail(state: SandboxState, params: Params): StoredFile | undefined {
  const value = params.text("thumbnail");
  const upload = value?.startsWith(ATTACHED) ? params.uploads.get(value.slice(ATTACHED.length)) : undefined;
  if (!upload) return undefined;
  const { bytes } = upload;
  const sides = imageSize(bytes);
  const isJpeg = bytes.length > 2 && bytes.readUInt16BE(0) === 0xffd8;
  const isSmall = sides !== undefined && Math.max(sides.width, sides.height) <= THUMBNAIL_SIDE_MAX;
  if (!isJpeg || !isSmall || bytes.length > THUMBNAIL_BYTES_MAX) return undefined;
  return state.files.add("photo", {
    bytes,
    fileName: upload.fileName || "thumb.jpg",
    mimeType: "image/jpeg",
  });
}
