import type { Clock } from "../../../platform/clock.js";
import { ExchangeError, exchange, type HttpAnswer } from "../../../platform/http-exchange.js";
import type { Ids } from "../../../platform/ids.js";
import { type AgentOptions, type OutgoingAgent, openAgent } from "../../../platform/outgoing-agent.js";
import { MEGABYTE, SECOND_MS } from "../../../platform/units.js";
import type { UpstreamAdapter, UpstreamCall } from "../adapter.js";
import { isTooDeep } from "./json-depth.js";
import { encodeForm } from "./multipart.js";
import type { Reach } from "./reachability.js";

export interface ServiceCallsOptions {
  adapter: Pick<UpstreamAdapter, "apiHosts" | "basePath" | "headers" | "submitTimeoutMs" | "probe">;
  /** Secret that is sent to the service's hosts or to the root, and nowhere else. */
  key: string;
  root?: URL | undefined;
  agent?: AgentOptions | undefined;
  clock: Clock;
  ids: Pick<Ids, "file">;
  exchange?: typeof exchange | undefined;
  onReached?: (reach: Reach) => void;
}

const REACH_TIMEOUT_MS = 5 * SECOND_MS;
const SUBMIT_TIMEOUT_MS = 60 * SECOND_MS;
const ASK_TIMEOUT_MS = 20 * SECOND_MS;
/** Limits submits: answers of synchronous services contain the files. */
const SUBMIT_BYTES_MAX = 128 * MEGABYTE;
const ASK_BYTES_MAX = 64 * MEGABYTE;
const CONNECTIONS_MAX = 64;
/** Closes idle connections sooner than servers do. */
const KEEP_ALIVE_MS = 4000;

/** Reports a call that would carry the key elsewhere. It is not made. */
export class ForeignAddressError extends ExchangeError {
  constructor() {
    super(false, new Error("the address is none of the service's"));
  }
}

const KEY_SHOWN = "[key]";
/** Shortest key that is a secret: shorter ones, such as "none" for a server of one's own, stand in any text. */
const KEY_LENGTH_MIN = 12;

/** Hides the key before anything is cut, written or logged: a service may repeat what it was sent. */
function withoutKey(answer: HttpAnswer, key: string): HttpAnswer {
  if (key.length < KEY_LENGTH_MIN) return answer;
  const forms = new Set([key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)]);
  let { text } = answer;
  for (const form of forms) text = text.replaceAll(form, KEY_SHOWN);
  return { ...answer, text };
}

/** Drops an answer that is nested too deep to be parsed. */
function withoutDepth(answer: HttpAnswer): HttpAnswer {
  if (answer.fault || !isTooDeep(answer.text)) return answer;
  return { ...answer, fault: new Error("an answer that is nested too deep") };
}

interface SendTerms {
  dispatcher: OutgoingAgent;
  timeoutMs: number;
  bodyBytesMax: number;
  signal?: AbortSignal | undefined;
}

/** Makes the calls of one service. Each is sent once and follows no redirect. */
export class ServiceCalls {
  readonly #options: ServiceCallsOptions;
  readonly #agent: OutgoingAgent;
  readonly #exchangeOnce: typeof exchange;
  readonly #origin: string | undefined;

