import type { ApiCallFn, RawApi, Transformer } from "grammy";
import type { StopSignal, TelegramConnections } from "./fetch.js";

/** Calls that never carry a file. */
const WITHOUT_FILES: ReadonlySet<string> = new Set([
  "getUpdates",
  "answerCallbackQuery",
  "sendMessage",
  "editMessageText",
  "deleteMessage",
  "getFile",
]);

/** Calls whose result nobody looks at: `true` stands for it. */
const UNREAD: ReadonlySet<string> = new Set(["answerCallbackQuery", "editMessageText", "deleteMessage"]);

/** Calls that carry nothing have their answer by then, in ms: what hangs keeps a whole chat waiting. */
const PATIENCE_MS = 30_000;

type Answer = Awaited<ReturnType<ApiCallFn<RawApi>>>;

export interface DirectCallsOptions {
  connections: TelegramConnections;
  apiRoot: string;
  token: string;
  /** For the long poll. */
  timeoutMs: number;
}

/**
 * Sends the calls of every update without grammY's client, whose own timers, signals and promises cost twice
 * as much as the request. Installed first, so that all other transformers stand around it.
 */
export function directCalls({ connections, apiRoot, token, timeoutMs }: DirectCallsOptions): Transformer {
  const { origin, pathname } = new URL(`${apiRoot}/bot${token}/`);
  return (call, method, payload, signal) => {
    if (!WITHOUT_FILES.has(method)) return call(method, payload, signal);
    const answer = connections.post({
      origin,
      path: pathname + method,
      method,
      body: JSON.stringify(payload),
      timeoutMs: method === "getUpdates" ? timeoutMs : Math.min(timeoutMs, PATIENCE_MS),
      signal: signal as StopSignal | undefined,
      isRead: !UNREAD.has(method),
    });
    return answer as Promise<Answer> as never;
  };
}
