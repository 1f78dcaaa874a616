import { badRequest } from "./errors.js";
import type { FileKind } from "./file-kind.js";
import { checkUploadSize, mimeTypeOf, type NewFile, type StoredFile } from "./files.js";
import type { Params } from "./params.js";
import type { SandboxState } from "./state.js";

const ATTACHED = "attach://";

/** A file that a request names: new bytes, or a file the server has. */
export type MediaInput = { stored: StoredFile } | { fresh: NewFile };

/**
 * Finds the file that a parameter names: an upload, `attach://` or a file_id.
 * @throws BotApiError in the server's words
 */
export function readMedia(state: SandboxState, params: Params, name: string, kind: FileKind): MediaInput {
  const value = params.text(name);
  if (value === undefined || value === "") throw missing(kind);
  if (value.startsWith(ATTACHED)) return uploaded(params, value.slice(ATTACHED.length), kind);
  // td takes everything with a dot for an address, also without a scheme. The sandbox loads nothing.
  if (value.includes(".")) throw badRequest("failed to get HTTP URL content");
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
  return { fresh: { bytes: upload.bytes, fileName, mimeType } };
}
