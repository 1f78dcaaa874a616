import "./own-fetch.js";
import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import type { ProxySettings } from "./proxy-settings.js";

export interface AgentOptions {
  proxy?: ProxySettings;
  /** Open connections per origin. */
  connections?: number;
  keepAliveMs?: number;
  /** Trusted instead of the default authorities. */
  certificate?: string;
}

/** For `exchange` alone: other reads of undici 7 may end the process (docs/adr/0010). */
export type OutgoingAgent = Pick<Dispatcher, "dispatch" | "destroy">;

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * The agent of outgoing calls, which must be closed or destroyed. It limits only the time to connect: its
 * callers limit their calls. The process environment is not read.
 */
export function openAgent({
  proxy = {},
  connections,
  keepAliveMs,
  certificate,
}: AgentOptions): OutgoingAgent {
  const tls = { timeout: CONNECT_TIMEOUT_MS, ...(certificate !== undefined && { ca: certificate }) };
  const options: Agent.Options = {
    ...(connections !== undefined && { connections }),
    ...(keepAliveMs !== undefined && { keepAliveTimeout: keepAliveMs }),
    connect: tls,
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  if (!proxy.httpsProxy) return new Agent(options);
  return new EnvHttpProxyAgent({
    ...options,
    // An empty value, unlike an absent one, keeps undici from reading the environment.
    httpProxy: "",
    httpsProxy: proxy.httpsProxy,
    noProxy: proxy.noProxy ?? "",
    requestTls: tls,
    proxyTls: { timeout: CONNECT_TIMEOUT_MS },
    // The time for the answer to CONNECT.
    clientFactory: (origin, given) =>
      new Pool(origin, { ...(given as Pool.Options), headersTimeout: CONNECT_TIMEOUT_MS }),
  });
}
