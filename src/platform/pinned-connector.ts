import { isIP, type LookupFunction } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { buildConnector } from "undici";
import type { Clock } from "./clock.js";

export interface PinnedConnectorOptions {
  /** Checked against the certificate: a host name, or an address without brackets. */
  host: string;
  port: number;
  /** Tried in this order; no other address is used. */
  addresses: readonly string[];
  /** Includes TLS. */
  timeoutMs: number;
  /** Trusted instead of the default authorities. */
  certificate: string | undefined;
  /** Aborts a pending connection; undici aborts only established ones. */
  signal: AbortSignal;
  clock: Clock;
}

/** Makes the TLS connection of one undici request. Without DNS: lookups return the given addresses. */
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

/** Without `signal`: node 20 crashes if one aborts a TLS connection that receives data. */
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
    // Explicit, since the environment can disable the default.
    rejectUnauthorized: true,
  });
}
