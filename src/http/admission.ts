import { isIPv6 } from "node:net";

/** The number of connections kept for this machine, such as for the health check of a container. */
export const LOOPBACK_RESERVE = 16;
/** Share of all connections that one address may have. */
const SHARE = 0.5;

/** An open connection, as far as it matters for who has to go. */
export interface Guest {
  /** The address. Undefined for a connection that was closed before it was seen. */
  readonly address: string | undefined;
  /** True from its first complete head on. */
  readonly hasAsked: boolean;
  /** True while no response is owed to it. */
  readonly isIdle: boolean;
}

export interface AdmissionOptions {
  connectionsMax: number;
  /** False behind a proxy, whose address all connections have. */
  hasShares: boolean;
}

/**
 * Decides which connection is closed when there are too many: the oldest that has sent no complete head, else the
 * oldest that waits for nothing, else the new one.
 */
export class Admission<G extends Guest> {
  readonly #options: AdmissionOptions;
  /** Connections in the order of their coming. */
  readonly #guests = new Map<G, { host: string; isLocal: boolean }>();
  readonly #byHost = new Map<string, number>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Returns the connection to close, which may be the new one; it is no longer counted then. */
  admit(guest: G): G | undefined {
    const { address = "" } = guest;
    const entry = { host: hostOf(address), isLocal: isLoopback(address) };
    this.#add(guest, entry);
    const tooMany = this.#tooMany(entry);
    if (!tooMany) return undefined;
    const leaving = this.#leaving(guest, tooMany === "of_host" ? entry.host : undefined);
    // This machine's health checks are heard also where all others wait for a response.
    if (
      leaving === guest &&
      this.#guests.size <= this.#options.connectionsMax + LOOPBACK_RESERVE &&
      entry.isLocal
    )
      return undefined;
    this.remove(leaving);
    return leaving;
  }

  remove(guest: G): void {
    const entry = this.#guests.get(guest);
    if (!entry) return;
    this.#guests.delete(guest);
    const left = (this.#byHost.get(entry.host) ?? 1) - 1;
    if (left === 0) this.#byHost.delete(entry.host);
    else this.#byHost.set(entry.host, left);
  }

  #add(guest: G, entry: { host: string; isLocal: boolean }): void {
    this.#guests.set(guest, entry);
    this.#byHost.set(entry.host, (this.#byHost.get(entry.host) ?? 0) + 1);
  }

  #tooMany({ host, isLocal }: { host: string; isLocal: boolean }): "of_host" | "of_all" | undefined {
    const { connectionsMax, hasShares } = this.#options;
    const share = Math.max(1, Math.floor(connectionsMax * SHARE));
    if (hasShares && !isLocal && (this.#byHost.get(host) ?? 0) > share) return "of_host";
    return this.#guests.size > connectionsMax ? "of_all" : undefined;
  }

  #leaving(newest: G, ofHost: string | undefined): G {
    let idle: G | undefined;
    for (const [guest, { host }] of this.#guests) {
      if (guest === newest || (ofHost !== undefined && host !== ofHost)) continue;
      if (!guest.hasAsked) return guest;
      if (guest.isIdle) idle ??= guest;
    }
    return idle ?? newest;
  }
}

/** Names a host. An address is one; of IPv6, a network of 64 bits is what one customer has. */
export function hostOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
  return isIPv6(plain) ? networkOf(plain) : plain;
}

function networkOf(address: string): string {
  const [head = "", tail] = address.split("%", 1).join("").split("::");
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const after = tail === "" ? 0 : tail.split(":").length;
    while (groups.length < 8 - after) groups.push("0");
  }
  return groups.slice(0, 4).join(":");
}

function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, "");
  return plain === "::1" || plain.startsWith("127.");
}
