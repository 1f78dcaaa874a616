import type { Clock } from "../../../platform/clock.js";
import { reasonOf } from "../../../platform/errors.js";
import type { Ids } from "../../../platform/ids.js";
import type { AgentOptions } from "../../../platform/outgoing-agent.js";
import { MEGABYTE, MINUTE_MS } from "../../../platform/units.js";
import type { UpstreamCall } from "../../../providers/adapter.js";
import { ServiceCalls } from "../../../providers/service-calls.js";
import { type AskPublisher, NoAnswerError, NoCatalogueError, type Publisher } from "./publisher.js";

export interface AskingOptions {
  hosts: Publisher["hosts"];
  root?: URL | undefined;
  agent?: AgentOptions | undefined;
  clock: Clock;
  ids: Ids;
  signal: AbortSignal;
}

/** The user agent, without which the front of kie refuses calls. */
const USER_AGENT = "atelier-upstream-check";
/** Milliseconds for a whole catalogue. `ServiceCalls` limits each call. */
const DEADLINE_MS = 5 * MINUTE_MS;
const CHARACTERS_MAX = 64 * MEGABYTE;

/** Opens calls without a key, as guarded as those of the service. `close` ends them. */
export function openAsking({ hosts, signal, ...options }: AskingOptions) {
  const adapter = { apiHosts: hosts, headers: () => ({ "user-agent": USER_AGENT }) };
  const calls = new ServiceCalls({ ...options, adapter, key: "" });
  const late = new AbortController();
  const cancel = options.clock.after(DEADLINE_MS, () => late.abort());
  const ended = AbortSignal.any([signal, late.signal]);
  let characters = 0;

  const ask: AskPublisher = async (url, query) => {
    const call: UpstreamCall =
      query === undefined ? { method: "GET", url } : { method: "POST", url, json: query };
    const answer = await calls.ask(call, ended).catch((error: unknown) => {
      signal.throwIfAborted();
      if (late.signal.aborted) throw new NoCatalogueError("not read within 5 minutes");
      throw new NoAnswerError(`${url}: ${reasonWithCause(error)}`);
    });
    signal.throwIfAborted();
    characters += answer.text.length;
    if (characters > CHARACTERS_MAX) throw new NoCatalogueError("the catalogue has more than 64 MB");
    return answer;
  };
  async function close() {
    cancel();
    await calls.close();
  }
  return { ask, close };
}

/** Tells the reason: an exchange that failed says only whether it was sent. */
function reasonWithCause(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause === undefined ? reasonOf(error) : `${reasonOf(error)} (${reasonOf(cause)})`;
}
