import { extname } from "node:path";
import type { TelegramPhotoSize } from "@gramio/types";
import { badRequest, upstreamBadRequest } from "./errors.js";
import type { FileKind } from "./file-kind.js";
import type { FileFacts, StoredFile } from "./files.js";
import { type ImageSize, imageSize } from "./image-size.js";
import type { MediaInput } from "./media-input.js";
import { type Params, present } from "./params.js";
import type { SandboxState } from "./state.js";
import type { Content } from "./world.js";

/** Limits thumbnails, as td's FileManager does: a larger one is left out. */
const THUMBNAIL_BYTES_MAX = 200 * 1024 - 1;
const THUMBNAIL_SIDE_MAX = 320;
const ATTACHED = "attach://";

/** What a call says of the file that it uploads. */
function readFacts(state: SandboxState, params: Params): FileFacts {
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

const PHOTO_SIDES_SUM_MAX = 10_000;
const PHOTO_RATIO_MAX = 20;
const PHOTO_SIDE_KEPT_MAX = 2560;
const THUMBNAIL_SIDE = 90;

/** Extensions that the server's own words allow, and WebP, of which reports differ. */
const PHOTO_EXTENSIONS: ReadonlySet<string> = new Set([".jpg", ".jpeg", ".gif", ".png", ".tif", ".bmp"]);

/** Kinds that the server makes of an upload when the sender leaves content detection on. */
const DETECTED: Readonly<Record<string, FileKind>> = {
  "image/webp": "sticker",
  "image/gif": "animation",
  "audio/mpeg": "audio",
};

/**
 * The media of a message: stores new bytes and describes the file as its kind wants it.
 * @throws BotApiError for a photo that is none, and for a file_id of another kind
 */
export function mediaContent(
  state: SandboxState,
  kind: FileKind,
  input: MediaInput,
  params: Params,
): Content {
  const file = "stored" in input ? input.stored : store(state, kind, input, params);
  if ("stored" in input && !isUsableAs(file, kind)) {
    throw badRequest(`can't use file of type ${title(file.kind)} as ${title(kind)}`);
  }
  return describeFile(file);
}

function store(
  state: SandboxState,
  kind: FileKind,
  input: Extract<MediaInput, { fresh: unknown }>,
  params: Params,
): StoredFile {
  const detected = !params.flag("disable_content_type_detection");
  const { mimeType } = input.fresh;
  const asked = kind === "document" && detected ? (DETECTED[mimeType] ?? kind) : kind;
  // Only MPEG-4 is shown as a video; anything else arrives as a document, and Ogg audio as a voice message.
  const isOther = asked === "video" && mimeType !== "video/mp4";
  const isVoice = asked === "audio" && (mimeType === "audio/ogg" || mimeType === "audio/opus");
  const kept = isOther ? "document" : isVoice ? "voice" : asked;
  if (kept === "photo") checkPhotoName(input.fresh.fileName);
  const file = state.files.add(kept, input.fresh, readFacts(state, params));
  if (kept === "photo") checkPhoto(file);
  return file;
}

/** Keeps photos apart: any other file is sent by its id in any method, and stays what it is. */
function isUsableAs(file: StoredFile, kind: FileKind): boolean {
  return (file.kind === "photo") === (kind === "photo");
}

function checkPhotoName(fileName: string): void {
  const extension = extname(fileName).toLowerCase();
  if (extension === "" || PHOTO_EXTENSIONS.has(extension)) return;
  const list = ".jpg, .jpeg, .gif, .png, .tif or .bmp";
  throw upstreamBadRequest(`photo has unsupported extension. Use one of ${list}`);
}

function title(kind: FileKind): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}

function checkPhoto({ dimensions }: StoredFile): void {
  if (!dimensions) throw upstreamBadRequest("IMAGE_PROCESS_FAILED");
  const { width, height } = dimensions;
  const ratio = Math.max(width, height) / Math.max(1, Math.min(width, height));
  if (width + height > PHOTO_SIDES_SUM_MAX || ratio > PHOTO_RATIO_MAX || width * height === 0) {
    throw upstreamBadRequest("PHOTO_INVALID_DIMENSIONS");
  }
}

/** A stored file as the field of a message that shows it. */
export function describeFile(file: StoredFile): Content {
  const { facts, dimensions } = file;
  const about = { ...identity(file), file_size: file.size };
  const thumbnail = facts.thumbnail && pictureOf(facts.thumbnail);
  const named = present({ ...about, file_name: file.fileName, mime_type: file.mimeType, thumbnail });
  const sides = {
    width: facts.width ?? dimensions?.width ?? 0,
    height: facts.height ?? dimensions?.height ?? 0,
  };
  const { duration = 0, performer, title: songTitle } = facts;
  switch (file.kind) {
    case "photo":
      return { photo: photoSizes(file) };
    case "video":
      return { video: { ...named, ...sides, duration } };
    case "animation": {
      // The server adds the document for clients that know no animations.
      return { animation: { ...named, ...sides, duration }, document: named };
    }
    case "audio":
      return { audio: present({ ...named, duration, performer, title: songTitle }) };
    case "voice":
      return { voice: { ...about, mime_type: file.mimeType, duration } };
    case "sticker":
      return { sticker: stickerOf(file, sides) };
    case "document":
      return { document: named };
  }
}

function stickerOf(file: StoredFile, sides: ImageSize): NonNullable<Content["sticker"]> {
  const kind = { type: "regular" as const, is_animated: false, is_video: false };
  return present({ ...identity(file), ...kind, ...sides, emoji: file.facts.emoji, file_size: file.size });
}

function identity(file: StoredFile): { file_id: string; file_unique_id: string } {
  return { file_id: file.id, file_unique_id: file.uniqueId };
}

function pictureOf(file: StoredFile): TelegramPhotoSize {
  return { ...identity(file), ...(file.dimensions ?? { width: 1, height: 1 }), file_size: file.size };
}

/** A thumbnail and the picture. Both are the same bytes: the sandbox does not scale. */
function photoSizes(file: StoredFile): TelegramPhotoSize[] {
  const full = scaled(file.dimensions ?? { width: 1, height: 1 }, PHOTO_SIDE_KEPT_MAX);
  const thumbnail = scaled(full, THUMBNAIL_SIDE);
  const about = { ...identity(file), file_size: file.size };
  const small = { ...about, ...thumbnail, file_unique_id: `${file.uniqueId}s` };
  return [small, { ...about, ...full }];
}

function scaled({ width, height }: ImageSize, side: number): ImageSize {
  const scale = Math.min(1, side / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}
