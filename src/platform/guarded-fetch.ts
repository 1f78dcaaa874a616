import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { CancelTimer, Clock } from "./clock.js";
import { hasCode } from "./errors.js";
import { type FileAnswer, getFile } from "./http-exchange.js";
import { type OutgoingAgent, openAgent } from "./outgoing-agent.js";

/** Global unicast, the only routed IPv6 block (RFC 4291, IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
/** NAT64 with the well-known prefix (RFC 6052): the last four bytes are the IPv4 address. */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/**
 * Returns false for loopback, private, link-local, shared, multicast, reserved and documentation ranges. IPv4-mapped
 * and NAT64 addresses are judged as IPv4; 6to4, Teredo and other tunnels are refused.
 * @param address canonical, without brackets or zone; anything else is not public
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return isPublicIPv4(parsed);
  if (parsed.isIPv4MappedAddress()) return isPublicIPv4(parsed.toIPv4Address());
  if (parsed.match(NAT64)) return isPublicIPv4(new ipaddr.IPv4(parsed.toByteArray().slice(12)));
  return parsed.match(GLOBAL_UNICAST) && parsed.range() === "unicast";
}

/** Matches names reserved for local networks (RFC 6761, 6762, 8375; ICANN for `internal`). */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/** Judges a name without a trailing dot, or an address without brackets, as the URL parser normalises them. */
export function isPublicHost(host: string): boolean {
  return isIP(host) === 0 ? host.includes(".") && !LOCAL_NAME.test(host) : isPublicAddress(host);
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast";
}

/** Recognises an unspecified address, which is valid for listening, but not as a link. */
export function isAnyAddress(url: string): boolean {
  return ["0.0.0.0", "[::]"].includes(new URL(url).hostname);
}

const ATTEMPT_MS = 3000;
const ATTEMPTS = 2;

/** Returns all IPv4 and IPv6 addresses of a name, possibly none. Rejects if DNS fails or `signal` aborts. */
type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Asks DNS servers (`address:port`; the system's by default) directly. `getaddrinfo` blocks a thread of the file pool,
 * cannot be aborted, and resolves local names (`/etc/hosts`, search domains).
 */
export function createNameResolver(servers?: readonly string[]): ResolveName {
  return async (name, signal) => {
    signal.throwIfAborted();
    const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: ATTEMPTS });
    if (servers) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
      signal.throwIfAborted();
      return addressesOf(answers);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}

function addressesOf(answers: readonly PromiseSettledResult<string[]>[]): string[] {
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length > 0) return addresses;
  for (const answer of answers) {
    if (answer.status === "rejected" && !hasCode(answer.reason, "ENODATA", "ENOTFOUND")) throw answer.reason;
  }
  return [];
}

const REDIRECTS_MAX = 4;
const CONNECT_TIMEOUT_MS = 8000;
/** Lowest port besides 443 that is allowed: the service must not reach mail or shell ports of third parties. */
const FREE_PORT_MIN = 1024;

const HEADERS = {
  "user-agent": "Atelier",
  // Compressed content could be 1000 times larger than the counted bytes.
  "accept-encoding": "identity",
};

/** Text for any unknown name, internal ones included: it must not reveal whether one exists. */
const NOT_FOUND = "the server was not found on the public internet";

/** Ends of sentences shown to the person who sent the link. */
const FAILURES = {
  link: "the link is not a plain HTTPS link",
  name: NOT_FOUND,
  address: NOT_FOUND,
  redirects: "the server redirects too often",
  status: "the server did not answer with a file",
  encoding: "the server sent it compressed",
  size: "it is too large",
  deadline: "it took too long",
  slow: "the server sent it too slowly",
  network: "the connection to the server failed",
} as const;

export class FetchError extends Error {
  override readonly name = "FetchError";
  readonly status: number | undefined;
  constructor(
    readonly reason: keyof typeof FAILURES,
    options: ErrorOptions & { detail?: string; status?: number } = {},
  ) {
    super(options.detail ?? FAILURES[reason], options);
    this.status = options.status;
  }
}

/** Minimum transfer rate; a slower server is given up. */
export interface LeastRate {
  graceMs: number;
  bytesPerSec: number;
}

interface FetchLimits {
  bytesMax: number;
  timeoutMs: number;
  leastRate?: LeastRate;
  signal: AbortSignal;
}

/** Streams an untrusted link to `read`. Throws FetchError, the reason of `signal`, and errors of `read`. */
export type GuardedFetch = <T>(
  link: string,
  limits: FetchLimits,
  read: (bytes: AsyncIterable<Buffer>) => Promise<T>,
) => Promise<T>;

