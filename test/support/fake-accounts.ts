import type { ConnectedAccounts, SharedAccount } from "../../src/service/accounts.js";

/** One account at a service elsewhere. */
export function sharedAccount(change: Partial<SharedAccount> = {}): SharedAccount {
  return { kind: "shared", isLinksOnly: false, ...change };
}

/** Accounts at a service elsewhere that nobody has connected, unless the test says otherwise. */
export function connectedAccounts(change: Partial<ConnectedAccounts> = {}): ConnectedAccounts {
  const connections = {
    connect: async () => ({ outcome: "refused" }) as const,
    findKey: () => undefined,
    disconnect: async () => ({ outcome: "not_connected" }) as const,
    onKeyRefused: () => {},
  };
  const nothing = { catalogue: () => [], wasSent: () => false };
  return { kind: "connected", isLinksOnly: false, connections, ...nothing, ...change };
}
