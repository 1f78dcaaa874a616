import { lookup } from "node:dns";
import { isIP, type Socket } from "node:net";
import { Agent, buildConnector, Dispatcher, EnvHttpProxyAgent, errors, Pool, ProxyAgent } from "undici";
import { systemClock } from "./clock.js";

/** Sends calls through the first of several proxies. After one that got no connection, later calls take the next. */
class ProxyChain extends Dispatcher {
  /** Have the passwords. */
  readonly #proxies: readonly [Dispatcher, ...Dispatcher[]];
  #used = 0;

  constructor(proxies: readonly [Dispatcher, ...Dispatcher[]]) {
    super();
    this.#proxies = proxies;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const used = this.#used;
    const proxy = this.#proxies[used] ?? this.#proxies[0];
    return proxy.dispatch(
      options,
      judged(handler, () => this.#leave(used)),
    );
  }

  override async destroy(): Promise<void> {
    await Promise.all(this.#proxies.map((proxy) => proxy.destroy()));
  }

  #leave(proxy: number): void {
    if (this.#used === proxy) this.#used = (proxy + 1) % this.#proxies.length;
  }
}

/** Reports a call that failed before it had a connection, and passes everything on. */
function judged(handler: Dispatcher.DispatchHandler, onNoConnection: () => void): Dispatcher.DispatchHandler {
  let isConnected = false;
  return {
    onRequestStart(...given) {
      isConnected = true;
      handler.onRequestStart?.(...given);
    },
    onRequestUpgrade: (...given) => handler.onRequestUpgrade?.(...given),
    onResponseStart: (...given) => handler.onResponseStart?.(...given),
    onResponseData: (...given) => handler.onResponseData?.(...given),
    onResponseEnd: (...given) => handler.onResponseEnd?.(...given),
    onResponseError(...given) {
      if (!isConnected) onNoConnection();
      handler.onResponseError?.(...given);
    },
  };
}

export interface AgentOptions {
  proxy?: ProxySettings | undefined;
  connections?: number;
  /** Time in ms after which an idle connection closes, even where its server would keep it; 0: one for each request. */
  keepAliveMs?: number;
  certificate?: string | undefined;
  /** Limits the connection with its TLS, and a proxy's answer. By default 10 s. */
  connectTimeoutMs?: number;
  /** Addresses of every name, without DNS. The check of certificates is always on then. */
  addresses?: readonly string[];
  /** Judges each address that a name has, where no proxy resolves it: one that is refused keeps the name from being called. */
  isAllowedAddress?: ((name: string, address: string) => boolean) | undefined;
}

/** Serves `exchange`, which makes JSON calls, and `getFile`, which streams files. */
export type OutgoingAgent = Pick<Dispatcher, "dispatch" | "request" | "destroy">;

export type OpenAgent = (options: AgentOptions) => OutgoingAgent;

const CONNECT_TIMEOUT_MS = 10_000;
/** Head start of an address before the next one is tried beside it. Source: RFC 8305, section 5 */
const HEAD_START_MS = 250;
const ADDRESSES_MAX = 8;

/**
 * Opens the agent of outgoing calls, to be destroyed. It limits only the time to connect. The environment is not read.
 * HTTP/2 is off: a POST that is sent once and a limit of connections count on one request a connection.
 */
export function openAgent(options: AgentOptions): OutgoingAgent {
  const { proxy = {}, connections, keepAliveMs, connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS } = options;
  const { certificate, addresses, isAllowedAddress } = options;
  const tls = {
    timeout,
    allowH2: false,
    ...(certificate !== undefined && { ca: certificate }),
    ...(addresses && { rejectUnauthorized: true }),
  };
  const connect = racingConnector(tls, { pinned: addresses, isAllowedAddress });
  const common: Agent.Options = {
    ...(connections !== undefined && { connections }),
    ...(keepAliveMs === 0 && { pipelining: 0 }),
    ...(keepAliveMs !== undefined &&
      keepAliveMs > 0 && { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs }),
    allowH2: false,
    connect,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const throughProxy = (address: string) => ({
    ...common,
    requestTls: tls,
    // undici speaks TLS to a SOCKS server that has options for it.
    ...(isSocks(address) ? socksCredentials(address) : { proxyTls: { timeout } }),
    factory: (origin: string | URL, given: Pool.Options) => new Pool(origin, withSilentTunnels(given)),
    clientFactory: (origin: URL, given: object) =>
      new Pool(origin, {
        ...(given as Pool.Options),
        connect: racingConnector({ timeout, allowH2: false }),
        headersTimeout: timeout,
      }),
  });
  const [first, ...others] = (proxy.everyCall ?? []).map(
    (uri) => new ProxyAgent({ ...throughProxy(uri), uri, proxyTunnel: true }),
  );
  if (first) return new ProxyChain([first, ...others]);
  if (!proxy.httpsProxy) return new Agent(common);
  return new EnvHttpProxyAgent({
    ...throughProxy(proxy.httpsProxy),
    // An empty value, unlike an absent one, keeps undici from reading the environment.
    httpProxy: "",
    httpsProxy: proxy.httpsProxy,
    noProxy: proxy.noProxy ?? "",
  });
}

/** Fails a tunnel through which something came before a request: a proxy that opens it and sends a page instead. */
function withSilentTunnels({ connect, ...others }: Pool.Options): Pool.Options {
  if (typeof connect !== "function") return { ...others, ...(connect && { connect }) };
  return {
    ...others,
    connect: (options, done) =>
      connect(options, (error, socket) => {
        if (error) return done(error, null);
        if (socket.readableLength === 0) return done(null, socket);
        socket.destroy();
        done(new Error("the proxy answers instead of the server"), null);
      }),
  };
}

/** Decodes the credentials: undici would send them to a SOCKS server as the URL has them. */
function socksCredentials(address: string): { username?: string; password?: string } {
  const { username, password } = new URL(address);
  return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
}

/**
 * Connects to the first address of a name that answers. Each gets a head start and all of the time: Node gives up one
 * after another in half a second, so that a slow address beside a dead one was never reached.
 */
function racingConnector(
  tls: buildConnector.BuildOptions & { timeout: number },
  {
    pinned,
    isAllowedAddress = () => true,
  }: { pinned?: readonly string[] | undefined } & Pick<AgentOptions, "isAllowedAddress"> = {},
): buildConnector.connector {
  const connectTo = buildConnector(tls);
  return (options, done) => {
    const { hostname, httpSocket } = options;
    const name = hostname.replace(/^\[|\]$/g, "");
    if (httpSocket || (!pinned && isIP(name) !== 0)) return connectTo(options, done);
    const race = new Race(options, connectTo, tls.timeout, done);
    if (pinned) return race.begin(pinned);
    lookup(name, { all: true, order: "verbatim" }, (error, found) => {
      const addresses = (found ?? []).map(({ address }) => address);
      if (error) race.lose(error);
      else if (!addresses.every((address) => isAllowedAddress(name, address)))
        race.lose(new Error("the name has an address that may not be called"));
      else race.begin(addresses);
    });
  };
}

type Connected = Parameters<buildConnector.connector>[1];

class Race {
  readonly #sockets = new Set<Socket>();
  readonly #cancelDeadline: () => void;
  #cancelNext = () => {};
  #waiting: string[] = [];
  #running = 0;
  #hasEnded = false;
  #failure: Error | undefined;

  constructor(
    private readonly options: buildConnector.Options,
    private readonly connectTo: buildConnector.connector,
    timeoutMs: number,
    private readonly done: Connected,
  ) {
    const late = () =>
      this.lose(
        new errors.ConnectTimeoutError(`Connect Timeout Error (${options.hostname}, ${timeoutMs}ms)`),
      );
    this.#cancelDeadline = systemClock.after(timeoutMs, late);
  }

  begin(addresses: readonly string[]): void {
    this.#waiting = interleaved(addresses).slice(0, ADDRESSES_MAX);
    this.#next();
  }

  lose(error: Error): void {
    if (this.#end()) this.done(error, null);
  }

  #next(): void {
    this.#cancelNext();
    if (this.#hasEnded) return;
    const address = this.#waiting.shift();
    if (address === undefined) {
      if (this.#running === 0) this.lose(this.#failure ?? new Error("the name has no address"));
      return;
    }
    this.#running += 1;
    if (this.#waiting.length > 0) this.#cancelNext = systemClock.after(HEAD_START_MS, () => this.#next());
    const socket = connectFor(this.connectTo, { ...this.options, hostname: address }, (error, made) => {
      this.#running -= 1;
      if (made) {
        this.#sockets.delete(made);
        if (this.#end()) this.done(null, made);
        else made.destroy();
      } else {
        this.#failure ??= error ?? undefined;
        this.#next();
      }
    });
    if (socket) this.#sockets.add(socket);
  }

  #end(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    this.#cancelNext();
    this.#cancelDeadline();
    // With an error, so that the connector drops its own timer.
    for (const socket of this.#sockets) socket.destroy(new Error("another address was faster"));
    this.#sockets.clear();
    return true;
  }
}

/** Returns the socket that the connector opens: its type does not tell that it does. */
function connectFor(
  connectTo: buildConnector.connector,
  options: buildConnector.Options,
  done: (error: Error | null, socket: Socket | null) => void,
): Socket | undefined {
  const opened: unknown = Reflect.apply(connectTo, undefined, [options, done]);
  return opened instanceof Object && "destroy" in opened ? (opened as Socket) : undefined;
}

/** Alternates the families, the first one first. Source: RFC 8305, section 4 */
function interleaved(addresses: readonly string[]): string[] {
  const family = isIP(addresses[0] ?? "");
  const own = addresses.filter((address) => isIP(address) === family);
  const others = addresses.filter((address) => isIP(address) !== family);
  return own
    .flatMap((address, index) => [address, ...others.slice(index, index + 1)])
    .concat(others.slice(own.length));
}

export interface ProxySettings {
  httpsProxy?: string | undefined;
  /** Hosts that are called without `httpsProxy`, separated by commas. */
  noProxy?: string | undefined;
  /** Proxies of all calls, whatever the scheme, tried in turn. The others do not count then. */
  everyCall?: readonly string[] | undefined;
}

/** Reads the URL of a proxy: http, https or socks5, with a user and a password where it wants them. */
export function parseProxyAddress(given: string): string | undefined {
  if (!/^(?:https?|socks5):\/\//i.test(given) || !URL.canParse(given)) return undefined;
  const { hostname, pathname, search, hash, href, username, password } = new URL(given);
  if (!isDecodable(username) || !isDecodable(password)) return undefined;
  return hostname && (pathname === "/" || pathname === "") && !search && !hash ? href : undefined;
}

/** Tells whether the escapes of a part of an address are right. */
export function isDecodable(text: string): boolean {
  try {
    // Its value is read: the bundler drops a call of it whose value is not.
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

/** Tells whether a proxy speaks SOCKS5: it resolves names itself, and its own connection has no TLS. */
function isSocks(proxy: string): boolean {
  return proxy.startsWith("socks5:");
}
