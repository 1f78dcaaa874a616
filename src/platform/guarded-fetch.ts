import { isIP } from "node:net";
import { Client, type Dispatcher } from "undici";
import type { Clock } from "./clock.js";
import { createNameResolver, type ResolveName } from "./name-resolver.js";
import { pinnedConnector } from "./pinned-connector.js";
import { isPublicAddress } from "./public-address.js";

/** How many redirects are followed. */
const REDIRECTS_MAX = 4;
/** How long a connection may take to stand, TLS included, in ms. */
const CONNECT_TIMEOUT_MS = 8000;
/** Below it only 443: nobody can use the service to speak to the mail or shell of a third party. */
const FREE_PORT_MIN = 1024;

const HEADERS = {
  "user-agent": "Atelier",
  // Compressed content could be a thousand times as large as what is counted on its way.
  "accept-encoding": "identity",
};

/** The deadline of the whole fetch ends a server that is slow. */
const ONE_REQUEST = { pipelining: 0, headersTimeout: 0, bodyTimeout: 0 };

/** Why a fetch failed, each as the end of a sentence that may be shown to whoever gave the address. */
const FAILURES = {
  link: "the link is not a plain HTTPS link",
  name: "the name of the server could not be resolved",
  address: "the server is not on the public internet",
  redirects: "the server redirects too often",
  status: "the server did not answer with a file",
  encoding: "the server sent it compressed",
  size: "it is too large",
  deadline: "it took too long",
  network: "the connection to the server failed",
} as const;

/** A guarded fetch that did not succeed. */
export class FetchFailed extends Error {
  override readonly name = "FetchFailed";
  constructor(
    readonly reason: keyof typeof FAILURES,
    options: ErrorOptions & { detail?: string } = {},
  ) {
    super(options.detail ?? FAILURES[reason], options);
  }
}

export interface FetchLimits {
  /** How much is read at most. */
  bytesMax: number;
  /** For the whole of it: names, redirects and content. */
  timeoutMs: number;
  signal: AbortSignal;
}

/**
 * Fetches what a stranger's link points to and gives its bytes to `read`, which reads them as they come.
 * Every connection is closed when it ends, however it ends.
 * @throws FetchFailed, the reason of `signal`, and whatever `read` throws
 */
export type GuardedFetch = <T>(
  link: string,
  limits: FetchLimits,
  read: (bytes: AsyncIterable<Buffer>) => Promise<T>,
) => Promise<T>;

export interface GuardedFetchOptions {
  clock: Clock;
  /** Tests give their own names, addresses and certificate; by default the internet, and nothing else. */
  resolveName?: ResolveName;
  isAllowedAddress?: (address: string) => boolean;
  certificate?: string;
}

/**
 * A fetch that reaches only the public internet: HTTPS only, each name resolved once, every address of it
 * judged, and the connection made to the judged addresses alone, so that an answer that changes in between
 * changes nothing. Redirects are judged in the same way. No proxy, no cookie, no kept connection.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  return async (link, { bytesMax, timeoutMs, signal }, read) => {
    signal.throwIfAborted();
    const ending = new AbortController();
    const abort = () => ending.abort(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    const cancel = options.clock.after(timeoutMs, () => ending.abort(new FetchFailed("deadline")));
    try {
      const readCapped = (body: AsyncIterable<Buffer>) => read(capped(body, bytesMax, ending.signal));
      return await follow(options, link, ending.signal, readCapped);
    } finally {
      cancel();
      signal.removeEventListener("abort", abort);
    }
  };
}

async function follow<T>(
  options: GuardedFetchOptions,
  link: string,
  signal: AbortSignal,
  read: (body: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  let url = judgedUrl(link);
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const connect = pinnedConnector({
      host: hostOf(url),
      port: portOf(url),
      addresses: await judgedAddresses(options, url, signal),
      timeoutMs: CONNECT_TIMEOUT_MS,
      certificate: options.certificate,
      signal,
      clock: options.clock,
    });
    const client = new Client(url.origin, { connect, ...ONE_REQUEST });
    try {
      const answer = await ask(client, url, signal);
      const next = redirectOf(answer);
      if (next === undefined) return await read(contentOf(answer));
      url = judgedUrl(next, url);
    } finally {
      await client.destroy();
    }
  }
  throw new FetchFailed("redirects");
}

function judgedUrl(link: string, base?: URL): URL {
  if (!URL.canParse(link, base?.href)) throw new FetchFailed("link");
  const url = new URL(link, base);
  const port = portOf(url);
  const isPlain = url.protocol === "https:" && url.username === "" && url.password === "";
  if (!isPlain || (port !== 443 && port < FREE_PORT_MIN)) throw new FetchFailed("link");
  // Certificates and TLS know names without the last point.
  url.hostname = url.hostname.replace(/\.$/, "");
  return url;
}

/** A name, or an address without its brackets. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

function portOf(url: URL): number {
  return Number(url.port || 443);
}

async function judgedAddresses(
  { resolveName = createNameResolver(), isAllowedAddress = isPublicAddress }: GuardedFetchOptions,
  url: URL,
  signal: AbortSignal,
): Promise<readonly string[]> {
  signal.throwIfAborted();
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await resolved(resolveName, host, signal) : [host];
  if (!addresses.every((address) => isAllowedAddress(address))) throw new FetchFailed("address");
  return addresses;
}

async function resolved(
  resolveName: ResolveName,
  name: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const addresses = await resolveName(name, signal);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    signal.throwIfAborted();
    throw new FetchFailed("name", { cause });
  }
  throw new FetchFailed("name");
}

async function ask(client: Client, url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
  try {
    const path = `${url.pathname}${url.search}`;
    const answer = await client.request({ path, method: "GET", headers: HEADERS, signal });
    // A body that nobody reads to its end says so when its connection is closed.
    answer.body.on("error", () => {});
    return answer;
  } catch (cause) {
    signal.throwIfAborted();
    throw new FetchFailed("network", { cause });
  }
}

/** Where an answer sends its reader on to; `undefined` when it does not. */
function redirectOf({ statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined;
  if (typeof headers.location !== "string") throw new FetchFailed("link");
  return headers.location;
}

function contentOf({ statusCode, headers, body }: Dispatcher.ResponseData): AsyncIterable<Buffer> {
  if (statusCode !== 200) throw new FetchFailed("status", { detail: `the server answered ${statusCode}` });
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") throw new FetchFailed("encoding");
  return body;
}

/** Passes the bytes on as long as they are few enough. */
async function* capped(
  body: AsyncIterable<Buffer>,
  bytesMax: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > bytesMax) throw new FetchFailed("size");
      yield chunk;
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof FetchFailed ? cause : new FetchFailed("network", { cause });
  }
}
