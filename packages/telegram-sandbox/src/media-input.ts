import { basename } from "node:path";
import { badRequest } from "./errors.js";
import type { FileKind } from "./file-kind.js";
import { checkUploadSize, mimeTypeOf, type NewFile, type StoredFile } from "./files.js";
import type { Params } from "./params.js";
import type { SandboxState } from "./state.js";

const PHOTO_BYTES_MAX = 5 * 1024 * 1024;
const FILE_BYTES_MAX = 20 * 1024 * 1024;
const DOWNLOAD_TIMEOUT_MS = 10_000;
const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** What Telegram fetches for sendDocument by address, by its own text. */
const DOCUMENT_TYPES: ReadonlySet<string> = new Set(["image/gif", "application/pdf", "application/zip"]);

/**
 * Fetches media that a request names by address. The sandbox loads nothing from outside: only
 * addresses of this machine are fetched, every other fails as an unreachable one does.
 */
async function downloadMedia(address: string, kind: FileKind): Promise<NewFile> {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  if (!URL.canParse(full)) throw badRequest("wrong file identifier/HTTP URL specified");
  const url = new URL(full);
  if (!LOOPBACK.has(url.hostname)) throw badRequest("failed to get HTTP URL content");
  const { bytes, mimeType } = await fetchBytes(url, kind === "photo" ? PHOTO_BYTES_MAX : FILE_BYTES_MAX);
  if (!isWanted(kind, mimeType)) throw badRequest("wrong type of the web page content");
  return { bytes, fileName: basename(url.pathname) || "file", mimeType };
}

async function fetchBytes(url: URL, bytesMax: number): Promise<{ bytes: Buffer; mimeType: string }> {
  try {
    const response = await fetch(url, {
      redirect: "error",
      signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS),
    });
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > bytesMax) throw new Error("too big");
      chunks.push(chunk);
    }
    const given = response.headers.get("content-type")?.split(";")[0]?.trim() ?? "";
    return { bytes: Buffer.concat(chunks), mimeType: given || mimeTypeOf(url.pathname, "") };
  } catch {
    throw badRequest("failed to get HTTP URL content");
  }
}

function isWanted(kind: FileKind, mimeType: string): boolean {
  if (kind === "photo") return mimeType.startsWith("image/");
  if (kind === "document") return DOCUMENT_TYPES.has(mimeType);
  if (kind === "video") return mimeType.startsWith("video/");
  if (kind === "audio" || kind === "voice") return mimeType.startsWith("audio/");
  return true;
}

const ATTACHED = "attach://";

/** A file that a request names: new bytes, or a file the server has. */
export type MediaInput = { stored: StoredFile } | { fresh: NewFile; isUpload: boolean };

/**
 * Finds the file that a parameter names: an upload, `attach://`, an HTTP address or a file_id.
 * @throws BotApiError in the server's words
 */
export async function readMedia(
  state: SandboxState,
  params: Params,
  name: string,
  kind: FileKind,
): Promise<MediaInput> {
  const value = params.text(name);
  if (value === undefined || value === "") throw missing(kind);
  if (value.startsWith(ATTACHED)) return uploaded(params, value.slice(ATTACHED.length), kind);
  // td takes everything with a dot for an address, also without a scheme.
  if (value.includes(".")) return { fresh: await downloadMedia(value, kind), isUpload: false };
  const stored = state.files.byId(value);
  if (!stored) throw badRequest("wrong remote file identifier specified: can't unserialize it");
  return { stored };
}

function missing(kind: FileKind): Error {
  return badRequest(`there is no ${kind.replace("_", " ")} in the request`);
}

function uploaded(params: Params, part: string, kind: FileKind): MediaInput {
  const upload = params.uploads.get(part);
  if (!upload) throw missing(kind);
  checkUploadSize(kind, upload.bytes.length);
  const fileName = upload.fileName || "file";
  const mimeType = mimeTypeOf(fileName, upload.mimeType);
  return { fresh: { bytes: upload.bytes, fileName, mimeType }, isUpload: true };
}
