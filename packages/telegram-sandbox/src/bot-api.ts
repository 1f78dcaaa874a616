import type { IncomingMessage, ServerResponse } from "node:http";
import type { LoggedCall } from "./call-log.js";
import { BotApiError, badRequest, tooManyRequests } from "./errors.js";
import type { FaultAnswer } from "./faults.js";
import { sendJson } from "./http-answer.js";
import { methods } from "./methods/all.js";
import { isRecord, type Json, Params } from "./params.js";
import { type RequestBody, readBody } from "./request-body.js";
import type { BotApiSchema, JsonSchema } from "./schema.js";
import type { Call, SandboxState } from "./state.js";

/**
 * Brings parameters that came as strings (forms, multipart, and JSON bodies that quote them) to the
 * types of the schema, as the real server does: it reads every argument from text. A null is left out.
 * @throws BotApiError for text that is no JSON where an object is expected, and for half a surrogate pair
 */
function coerceParams(schema: BotApiSchema, method: string, raw: Json): Json {
  const schemas = schema.paramsOf(method);
  const entries = Object.entries(raw).filter(([, value]) => value !== null);
  const coerced = entries.map(([name, value]) => {
    const of = schemas[name];
    return [name, of && typeof value === "string" ? coerce(name, value, typesOf(schema, of)) : value];
  });
  const params: Json = Object.fromEntries(coerced);
  if (!isWellFormed(params)) throw badRequest("strings must be encoded in UTF-8");
  return params;
}

/** Names of parameters that are null, which the real server reads as the text "null". */
function nullParams(raw: Json): string[] {
  return Object.keys(raw).filter((name) => raw[name] === null);
}

const HALF_SURROGATE_PAIR = /\p{Surrogate}/u;

/** False where a string inside holds half a surrogate pair. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return !HALF_SURROGATE_PAIR.test(value);
  if (Array.isArray(value)) return value.every(isWellFormed);
  return !isRecord(value) || Object.entries(value).flat().every(isWellFormed);
}

function coerce(name: string, value: string, types: ReadonlySet<string>): unknown {
  const isNumber = types.has("integer") || types.has("number");
  if (isNumber && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (types.has("string")) return value;
  if (types.has("boolean")) return ["true", "yes", "1"].includes(value.toLowerCase());
  if (types.has("object") || types.has("array")) return parse(name, value);
  return value;
}

function parse(name: string, value: string): unknown {
  if (value === "") return undefined;
  try {
    return JSON.parse(value);
  } catch {
    throw badRequest(`can't parse ${WORDS[name] ?? name} JSON object`);
  }
}

/** The real server's words for the objects it reads. */
const WORDS: Readonly<Record<string, string>> = {
  reply_markup: "reply keyboard markup",
  reply_parameters: "reply parameters",
};

function typesOf(schema: BotApiSchema, of: JsonSchema): Set<string> {
  const resolved = schema.resolve(of);
  if (resolved.anyOf) return new Set(resolved.anyOf.flatMap((option) => [...typesOf(schema, option)]));
  if (typeof resolved.const === "boolean") return new Set(["boolean"]);
  if (Array.isArray(resolved.type)) return new Set(resolved.type);
  return new Set(typeof resolved.type === "string" ? [resolved.type] : []);
}

type Outcome = { ok: true; result: unknown } | { ok: false; error: BotApiError };

/** Answers `/bot<token>/<method>`. */
export async function answerMethod(
  state: SandboxState,
  path: string,
  query: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [token = "", name = "", ...rest] = path.split("/");
  if (token !== state.token) return sendOutcome(response, refusedToken(token));
  const method = rest.length === 0 ? state.schema.methodNamed(name) : undefined;
  if (!method) return sendOutcome(response, failed(404, "Not Found: method not found"));
  let body: RequestBody;
  const cut = state.faults.uploadCut(method);
  let isCut = false;
  try {
    const onSize = (bytes: number) => {
      if (!cut || isCut || bytes <= cut.afterBytes) return;
      isCut = true;
      cut.strike();
      request.socket.destroy();
    };
    body = await readBody(request, query, onSize, state.limits);
  } catch (error) {
    const outcome = outcomeOf(state, method, error);
    logUnread(state, method, isCut ? { error: "cut" } : logged(outcome));
    return sendOutcome(response, outcome);
  }
  await new MethodCall(state, method, body, response).run();
}

/** Logs a call whose body could not be read. */
function logUnread(
  { calls, clock }: SandboxState,
  method: string,
  outcome: Pick<LoggedCall, "status" | "result" | "error">,
): void {
  const call = calls.begin({ method, params: {}, uploads: {}, atMs: clock.now() });
  calls.end(call, outcome, clock.now());
}

function logged(outcome: Outcome): Pick<LoggedCall, "status" | "result" | "error"> {
  if (outcome.ok) return { status: 200, result: outcome.result };
  return { status: outcome.error.code, error: outcome.error.description };
}

function refusedToken(token: string): Outcome {
  return /^\d+:[\w-]+$/.test(token) ? failed(401, "Unauthorized") : failed(404, "Not Found");
}