export interface GuardedFetchOptions {
  clock: Clock;
  resolveName?: ResolveName;
  isAllowedAddress?: (address: string) => boolean;
  certificate?: string;
}

/**
 * Creates a fetch limited to the public internet over HTTPS. Each name is resolved once, all its addresses are checked,
 * and connections use only these (no DNS rebinding), also after redirects. No proxy, cookies or connection reuse.
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { clock } = options;
  return async (link, { bytesMax, timeoutMs, leastRate, signal }, read) => {
    signal.throwIfAborted();
    const ending = new AbortController();
    const either = AbortSignal.any([signal, ending.signal]);
    const cancel = clock.after(timeoutMs, () => ending.abort(new FetchError("deadline")));
    const meter = { bytes: 0 };
    const endWatch = leastRate
      ? watchRate(clock, leastRate, meter, () => ending.abort(new FetchError("slow")))
      : () => {};
    try {
      const readCapped = (body: AsyncIterable<Buffer>) => read(capped(body, bytesMax, meter, either));
      return await follow(options, link, either, readCapped);
    } finally {
      cancel();
      endWatch();
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
    const agent = openAgent({
      addresses: await judgedAddresses(options, url, signal),
      certificate: options.certificate,
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      keepAliveMs: 0,
    });
    try {
      const answer = await ask(agent, url, signal);
      const next = redirectOf(answer);
      if (next === undefined) return await read(contentOf(answer));
      url = judgedUrl(next, url);
    } finally {
      const closed = agent.destroy();
      // A handshake that nobody answers ends by its own timeout: whoever aborts does not wait for that.
      if (!signal.aborted) await closed;
    }
  }
  throw new FetchError("redirects");
}

function judgedUrl(link: string, base?: URL): URL {
  if (!URL.canParse(link, base?.href)) throw new FetchError("link");
  const url = new URL(link, base);
  const port = Number(url.port || 443);
  const isPlain = url.protocol === "https:" && url.username === "" && url.password === "";
  if (!isPlain || (port !== 443 && port < FREE_PORT_MIN)) throw new FetchError("link");
  url.hostname = url.hostname.replace(/\.$/, "");
  return url;
}

async function judgedAddresses(
  { resolveName = createNameResolver(), isAllowedAddress = isPublicAddress }: GuardedFetchOptions,
  url: URL,
  signal: AbortSignal,
): Promise<readonly string[]> {
  signal.throwIfAborted();
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const addresses = isIP(host) === 0 ? await resolved(resolveName, host, signal) : [host];
  if (!addresses.every((address) => isAllowedAddress(address))) throw new FetchError("address");
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
    throw new FetchError("name", { cause });
  }
  throw new FetchError("name");
}

async function ask(agent: OutgoingAgent, url: URL, signal: AbortSignal): Promise<FileAnswer> {
  try {
    const path = `${url.pathname}${url.search}`;
    return await getFile(agent, { origin: url.origin, path, headers: HEADERS, signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new FetchError("network", { cause });
  }
}

function redirectOf({ status, headers }: FileAnswer): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status)) return undefined;
  if (headers.location === undefined) throw new FetchError("link");
  return headers.location;
}

function contentOf({ status, headers, body }: FileAnswer): AsyncIterable<Buffer> {
  if (status !== 200) throw new FetchError("status", { detail: `the server answered ${status}`, status });
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") throw new FetchError("encoding");
  return body;
}

/** Calls `onSlow` once if the rate is too low. Returns a function that ends the watch. */
function watchRate(
  clock: Clock,
  { graceMs, bytesPerSec }: LeastRate,
  meter: { readonly bytes: number },
  onSlow: () => void,
): CancelTimer {
  let seconds = 1;
  let cancel: CancelTimer = () => {};
  const look = () => {
    if (meter.bytes < seconds * bytesPerSec) return onSlow();
    seconds += 1;
    cancel = clock.after(1000, look);
  };
  cancel = clock.after(graceMs + 1000, look);
  return () => cancel();
}

async function* capped(
  body: AsyncIterable<Buffer>,
  bytesMax: number,
  meter: { bytes: number },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of body) {
      signal.throwIfAborted();
      meter.bytes += chunk.length;
      if (meter.bytes > bytesMax) throw new FetchError("size");
      yield chunk;
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof FetchError ? cause : new FetchError("network", { cause });
  }
}
