import type { IncomingMessage, ServerResponse } from "node:http";
import type { StoredFile } from "./files.js";
import { sendJson } from "./http-answer.js";

/** Types that a browser may show by itself; anything else is only offered for download. */
const SHOWN = /^(image\/(png|jpeg|webp|gif)|video\/(mp4|webm)|audio\/[\w.+-]+)$/;

/** Sends the bytes of a file, or the range of them that was asked for (players seek so). */
export function sendStoredFile(
  file: StoredFile | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!file || file.bytes.length === 0) {
    sendJson(response, 404, { error: "no such file" });
    return;
  }
  const isShown = SHOWN.test(file.mimeType);
  const headers = {
    "content-type": isShown ? file.mimeType : "application/octet-stream",
    "content-disposition": isShown
      ? "inline"
      : `attachment; filename*=UTF-8''${encodeURIComponent(file.fileName)}`,
    "cache-control": "private, max-age=3600",
    "accept-ranges": "bytes",
    "x-content-type-options": "nosniff",
  };
  const range = readRange(request.headers.range, file.size);
  if (range === "unsatisfiable") {
    response.writeHead(416, { "content-range": `bytes */${file.size}` }).end();
    return;
  }
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const length = { "content-length": end - start + 1 };
  const partial = range ? { "content-range": `bytes ${start}-${end}/${file.size}` } : {};
  response.writeHead(range ? 206 : 200, { ...headers, ...length, ...partial });
  response.end(request.method === "HEAD" ? undefined : file.bytes.subarray(start, end + 1));
}

function readRange(
  header: string | undefined,
  size: number,
): { start: number; end: number } | "unsatisfiable" | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? "");
  if (!match || (match[1] === "" && match[2] === "")) return undefined;
  const [, from = "", to = ""] = match;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return start > end ? "unsatisfiable" : { start, end };
}
