import type { TelegramFile } from "@gramio/types";
import { badRequest } from "../errors.js";
import type { Call, Methods } from "../state.js";

/** Files that the bot wants to read. */
export const fileMethods: Methods = { getFile };

function getFile({ params, state }: Call): TelegramFile {
  const id = params.text("file_id");
  if (id === undefined || id === "") throw badRequest("file_id not specified");
  const file = state.files.byId(id);
  if (!file) throw badRequest("invalid file_id");
  if (file.size > state.limits.downloadBytesMax) throw badRequest("file is too big");
  if (file.bytes.length === 0) throw badRequest("wrong file_id or the file is temporarily unavailable");
  const file_path = state.files.pathFor(file);
  return { file_id: file.id, file_unique_id: file.uniqueId, file_size: file.size, file_path };
}
