import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { badRequest } from "./errors.js";
import type { FileKind } from "./file-kind.js";
import { type ImageSize, imageSize } from "./image-size.js";
import type { KeptFile } from "./kept-state.js";
import { present } from "./params.js";

/** Writes the bytes of a file below a directory, where its path says. */
function writeStoredFile(directory: string, { path, bytes }: { path: string; bytes: Buffer }): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), bytes);
}

/** The bytes of a file; none where it is gone. */
function readStoredFile(directory: string, path: string): Buffer {
  try {
    return readFileSync(join(directory, path));
  } catch {
    return Buffer.alloc(0);
  }
}

/** What its sender said of a file. It stays with the file when that is sent again by its id. */
export interface FileFacts {
  width?: number;
  height?: number;
  /** Seconds. */
  duration?: number;
  performer?: string;
  title?: string;
  thumbnail?: StoredFile;
  /** What a sticker stands for. */
  emoji?: string;
}

export interface StoredFile {
  readonly id: string;
  readonly uniqueId: string;
  readonly kind: FileKind;
  readonly path: string;
  readonly fileName: string;
  readonly mimeType: string;
  readonly size: number;
  readonly dimensions: ImageSize | undefined;
  readonly facts: FileFacts;
  /** Empty once the store dropped the bytes of its oldest files. */
  bytes: Buffer;
}

export interface NewFile {
  bytes: Buffer;
  fileName: string;
  mimeType: string;
}

const FOLDERS: Readonly<Record<FileKind, string>> = {
  photo: "photos",
  document: "documents",
  video: "videos",
  audio: "music",
  animation: "animations",
  voice: "voice",
  sticker: "stickers",
};

/** Names the folder that keeps files beside the memory. */
export interface FilePlace {
  directory?: string | undefined;
  /** Whether their paths are told, as by a server with `--local`. */
  isLocal: boolean;
}

const BYTES_MAX = 512 * 1024 * 1024;

/**
 * The files of the sandbox, in memory, and in a directory where there is one. Over the cap the bytes of the oldest go;
 * the ids stay.
 */
export class FileStore {
  readonly #byId = new Map<string, StoredFile>();
  readonly #byPath = new Map<string, StoredFile>();
  readonly #held: StoredFile[] = [];
  #heldBytes = 0;

  readonly #listeners = new Set<() => void>();

  constructor(private readonly place: FilePlace) {}

  /** Calls `listener` after every new file until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  add(kind: FileKind, { bytes, fileName, mimeType }: NewFile, facts: FileFacts = {}): StoredFile {
    // Photos are kept as JPEG, whatever was uploaded.
    const own = kind === "photo" ? ".jpg" : extname(fileName).slice(0, 12);
    const extension = own || EXTENSIONS[mimeType] || DEFAULTS[kind] || "";
    const file: StoredFile = {
      id: `${kind}-${randomBytes(24).toString("base64url")}`,
      uniqueId: createHash("sha256").update(bytes).digest("base64url").slice(0, 16),
      kind,
      path: `${FOLDERS[kind]}/file_${this.#byId.size}${extension.replace(/[^\w.]/g, "")}`,
      fileName,
      mimeType,
      size: bytes.length,
      dimensions: imageSize(bytes),
      facts,
      bytes,
    };
    if (this.place.directory !== undefined) writeStoredFile(this.place.directory, file);
    this.#register(file);
    for (const listener of [...this.#listeners]) listener();
    return file;
  }

  /** Facts of all files, without their bytes. */
  kept(): KeptFile[] {
    return [...this.#byId.values()].map(({ bytes: _, facts: { thumbnail, ...facts }, ...file }) => ({
      ...file,
      facts,
      ...(thumbnail ? { thumbnailId: thumbnail.id } : {}),
    }));
  }

  /** Takes the files of an earlier run; one whose bytes are gone keeps its id only. */
  restore(files: readonly KeptFile[]): void {
    const { directory } = this.place;
    for (const { facts, thumbnailId, dimensions, ...file } of files) {
      const thumbnail = thumbnailId === undefined ? undefined : this.#byId.get(thumbnailId);
      const bytes = directory === undefined ? Buffer.alloc(0) : readStoredFile(directory, file.path);
      this.#register({ ...file, dimensions, bytes, facts: present<FileFacts>({ ...facts, thumbnail }) });
    }
  }

  #register(file: StoredFile): void {
    this.#byId.set(file.id, file);
    this.#byPath.set(file.path, file);
    this.#hold(file);
  }

  byId(id: string): StoredFile | undefined {
    return this.#byId.get(id);
  }

  /** The path that getFile tells. */
  pathFor({ path }: StoredFile): string {
    const { directory, isLocal } = this.place;
    return isLocal && directory !== undefined ? resolve(directory, path) : path;
  }

  byPath(path: string): StoredFile | undefined {
    return this.#byPath.get(path);
  }

  #hold(file: StoredFile): void {
    this.#held.push(file);
    this.#heldBytes += file.size;
    while (this.#heldBytes > BYTES_MAX && this.#held.length > 1) {
      const oldest = this.#held.shift();
      if (!oldest) return;
      this.#heldBytes -= oldest.size;
      oldest.bytes = Buffer.alloc(0);
    }
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/webp": ".webp",
  "image/gif": ".gif",
  "video/mp4": ".mp4",
  "audio/mpeg": ".mp3",
  "audio/ogg": ".oga",
};

const DEFAULTS: Readonly<Partial<Record<FileKind, string>>> = {
  photo: ".jpg",
  video: ".mp4",
  audio: ".mp3",
  voice: ".oga",
  sticker: ".webp",
};

const MIME_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".webp": "image/webp",
  ".gif": "image/gif",
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".mp3": "audio/mpeg",
  ".m4a": "audio/mp4",
  ".wav": "audio/x-wav",
  ".ogg": "audio/ogg",
  ".oga": "audio/ogg",
  ".pdf": "application/pdf",
  ".zip": "application/zip",
  ".txt": "text/plain",
  ".json": "application/json",
};

/** The type by the name's extension, else the one that came along. */
export function mimeTypeOf(fileName: string, given: string): string {
  return MIME_TYPES[extname(fileName).toLowerCase()] ?? (given || "application/octet-stream");
}

/** @throws BotApiError when a file is empty or over what its kind may weigh */
export function checkUploadSize(kind: FileKind, size: number): void {
  if (size === 0) throw badRequest("file must be non-empty");
  if (kind === "photo" && size > PHOTO_BYTES_MAX) {
    throw badRequest(
      `file of size ${size} bytes is too big for a photo; the maximum size is ${PHOTO_BYTES_MAX} bytes`,
    );
  }
}

export const PHOTO_BYTES_MAX = 10 * 1024 * 1024;