  constructor(options: ServiceCallsOptions) {
    this.#options = options;
    this.#exchangeOnce = options.exchange ?? exchange;
    this.#origin = this.#addressOf(`https://${options.adapter.apiHosts[0] ?? ""}/`)?.origin;
    this.#agent = openAgent({
      ...options.agent,
      connections: CONNECTIONS_MAX,
      keepAliveMs: KEEP_ALIVE_MS,
    });
  }

  /** Submits on a connection of its own, which nothing aborts: a reused one might be closed, and leave doubt. */
  async submit(call: UpstreamCall): Promise<HttpAnswer> {
    const dispatcher = openAgent({ ...this.#options.agent, connections: 1 });
    const timeoutMs = this.#options.adapter.submitTimeoutMs ?? SUBMIT_TIMEOUT_MS;
    try {
      return await this.#exchange(call, { dispatcher, timeoutMs, bodyBytesMax: SUBMIT_BYTES_MAX });
    } finally {
      void dispatcher.destroy();
    }
  }

  /** Makes a call that may be repeated. Throws ExchangeError without a status line. */
  ask(call: UpstreamCall, signal?: AbortSignal): Promise<HttpAnswer> {
    const terms = { dispatcher: this.#agent, timeoutMs: ASK_TIMEOUT_MS, bodyBytesMax: ASK_BYTES_MAX, signal };
    return this.#exchange(call, terms);
  }

  /** Makes a free call to the host of tasks. Never rejects. */
  async reach(): Promise<Reach> {
    const { adapter } = this.#options;
    const probe = adapter.probe?.();
    const isSameHost = probe && this.#addressOf(probe.url)?.origin === this.#origin;
    const call: UpstreamCall = isSameHost
      ? probe
      : { method: "GET", url: `https://${adapter.apiHosts[0] ?? ""}/` };
    const dispatcher = openAgent({ ...this.#options.agent, connections: 1 });
    try {
      await this.#send(call, { dispatcher, timeoutMs: REACH_TIMEOUT_MS, bodyBytesMax: ASK_BYTES_MAX });
      return "answered";
    } catch (error) {
      return error instanceof ExchangeError ? reachAfter(error) : "answered";
    } finally {
      void dispatcher.destroy();
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #addressOf(url: string): URL | undefined {
    const { adapter, root } = this.#options;
    const { apiHosts, basePath } = adapter;
    return serviceAddress(url, { apiHosts, basePath, root });
  }

  async #exchange(call: UpstreamCall, terms: SendTerms): Promise<HttpAnswer> {
    const { signal } = terms;
    const isOfTasks = this.#addressOf(call.url)?.origin === this.#origin;
    const note = (reach: Reach) => isOfTasks && this.#options.onReached?.(reach);
    try {
      const answer = await this.#send(call, terms);
      note("answered");
      return answer;
    } catch (error) {
      if (!signal?.aborted && error instanceof ExchangeError) note(reachAfter(error));
      throw error;
    }
  }

  async #send(call: UpstreamCall, terms: SendTerms): Promise<HttpAnswer> {
    const { adapter, key, clock } = this.#options;
    const url = this.#addressOf(call.url);
    if (!url) throw new ForeignAddressError();
    const content = await this.#contentOf(call);
    const headers = {
      accept: "application/json",
      ...(content && { "content-type": content.type }),
      ...call.headers,
      ...adapter.headers(key),
    };
    const body = content && { body: content.body };
    const { method } = call;
    const answer = await this.#exchangeOnce({ ...terms, clock, method, url, headers, ...body });
    return withoutDepth(withoutKey(answer, key));
  }

  async #contentOf({ json, form }: UpstreamCall) {
    if (form) {
      return encodeForm(form, this.#options.ids.file()).catch((cause: unknown) => {
        throw new ExchangeError(false, cause);
      });
    }
    return json === undefined ? undefined : { type: "application/json", body: JSON.stringify(json) };
  }
}

function reachAfter({ isSent }: ExchangeError): Reach {
  return isSent ? "silent" : "refused";
}

/** Addresses to which the calls of a service may go. */
export interface ServiceHosts {
  apiHosts: readonly string[];
  /** Operator's own, in place of the service's: a proxy or a stand-in. */
  root: URL | undefined;
  /** Path of the service's own addresses, such as `/v1`, which the path of a root takes the place of. */
  basePath?: string | undefined;
}

/** Returns the address on one of the service's own hosts or at the operator's root; undefined for any other. */
export function serviceAddress(url: string, hosts: ServiceHosts): URL | undefined {
  const { apiHosts, root } = hosts;
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  if (address.username !== "" || address.password !== "") return undefined;
  if (root && address.origin === root.origin) return address;
  if (address.protocol !== "https:" || !apiHosts.includes(address.host)) return undefined;
  return root ? movedTo(root, address, hosts.basePath) : address;
}

/** Sets the path instead of resolving it: `//host` would lead to that host. */
function movedTo(root: URL, { pathname, search }: URL, basePath: string | undefined): URL {
  const moved = new URL(root);
  const isBased = basePath !== undefined && pathname.startsWith(`${basePath}/`);
  const rest = isBased ? pathname.slice(basePath.length) : pathname;
  moved.pathname = (basePath === undefined ? "" : root.pathname.replace(/\/$/, "")) + rest;
  moved.search = search;
  return moved;
}
