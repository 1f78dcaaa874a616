import { keysLike } from "../../src/client/connected-accounts.js";
import type {
  ConnectedAccounts,
  Connections,
  ConnectOutcome,
  DisconnectOutcome,
  RefusedKey,
  SharedAccount,
} from "../../src/service/accounts.js";

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

export const KEY = "key_0123456789abcdefgh";

/** Takes every key, unless a test says otherwise. The account has the key KEY. */
export class FakeConnections implements Connections {
  readonly keys: string[] = [];
  isConnected = false;
  answer: () => ConnectOutcome = () => ({
    outcome: "connected",
    balance: { currency: "RUB", amount: 120 },
    resumed: 0,
    earlier: { followed: 0, waiting: 0 },
  });
  left: DisconnectOutcome = { outcome: "disconnected", openOrders: 0 };
  tell: (key: RefusedKey) => Promise<void> = async () => {};

  async connect(_user: object, key: string): Promise<ConnectOutcome> {
    this.keys.push(key);
    const outcome = this.answer();
    if (outcome.outcome === "connected") this.isConnected = true;
    return outcome;
  }

  findKey(_user: object, text: string): string | undefined {
    return this.isConnected ? keysLike(KEY)(text) : undefined;
  }

  async disconnect(): Promise<DisconnectOutcome> {
    return this.left;
  }

  onKeyRefused(tell: (key: RefusedKey) => Promise<void>): void {
    this.tell = tell;
  }
}
