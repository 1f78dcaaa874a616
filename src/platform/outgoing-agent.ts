import { isIP, type LookupFunction } from "node:net";
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool, ProxyAgent } from "undici";
import { ProxyChain } from "./proxy-chain.js";
import { isSocks, type ProxySettings } from "./proxy-settings.js";

export interface AgentOptions {
  proxy?: ProxySettings | undefined;
  connections?: number;
  /** Time in ms after which an idle connection closes, even where its server would keep it; 0: one for each request. */
  keepAliveMs?: number;
  certificate?: string | undefined;
  /** Limits the connection with its TLS, and a proxy's answer. By default 10 s. */
  connectTimeoutMs?: number;
  /** Addresses of every name, tried in order, without DNS. The check of certificates is always on then. */
  addresses?: readonly string[];
}

/** Serves `exchange`, which makes JSON calls, and `getFile`, which streams files. */
export type OutgoingAgent = Pick<Dispatcher, "dispatch" | "request" | "destroy">;

export type OpenAgent = (options: AgentOptions) => OutgoingAgent;

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens the agent of outgoing calls, to be destroyed. It limits only the time to connect. The environment is not read.
 * HTTP/2 is off: a POST that is sent once and a limit of connections count on one request a connection.
 */
export function openAgent(options: AgentOptions): OutgoingAgent {
  const { proxy = {}, connections, keepAliveMs, connectTimeoutMs: timeout = CONNECT_TIMEOUT_MS } = options;
  const { certificate, addresses } = options;
  const tls = {
    timeout,
    allowH2: false,
    ...(certificate !== undefined && { ca: certificate }),
    ...(addresses && { lookup: pinnedLookup(addresses), rejectUnauthorized: true }),
  };
  const common: Agent.Options = {
    ...(connections !== undefined && { connections }),
    ...(keepAliveMs === 0 && { pipelining: 0 }),
    ...(keepAliveMs !== undefined &&
      keepAliveMs > 0 && { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs }),
    allowH2: false,
    connect: tls,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const throughProxy = (address: string) => ({
    ...common,
    requestTls: tls,
    ...(isSocks(address) ? socksCredentials(address) : { proxyTls: { timeout } }),
    factory: (origin: string | URL, given: Pool.Options) => new Pool(origin, withSilentTunnels(given)),
    clientFactory: (origin: URL, given: object) =>
      new Pool(origin, { ...(given as Pool.Options), headersTimeout: timeout }),
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

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all }, answer) => {
    if (all) answer(null, pinned);
    else answer(null, pinned[0]?.address ?? "", pinned[0]?.family);
  };
}
