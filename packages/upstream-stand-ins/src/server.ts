import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, type Call, type Delivery, json, readCall, sendAnswer } from "./call.js";
import type { LoggedCall } from "./call-log.js";
import type { Callbacks } from "./callbacks.js";
import type { Control } from "./control.js";
import type { Dialect, DialectRoute } from "./dialect.js";
import { sendFile } from "./download.js";
import { query } from "./query.js";
import type { UpstreamState } from "./state.js";
import { submit } from "./submit.js";

export interface Parts {
  state: UpstreamState;
  callbacks: Callbacks;
  dialects: readonly Dialect[];
  control: Control;
}

/** Listens on 127.0.0.1 only. @param port 0 for any */
export function listen(parts: Parts, port: number): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    response.on("error", () => response.destroy());
    handle(parts, request, response).catch((error: unknown) => {
      // A client that goes away while it sends is no fault of the stand-in.
      if (request.complete)
        parts.state.breach(`the stand-in failed: ${error instanceof Error ? error.stack : error}`);
      response.destroy();
    });
  });
  server.keepAliveTimeout = 120_000;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      const { port: bound } = server.address() as AddressInfo;
      resolve({ server, url: `http://127.0.0.1:${bound}` });
    });
  });
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function handle(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { state } = parts;
  const url = new URL(request.url ?? "/", "http://127.0.0.1");
  const method = request.method ?? "GET";
  if (url.pathname.startsWith("/control/")) {
    return sendAnswer(response, parts.control.answer(await readCall(request, url)));
  }
  const target = targetOf(parts, method, url);
  const logged = state.calls.begin({
    service: target?.dialect.name,
    kind: kindOf(target?.route) ?? (isFilePath(url.pathname) ? "file" : "unknown"),
    method,
    path: url.pathname,
    at: state.time.now(),
  });
  try {
    if (target && state.isDown(target.dialect.name)) return void request.socket.destroy();
    if (target?.route.kind === "submit" && state.faults.take("connect", target.dialect.name).length > 0) {
      return void request.socket.destroy();
    }
    const call = await readCall(request, url);
    if (target) return await answer(parts, target, call, response, logged);
    if (isFilePath(url.pathname)) return await sendFile(state, call, response);
    state.breach(`unknown path: ${method} ${url.pathname}`);
    sendAnswer(response, json(404, { detail: "Not Found" }));
  } finally {
    if (response.headersSent) logged.status = response.statusCode;
    state.calls.changed();
  }
}

function isFilePath(path: string): boolean {
  return path.startsWith("/files/") || path.startsWith("/uploads/");
}

function kindOf(route: DialectRoute | undefined): LoggedCall["kind"] | undefined {
  return route?.kind === "named-task" ? "task" : route?.kind;
}

interface Target {
  dialect: Dialect;
  route: DialectRoute;
}

function targetOf({ dialects }: Parts, method: string, url: URL): Target | undefined {
  for (const dialect of dialects) {
    const route = dialect.route(method, url.pathname, url.searchParams);
    if (route) return { dialect, route };
  }
  return undefined;
}

async function answer(
  parts: Parts,
  target: Target,
  call: Call,
  response: ServerResponse,
  logged: LoggedCall,
): Promise<void> {
  const { answer: given, delivery, taskId } = await answerOf(parts, target, call);
  if (taskId !== undefined) logged.taskId = taskId;
  sendAnswer(response, given, delivery);
}

async function answerOf(
  { state, callbacks }: Parts,
  { dialect, route: given }: Target,
  call: Call,
): Promise<{ answer: Answer; delivery?: Delivery; taskId?: string }> {
  const isFree = given.kind === "plain" && given.isFree === true;
  const refusal = dialect.gate?.(call) ?? (isFree ? undefined : refusalOfKey(state, dialect, call));
  if (refusal) return { answer: refusal };
  const route = given.kind === "named-task" ? given.read(call) : given;
  switch (route.kind) {
    case "submit":
      return submit(state, callbacks, dialect, route, call);
    case "task":
      return { taskId: route.id, ...query(state, dialect, route, call) };
    case "upload":
      return { answer: uploadAnswer(state, dialect, route.answer, call) };
    case "plain":
      return { answer: await route.answer(call) };
  }
}

function refusalOfKey(state: UpstreamState, dialect: Dialect, call: Call): Answer | undefined {
  const key = dialect.keyOf(call);
  const expected = state.options.keys[dialect.name];
  const isRight = key !== undefined && (expected === undefined || key === expected);
  return isRight && state.account(dialect.name) !== "wrong-key" ? undefined : dialect.refusals["wrong-key"];
}

function uploadAnswer(
  state: UpstreamState,
  dialect: Dialect,
  give: (call: Call) => Answer,
  call: Call,
): Answer {
  if (state.faults.take("upload", dialect.name).length > 0)
    return json(500, { detail: "Internal Server Error" });
  // fal refuses the uploads of a locked account too.
  if (dialect.name === "fal" && state.account("fal") !== "good")
    return dialect.refusals.locked ?? { status: 403 };
  return give(call);
}
