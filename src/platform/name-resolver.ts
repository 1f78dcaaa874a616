import { Resolver } from "node:dns/promises";

/** How long one server of names may take, ms, and how often it is asked. */
const ATTEMPT_MS = 3000;
const ATTEMPTS = 2;

/**
 * Every IPv4 and IPv6 address of a name; none when it has none. Rejects when the servers of names fail, and
 * at once when `signal` aborts.
 */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Asks the system's servers of names directly. `getaddrinfo` would hold a thread of the pool that files are
 * read with, cannot be ended, and knows the names of the local network by `/etc/hosts` and search domains.
 *
 * @param servers other servers to ask, as `address:port`
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

/** One family that fails does not hide the other: only what is answered is connected to. */
function addressesOf(answers: readonly PromiseSettledResult<string[]>[]): string[] {
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length > 0) return addresses;
  for (const answer of answers) {
    if (answer.status === "rejected" && !hasNoAddress(answer.reason)) throw answer.reason;
  }
  return [];
}

function hasNoAddress(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && (error.code === "ENODATA" || error.code === "ENOTFOUND")
  );
}
