import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { sendJson } from "./http-answer.js";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".map": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
};

/** The page may load nothing but what this server gives. */
const POLICY =
  "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob: data:; style-src 'self' 'unsafe-inline'";

/** Sends a file of the chat page; `/` is its index. */
export async function answerPage(
  directory: string,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return sendJson(response, 405, { error: "method not allowed" });
  }
  const relative = normalize(path === "/" ? "index.html" : `.${path}`);
  const type = TYPES[extname(relative)];
  if (relative.startsWith("..") || relative.includes(`..${sep}`) || relative.includes("\0") || !type) {
    return sendJson(response, 404, { error: "not found" });
  }
  try {
    const bytes = await readFile(join(directory, relative));
    const headers = { "content-type": type, "content-security-policy": POLICY, "cache-control": "no-cache" };
    response.writeHead(200, { ...headers, "x-content-type-options": "nosniff" }).end(bytes);
  } catch {
    sendJson(response, 404, { error: "not found" });
  }
}
