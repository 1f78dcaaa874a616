import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Answer, type Call, type Delivery, html, json, readCall, sendAnswer } from "./call.js";
import type { Callbacks } from "./callbacks.js";
import type { Control } from "./control.js";
import { type Dialect, type DialectRoute, findRoute, isAnswer, type Submission } from "./dialect.js";
import { sendFile } from "./download.js";
import { FAULTS, type FaultMoment, type FaultName, faultsInPrompt } from "./faults.js";
import type { FileSpec } from "./files.js";
import { aboutOf } from "./model.js";
import { query } from "./query.js";
import { unreadableReference } from "./references.js";
import type { UpstreamState } from "./state.js";
import type { Outcome, Task } from "./task.js";

interface Submitted {
  answer: Answer;
  delivery?: Delivery;
  taskId?: string;
}

const SLOW_QUEUE_FACTOR = 20;
const QUEUE_LENGTH = 3;
/** Faults that strike when a task is asked for, or its files. */
const KEPT_MOMENTS: ReadonlySet<FaultMoment> = new Set(["poll", "cancel", "download", "task"]);

/** A paid POST: refuses it, or takes it and its money and then answers as ordered. */
async function submit(
  state: UpstreamState,
  callbacks: Callbacks,
  dialect: Dialect,
  route: Extract<DialectRoute, { kind: "submit" }>,
  call: Call,
): Promise<Submitted> {
  const read = route.read(call);
  if (isAnswer(read)) return { answer: read };
  report(state, dialect, read);
  const faults = faultsOf(state, dialect, read);
  const refusal = refusalOf(state, dialect, faults);
  if (refusal) return { answer: refusal };
  if (read.refused) return { answer: read.refused };

  const task = await taskOf(state, dialect, read, faults);
  const { price, endpoint, service } = task;
  const key = (dialect.keyOf(call) ?? "").slice(-4);
  state.accept(task, {
    at: task.acceptedAt,
    service,
    endpoint,
    taskId: task.id,
    key,
    price,
    body: read.body,
  });
  await callbacks.expect(dialect, task, call.root, faults);
  return { taskId: task.id, ...(await answerTo(task, route, call, faults)) };
}

/** What a misspelt or refused field costs at the real service is a breach here. */
function report(state: UpstreamState, dialect: Dialect, { endpoint, judgement }: Submission): void {
  for (const field of judgement.unknown) {
    state.breach(`${dialect.name} ${endpoint}: unknown field ${field}`);
  }
  for (const { field, kind, expected } of judgement.problems) {
    state.breach(`${dialect.name} ${endpoint}: ${field} is refused: ${kind} ${expected}`.trimEnd());
  }
}

function faultsOf(state: UpstreamState, dialect: Dialect, { input }: Submission): Map<FaultName, number> {
  const faults = faultsInPrompt(aboutOf(input));
  for (const moment of ["refuse", "accept", "task", "callback"] as const) {
    for (const fault of state.faults.take(moment, dialect.name)) faults.set(fault, 1);
  }
  return faults;
}

function refusalOf(
  state: UpstreamState,
  dialect: Dialect,
  faults: ReadonlyMap<FaultName, number>,
): Answer | undefined {
  if (faults.has("bad-gateway-before")) return html(502, "502 Bad Gateway");
  const account = state.account(dialect.name);
  if (account !== "good") return dialect.refusals[account];
  const refusal = (
    ["locked", "no-credit", "wrong-key", "maintenance", "rate-limited", "policy-at-submit"] as const
  )
    .filter((name) => faults.has(name))
    .map((name) => dialect.refusals[name])
    .find((answer) => answer !== undefined);
  if (refusal) return refusal;
  return state.hasRoom(dialect.name) ? undefined : dialect.refusals["rate-limited"];
}

