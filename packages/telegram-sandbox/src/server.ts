import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize, sep } from "node:path";
import { answerFile, answerMethod } from "./bot-api.js";
import type { ChatRoutes } from "./chat-routes.js";
import { BotApiError } from "./errors.js";
import { sendJson } from "./http-answer.js";
import { answerServices, type ServicesControl } from "./services-routes.js";
import type { SandboxState } from "./state.js";

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
async function answerPage(
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

const LOCAL_HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost"]);

export interface Routes {
  state: SandboxState;
  chat: ChatRoutes;
  services: ServicesControl | undefined;
  pageDirectory: string;
}

/** Listens on 127.0.0.1 only, and answers only to that name, so that no foreign page reaches it. */
export function startServer(routes: Routes, port: number): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    response.on("error", () => response.destroy());
    answer(routes, request, response).catch((error: unknown) => {
      if (error instanceof BotApiError) return sendJson(response, error.code, { error: error.description });
      routes.state.breach(`the sandbox failed: ${error instanceof Error ? error.stack : String(error)}`);
      sendJson(response, 500, { error: "internal error" });
    });
  });
  server.on("clientError", (_, socket) => socket.destroy());
  // A client's kept-alive connection must not meet a server that closes it at the same moment.
  server.keepAliveTimeout = 120_000;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const { port: bound } = server.address() as AddressInfo;
      resolve({ server, url: `http://127.0.0.1:${bound}` });
    });
  });
}

async function answer(routes: Routes, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!isLocal(request)) return sendJson(response, 403, { error: "this server answers to 127.0.0.1 only" });
  const target = `http://127.0.0.1${request.url?.startsWith("/") ? request.url : "/"}`;
  if (!URL.canParse(target)) return sendJson(response, 400, { error: "bad address" });
  const { pathname, searchParams } = new URL(target);
  const { state } = routes;
  if (pathname.startsWith("/bot")) {
    const path = decode(pathname.slice("/bot".length));
    return answerMethod(state, path, searchParams, request, response);
  }
  if (pathname.startsWith("/file/bot")) {
    return answerFile(state, decode(pathname.slice("/file/bot".length)), response);
  }
  if (pathname.startsWith("/chat/")) return routes.chat.answer(pathname, searchParams, request, response);
  // For a test in another process than the sandbox.
  if (pathname === "/control/calls") return sendJson(response, 200, state.calls.list);
  if (pathname.startsWith("/services/")) return answerServices(routes.services, pathname, request, response);
  return answerPage(routes.pageDirectory, decode(pathname), request, response);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Sites that a browser sends: of what the page itself asks for, and of an address that a person opens. */
const OWN_FETCH_SITES: ReadonlySet<unknown> = new Set([undefined, "same-origin", "none"]);

/**
 * Host must be this machine (DNS rebinding), and so must Origin and Sec-Fetch-Site where a browser sends them: a GET
 * of a foreign page, such as that of an image, has no Origin.
 */
function isLocal({ headers }: IncomingMessage): boolean {
  const host = (headers.host ?? "").replace(/:\d+$/, "");
  if (!LOCAL_HOSTS.has(host) || !OWN_FETCH_SITES.has(headers["sec-fetch-site"])) return false;
  return headers.origin === undefined || headers.origin === `http://${headers.host}`;
}