function failed(code: number, description: string): Outcome {
  return { ok: false, error: new BotApiError(code, description) };
}

/** One call from its body to its answer, with the faults that were ordered for it. */
class MethodCall {
  readonly #log: LoggedCall;
  readonly #values: Json;

  constructor(
    private readonly state: SandboxState,
    private readonly method: string,
    private readonly body: RequestBody,
    private readonly response: ServerResponse,
  ) {
    this.#values = { ...body.values, ...this.#uploadedFields() };
    const sizes = [...body.uploads].map(([name, { bytes }]) => [name, bytes.length]);
    const uploads = Object.fromEntries(sizes);
    this.#log = state.calls.begin({ method, params: this.#values, uploads, atMs: state.clock.now() });
  }

  async run(): Promise<void> {
    const { state, method } = this;
    for (const name of nullParams(this.#values)) {
      state.breach(`request ${method}: ${name} is null, which the real server reads as the text "null"`);
    }
    const params = this.#coerced();
    if (params instanceof BotApiError) return this.#send({ ok: false, error: params });
    Object.assign(this.#log, { params });
    for (const breach of state.schema.checkParams(method, params)) {
      state.breach(`request ${method}: ${breach}\n  ${JSON.stringify(params).slice(0, 600)}`);
    }
    await state.faults.pass({ method, params });
    const fault = state.faults.take({ method, params });
    if (!fault) return this.#send(await this.#execute(params));
    await this.#strike(fault, params);
  }

  /** A file part with a parameter's name is that parameter. */
  #uploadedFields(): Json {
    const known = this.state.schema.paramsOf(this.method);
    const fields = [...this.body.uploads.keys()].filter((name) => name in known);
    return Object.fromEntries(fields.map((name) => [name, `attach://${name}`]));
  }

  #coerced(): Json | BotApiError {
    try {
      return coerceParams(this.state.schema, this.method, this.#values);
    } catch (error) {
      if (error instanceof BotApiError) return error;
      throw error;
    }
  }

  async #execute(params: Json, itemsSentMax?: number): Promise<Outcome> {
    const { state, method } = this;
    const run = methods.get(method);
    if (!run) {
      state.breach(`the sandbox does not have ${method}`);
      return failed(501, `Not Implemented: the sandbox does not have ${method}`);
    }
    const gone = new AbortController();
    this.response.once("close", () => gone.abort());
    const call: Call = {
      method,
      state,
      params: new Params(params, this.body.uploads),
      signal: gone.signal,
      ...(itemsSentMax === undefined ? {} : { itemsSentMax }),
    };
    try {
      const result = await run(call);
      for (const breach of state.schema.checkResult(method, result)) {
        state.breach(`own result of ${method}: ${breach}`);
      }
      return { ok: true, result };
    } catch (error) {
      return outcomeOf(state, method, error);
    }
  }

  async #strike(fault: Exclude<FaultAnswer, { type: "cut" }>, params: Json): Promise<void> {
    if (fault.type === "429") return this.#send({ ok: false, error: tooManyRequests(fault.retryAfter) });
    if (fault.type === "partial") {
      await this.#execute(params, fault.sent);
      return this.#send(failed(fault.code, fault.description));
    }
    const done = fault.when === "after" ? await this.#execute(params) : undefined;
    if (fault.type === "status") return this.#send(failed(fault.code, fault.description));
    this.#end({ error: fault.type, ...(done?.ok ? { result: done.result } : {}) });
    if (fault.type === "reset") this.response.destroy();
  }

  #send(outcome: Outcome): void {
    this.#end(logged(outcome));
    sendOutcome(this.response, outcome);
  }

  #end(outcome: Pick<LoggedCall, "status" | "result" | "error">): void {
    this.state.calls.end(this.#log, outcome, this.state.clock.now());
  }
}

function outcomeOf(state: SandboxState, method: string, error: unknown): Outcome {
  if (error instanceof BotApiError) return { ok: false, error };
  state.breach(`the sandbox failed in ${method}: ${error instanceof Error ? error.stack : String(error)}`);
  return failed(500, "Internal Server Error");
}

function sendOutcome(response: ServerResponse, outcome: Outcome): void {
  if (outcome.ok) {
    sendJson(response, 200, outcome);
    return;
  }
  const { code, description, parameters } = outcome.error;
  const retryAfter = parameters?.retry_after;
  if (retryAfter !== undefined && !response.headersSent) response.setHeader("retry-after", retryAfter);
  sendJson(response, code, {
    ok: false,
    error_code: code,
    description,
    ...(parameters ? { parameters } : {}),
  });
}

/** Answers `/file/bot<token>/<path>`. */
export function answerFile(state: SandboxState, path: string, response: ServerResponse): void {
  const slash = path.indexOf("/");
  const token = path.slice(0, slash);
  const file = token === state.token ? state.files.byPath(path.slice(slash + 1)) : undefined;
  if (!file || file.bytes.length === 0) {
    sendOutcome(response, token === state.token ? failed(404, "Not Found") : refusedToken(token));
    return;
  }
  const headers = { "content-type": "application/octet-stream", "content-length": file.size };
  response.writeHead(200, headers).end(file.bytes);
}