async function taskOf(
  state: UpstreamState,
  dialect: Dialect,
  submission: Submission,
  faults: ReadonlyMap<FaultName, number>,
): Promise<Task> {
  const {
    api,
    endpoint,
    input,
    model,
    callbackUrl,
    id,
    busyMs = 0,
    startTimeoutMs = Number.POSITIVE_INFINITY,
  } = submission;
  const { timing } = state.options;
  const slow = faults.has("slow-queue") ? SLOW_QUEUE_FACTOR : 1;
  const isStarted = timing.queueMs * slow <= startTimeoutMs;
  const outcome = isStarted ? await outcomeOf(state, submission, faults) : ({ kind: "not-started" } as const);
  const isMade = outcome.kind === "made" && !faults.has("no-output");
  const units = model.units(input);
  const later = [...faults].filter(([name]) => KEPT_MOMENTS.has(FAULTS[name].at));
  return {
    id: id ?? state.newId(),
    service: dialect.name,
    api,
    endpoint,
    input,
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    acceptedAt: state.time.now(),
    queueMs: isStarted ? timing.queueMs * slow + busyMs : startTimeoutMs,
    runMs: isStarted ? timing.runMs : 0,
    queueLength: QUEUE_LENGTH * slow,
    outcome,
    files: isMade ? model.results(input).map((file): FileSpec => ({ id: state.newId(), ...file })) : [],
    price: { amount: units * (model.unitPrice ?? 1), currency: dialect.currency },
    units,
    faults: Object.fromEntries(later),
    isForgotten: false,
  };
}

async function outcomeOf(
  state: UpstreamState,
  { input, model, judgement }: Submission,
  faults: ReadonlyMap<FaultName, number>,
): Promise<Outcome> {
  if (judgement.problems.length > 0) return { kind: "input", problems: [...judgement.problems] };
  // Where the content is not looked at before, it is looked at in the end.
  if (faults.has("policy-at-result") || faults.has("policy-at-submit")) return { kind: "policy" };
  if (faults.has("failed-at-result")) return { kind: "failed" };
  const field = await unreadableReference(state, model, input);
  return field === undefined ? { kind: "made" } : { kind: "reference", field };
}

async function answerTo(
  task: Task,
  route: Extract<DialectRoute, { kind: "submit" }>,
  call: Call,
  faults: ReadonlyMap<FaultName, number>,
): Promise<Pick<Submitted, "answer" | "delivery">> {
  if (faults.has("no-id")) return { answer: route.withoutId };
  if (faults.has("html-after-accept")) return { answer: html(200, "Welcome") };
  if (faults.has("bad-gateway-after")) return { answer: html(502, "502 Bad Gateway") };
  if (faults.has("hang-after-accept")) return { answer: { status: 200 }, delivery: "never" };
  if (faults.has("drop-after-accept")) return { answer: { status: 200 }, delivery: "cut" };
  const answer = await route.accepted(task, call);
  return faults.has("truncate-after-accept") ? { answer, delivery: "half" } : { answer };
}

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
    kind: target?.route.kind ?? (isFilePath(url.pathname) ? "file" : "unknown"),
    method,
    path: url.pathname,
    at: state.time.now(),
  });
  try {
    if (target && state.isDown(target.dialect.name)) return void request.socket.destroy();
    if (target?.route.kind === "submit" && state.faults.take("connect", target.dialect.name).length > 0) {
      return void request.socket.destroy();
    }
    const call = await readCall(request, url, target?.named);
    if (target) {
      const { answer, delivery, taskId } = await answerOf(parts, target, call);
      if (taskId !== undefined) logged.taskId = taskId;
      return sendAnswer(response, answer, delivery);
    }
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

interface Target {
  dialect: Dialect;
  route: DialectRoute;
  named: string;
}

function targetOf({ dialects }: Parts, method: string, url: URL): Target | undefined {
  for (const dialect of dialects) {
    const found = findRoute(dialect, method, url.pathname);
    if (found) return { dialect, ...found };
  }
  return undefined;
}

async function answerOf(
  { state, callbacks }: Parts,
  { dialect, route }: Target,
  call: Call,
): Promise<Submitted> {
  const isFree = route.kind === "plain" && route.isFree === true;
  const refusal = dialect.gate?.(call) ?? (isFree ? undefined : refusalOfKey(state, dialect, call));
  if (refusal) return { answer: refusal };
  switch (route.kind) {
    case "submit":
      return submit(state, callbacks, dialect, route, call);
    case "task": {
      const taskId = route.idOf?.(call) ?? call.named;
      return { taskId, ...query(state, dialect, route, taskId, call) };
    }
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
