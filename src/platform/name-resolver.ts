import { Resolver } from "node:dns/promises";

const ATTEMPT_MS = 3000;
const ATTEMPTS = 2;

/** Returns all IPv4 and IPv6 addresses of a name, possibly none. Rejects if DNS fails or `signal` aborts. */
export type ResolveName = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

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
    if (answer.status === "rejected" && !hasNoAddress(answer.reason)) throw answer.reason;
  }
  return [];
}

function hasNoAddress(error: unknown): boolean {
  return (
    error instanceof Error && "code" in error && (error.code === "ENODATA" || error.code === "ENOTFOUND")
  );
}
