import { isIP, type LookupFunction } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { buildConnector } from "undici";
import type { Clock } from "./clock.js";

export interface PinnedConnectorOptions {
  /** What the certificate must name; an address without brackets, or a name. */
  host: string;
  port: number;
  /** The only addresses that are connected to, in this order. */
  addresses: readonly string[];
  /** How long a connection may take to stand, TLS included, in ms. */
  timeoutMs: number;
  /** Trusted instead of the usual authorities. */
  certificate: string | undefined;
  /** Ends a connection that does not stand yet: undici ends only those that do. */
  signal: AbortSignal;
  clock: Clock;
}

/**
 * How undici makes the TLS connection of one request. It asks no server of names: the addresses given answer
 * whatever is looked up.
 */
export function pinnedConnector(options: PinnedConnectorOptions): buildConnector.connector {
  const { clock, timeoutMs, signal } = options;
  return (_target, done) => {
    if (signal.aborted) return done(new Error("aborted before it was connected"), null);
    const socket = open(options);
    const end = () => socket.destroy(new Error("not connected in time"));
    const cancel = clock.after(timeoutMs, end);
    signal.addEventListener("abort", end, { once: true });
    const settle = () => {
      cancel();
      signal.removeEventListener("abort", end);
      socket.off("error", fail);
    };
    const fail = (error: Error) => {
      settle();
      done(error, null);
    };
    socket.once("error", fail);
    socket.once("secureConnect", () => {
      settle();
      done(null, socket);
    });
  };
}

/** No `signal` for node: version 20 dies of one that ends a TLS connection while data arrives on it. */
function open({ host, port, addresses, certificate }: PinnedConnectorOptions): TLSSocket {
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_name, { all }, answer) => {
    if (all) answer(null, pinned);
    else answer(null, pinned[0]?.address ?? "", pinned[0]?.family);
  };
  return connectTls({
    host,
    port,
    lookup,
    ...(isIP(host) === 0 && { servername: host }),
    ...(certificate !== undefined && { ca: certificate }),
    ALPNProtocols: ["http/1.1"],
    // Said once more, since the environment can turn the default off.
    rejectUnauthorized: true,
  });
}
