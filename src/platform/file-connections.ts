import { setMaxListeners } from "node:events";
import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "./clock.js";
import { bypassesProxy } from "./no-proxy.js";
import type { ProxySettings } from "./proxy-settings.js";
import { openTunnel } from "./proxy-tunnel.js";

export interface ConnectionOptions {
  clock: Clock;
  proxy?: ProxySettings;
  /** Trusted instead of the default authorities. */
  certificate?: string | undefined;
  /** Includes TLS and the proxy's answer. By default 10 s. */
  connectTimeoutMs?: number;
  /** Of every name, without DNS; tried in this order. Then the environment cannot disable the check of certificates. */
  addresses?: readonly string[];
  /** In ms; 0: a connection for each request. Shorter than servers keep an idle connection. */
  keepAliveMs?: number;
}

const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 4000;

/** The agents of Node's HTTP client, with a deadline for connecting. The process environment's proxies are not read. */
export class FileConnections {
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  readonly #plain: Agent;
  readonly #secure: TlsAgent;
  readonly #proxied: TlsAgent | undefined;

  constructor(options: ConnectionOptions) {
    // Every tunnel adds a listener.
    setMaxListeners(0, this.#closing.signal);
    this.#options = options;
    const { keepAliveMs = KEEP_ALIVE_MS, certificate, addresses, proxy } = options;
    const shared = keepAliveMs > 0 ? { keepAlive: true, timeout: keepAliveMs } : {};
    const tls = {
      ...shared,
      ...(certificate !== undefined && { ca: certificate }),
      ...(addresses && { lookup: pinnedLookup(addresses), rejectUnauthorized: true }),
    };
    this.#plain = this.#limited(new Agent(shared), "connect");
    this.#secure = this.#limited(new TlsAgent(tls), "secureConnect");
    if (proxy?.httpsProxy) this.#proxied = this.#tunneled(new TlsAgent(tls), new URL(proxy.httpsProxy));
  }

  agentFor(url: URL): Agent {
    if (url.protocol === "http:") return this.#plain;
    const { noProxy = "" } = this.#options.proxy ?? {};
    if (!this.#proxied || bypassesProxy(url, noProxy)) return this.#secure;
    return this.#proxied;
  }

  /** Ends all connections. */
  close(): void {
    this.#closing.abort();
    this.#plain.destroy();
    this.#secure.destroy();
    this.#proxied?.destroy();
  }

  #limited<A extends Agent>(agent: A, connected: "connect" | "secureConnect"): A {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, done) => {
      const socket = connect(options, done);
      if (socket) this.#limitConnecting(socket, connected);
      return socket;
    };
    return agent;
  }

  #tunneled(agent: TlsAgent, proxy: URL): TlsAgent {
    const connect = agent.createConnection.bind(agent);
    agent.createConnection = (options, done) => {
      void this.#tunnel(proxy, `${hostOf(options.host)}:${options.port}`).then(
        (socket) => {
          const secure = connect({ ...options, socket } as typeof options);
          if (!secure) return;
          this.#limitConnecting(secure, "secureConnect");
          socket.once("close", () => secure.destroy());
          done?.(null, secure);
        },
        (error: Error) => done?.(error, undefined as never),
      );
      return undefined;
    };
    return agent;
  }

  async #tunnel(proxy: URL, target: string): Promise<Duplex> {
    const { clock } = this.#options;
    const ending = new AbortController();
    const end = () => ending.abort();
    const cancel = clock.after(this.#timeoutMs, end);
    this.#closing.signal.addEventListener("abort", end, { once: true });
    try {
      return await openTunnel(proxy, target, ending.signal);
    } finally {
      cancel();
      this.#closing.signal.removeEventListener("abort", end);
    }
  }

  #limitConnecting(socket: Duplex, connected: "connect" | "secureConnect"): void {
    const end = () => socket.destroy(new Error("not connected in time"));
    const cancel = this.#options.clock.after(this.#timeoutMs, end);
    socket.once(connected, cancel).once("close", cancel);
  }

  get #timeoutMs(): number {
    return this.#options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  }
}

function hostOf(host: string | null | undefined): string {
  const name = host ?? "";
  return isIP(name) === 6 ? `[${name}]` : name;
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_name, { all }, answer) => {
    if (all) answer(null, pinned);
    else answer(null, pinned[0]?.address ?? "", pinned[0]?.family);
  };
}
