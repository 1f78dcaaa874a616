import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { extensionOf } from "../media/picture-check.js";
import type { Clock } from "../platform/clock.js";
import { ExchangeError, type ExchangeOptions, exchange, type HttpAnswer } from "../platform/http-exchange.js";
import type { Ids } from "../platform/ids.js";
import { isUnwieldy } from "../platform/json.js";
import { type AgentOptions, type OutgoingAgent, openAgent } from "../platform/outgoing-agent.js";
import { sniffPicture } from "../platform/picture-size.js";
import { MEGABYTE, SECOND_MS } from "../platform/units.js";
import type { FormPart, UpstreamAdapter, UpstreamCall } from "./adapter.js";

/** What a call has shown. `refused`: no connection could be made. `silent`: it was sent, and nothing came back. */
export type Reach = "answered" | "silent" | "refused";

export interface ServiceCallsOptions {
  adapter: Pick<
    UpstreamAdapter,
    "apiHosts" | "basePath" | "headers" | "submitTimeoutMs" | "answerBytesMax" | "answerValuesMax"
  >;
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
/** Limits an answer without files: as many as tasks may be read at once. */
const ANSWER_BYTES_MAX = MEGABYTE;
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

interface SendTerms extends Pick<ExchangeOptions, "room" | "signal"> {
  dispatcher: OutgoingAgent;
  timeoutMs: number;
}

/** Makes the calls of one service. Each is sent once and follows no redirect. */
export class ServiceCalls {
  /** Has the key, and the password of a proxy. */
  readonly #options: ServiceCallsOptions;
  readonly #agent: OutgoingAgent;
  readonly #origin: string | undefined;

  constructor(options: ServiceCallsOptions) {
    this.#options = options;
    this.#origin = this.#addressOf(`https://${options.adapter.apiHosts[0] ?? ""}/`)?.origin;
    this.#agent = openAgent({
      ...options.agent,
      connections: CONNECTIONS_MAX,
      keepAliveMs: KEEP_ALIVE_MS,
    });
  }

  /** Submits on a connection of its own, which nothing aborts: a reused one might be closed, and leave doubt. */
  async submit(call: UpstreamCall, room?: SendTerms["room"]): Promise<HttpAnswer> {
    const dispatcher = openAgent({ ...this.#options.agent, connections: 1 });
    const timeoutMs = this.#options.adapter.submitTimeoutMs ?? SUBMIT_TIMEOUT_MS;
    try {
      return await this.#exchange(call, { dispatcher, timeoutMs, room });
    } finally {
      void dispatcher.destroy();
    }
  }

  /** Makes a call that may be repeated. Throws ExchangeError without a status line. */
  ask(call: UpstreamCall, signal?: AbortSignal, room?: SendTerms["room"]): Promise<HttpAnswer> {
    return this.#exchange(call, { dispatcher: this.#agent, timeoutMs: ASK_TIMEOUT_MS, signal, room });
  }

  /** Makes a call to the host of tasks: `free`, where it goes there. Never rejects. */
  async reach(free: UpstreamCall): Promise<Reach> {
    const { apiHosts } = this.#options.adapter;
    const isOfTasks = this.#addressOf(free.url)?.origin === this.#origin;
    const call: UpstreamCall = isOfTasks ? free : { method: "GET", url: `https://${apiHosts[0] ?? ""}/` };
    const dispatcher = openAgent({ ...this.#options.agent, connections: 1 });
    try {
      await this.#send(call, { dispatcher, timeoutMs: REACH_TIMEOUT_MS });
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
    return serviceAddress(url, { ...adapter, root });
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
    const { adapter, key, clock, ids, exchange: exchangeOnce = exchange } = this.#options;
    const url = this.#addressOf(call.url);
    if (!url) throw new ForeignAddressError();
    const { json, form } = call;
    const content = form
      ? await encodeForm(form, ids.file()).catch((cause: unknown) => {
          throw new ExchangeError(false, cause);
        })
      : json !== undefined && { type: "application/json", body: JSON.stringify(json) };
    const headers = {
      accept: "application/json",
      ...(content && { "content-type": content.type }),
      ...call.headers,
      ...adapter.headers(key),
    };
    const body = content && { body: content.body };
    const { method } = call;
    const bodyBytesMax = adapter.answerBytesMax ?? ANSWER_BYTES_MAX;
    const given = await exchangeOnce({ ...terms, bodyBytesMax, clock, method, url, headers, ...body });
    const answer = withoutKey(given, key);
    if (answer.fault || !isUnwieldy(answer.text, adapter.answerValuesMax)) return answer;
    return { ...answer, fault: new Error("an answer that is nested too deep, or has too many values") };
  }
}

function reachAfter({ isSent }: ExchangeError): Reach {
  return isSent ? "silent" : "refused";
}

interface ServiceHosts {
  apiHosts: readonly string[];
  /** Operator's own, in place of the service's: a proxy or a stand-in. */
  root: URL | undefined;
  /** Path of the service's own addresses, such as `/v1`, which the path of a root takes the place of. */
  basePath?: string | undefined;
}

/** Returns the address on one of the service's own hosts or at the operator's root; undefined for any other. */
export function serviceAddress(url: string, { apiHosts, root, basePath }: ServiceHosts): URL | undefined {
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  if (address.username !== "" || address.password !== "") return undefined;
  if (root && address.origin === root.origin) return address;
  if (address.protocol !== "https:" || !apiHosts.includes(address.host)) return undefined;
  if (!root) return address;
  const { pathname, search } = address;
  const isBased = basePath !== undefined && pathname.startsWith(`${basePath}/`);
  const rest = isBased ? pathname.slice(basePath.length) : pathname;
  const moved = new URL(root);
  // Set instead of resolved: `//host` would lead to that host.
  moved.pathname = (basePath === undefined ? "" : root.pathname.replace(/\/$/, "")) + rest;
  moved.search = search;
  return moved;
}

/** Encodes a form. @param boundary stands in none of the parts */
export async function encodeForm(
  parts: readonly FormPart[],
  boundary: string,
): Promise<{ type: string; body: Buffer }> {
  const chunks: Buffer[] = [];
  for (const part of parts) {
    const { head, content } = await encodedPart(part);
    chunks.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), content, Buffer.from("\r\n"));
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`));
  return { type: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(chunks) };
}

async function encodedPart(part: FormPart): Promise<{ head: string; content: Buffer }> {
  if ("value" in part) return { head: disposition(part.name), content: Buffer.from(part.value) };
  if ("file" in part) return { head: fileHead(part), content: await readFile(part.file) };
  const content = await readFile(part.picture);
  const mime = sniffPicture(content);
  if (mime === undefined) throw new Error("a reference is no PNG, JPEG or WebP picture");
  const fileName = `${basename(part.picture)}.${extensionOf(mime)}`;
  return { head: fileHead({ name: part.name, mime, fileName }), content };
}

function fileHead({ name, mime, fileName }: { name: string; mime: string; fileName: string }): string {
  return `${disposition(name)}; filename="${quoted(fileName)}"\r\nContent-Type: ${mime}`;
}

function disposition(name: string): string {
  return `Content-Disposition: form-data; name="${quoted(name)}"`;
}

function quoted(text: string): string {
  return text.replace(/["\r\n]/g, (character) => encodeURIComponent(character));
}
