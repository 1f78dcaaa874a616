import { BoundedMap } from "../../platform/bounded-map.js";
import { HOUR_MS } from "../../platform/units.js";
import type {
  Connections,
  ConnectOutcome,
  DisconnectOutcome,
  EarlierOrders,
  RefusedKey,
} from "../../ports/connections.js";
import type { User } from "../../ports/gateway.js";
import { ApiClient } from "../api-client.js";
import { isKeyRefused } from "../key-source.js";
import type { Remote } from "../remote.js";
import type { SubmissionStore } from "../submission-store.js";
import type { AccountStore, ConnectedAccount } from "./account-store.js";
import type { KeyWatch } from "./key-watch.js";
import { KnownShapes } from "./known-shapes.js";
import { sameAccount } from "./same-account.js";

/** The person waits for this and for the probe of the account, together less than 10 s. */
const CHECK = { timeoutMs: 4500, triesMax: 1 };

export interface ConnectOptions {
  remote: Remote;
  store: AccountStore;
  submissions: SubmissionStore;
  watch: KeyWatch;
  countOpenOrders: (account: ConnectedAccount) => number;
  /** Called when the orders of a user may have a working key again. */
  onConnected: (userId: number) => Promise<void>;
}

/** The most refusals of a person: guesses would also make the service slow down everybody's calls. */
const REFUSALS_MAX = 10;
const REFUSALS_WITHIN_MS = HOUR_MS;
const REMEMBERED = 10_000;

/** Handles `/connect` and `/disconnect`. */
export class AccountConnections implements Connections {
  readonly #options: ConnectOptions;
  readonly #shapes = new KnownShapes();
  /** Milliseconds since the epoch at which keys were refused, by user. */
  readonly #refusals = new BoundedMap<number, readonly number[]>(REMEMBERED);

  constructor(options: ConnectOptions) {
    this.#options = options;
  }

  async connect({ id: userId }: User, key: string): Promise<ConnectOutcome> {
    const { remote, store } = this.#options;
    const refusals = this.#recentRefusals(userId);
    if (refusals.length >= REFUSALS_MAX) return { outcome: "too_many" };
    const client = new ApiClient(remote, key);
    const balance = await client.balance(CHECK).catch((error: unknown) => {
      if (isKeyRefused(error)) return undefined;
      throw error;
    });
    if (!balance) {
      this.#shapes.noteRefused(userId, key);
      this.#refusals.set(userId, [...refusals, remote.clock.monotonic()]);
      return { outcome: "refused" };
    }
    const same = await sameAccount(store.ofUser(userId), key, client, this.#options);
    const resumed = same?.refusedAt !== undefined ? this.#options.countOpenOrders(same) : 0;
    if (same) await store.replaceKey(same, key);
    else await store.add(userId, key);
    await this.#options.onConnected(userId);
    await this.dropEnded(store.ofUser(userId));
    return { outcome: "connected", balance, resumed, earlier: this.#earlierOrders(userId) };
  }

  findKey({ id: userId }: User, text: string): string | undefined {
    const { store } = this.#options;
    const keys = store
      .ofUser(userId)
      .map(({ id, sealedKey: sealed }) => ({ sealed, open: () => store.keyOf(id) }));
    return this.#shapes.find(userId, text, keys);
  }

  async disconnect({ id: userId }: User): Promise<DisconnectOutcome> {
    const { store, countOpenOrders } = this.#options;
    if (!(await store.leave(userId))) return { outcome: "not_connected" };
    await this.dropEnded(store.ofUser(userId));
    const openOrders = store.ofUser(userId).reduce((sum, account) => sum + countOpenOrders(account), 0);
    return { outcome: "disconnected", openOrders };
  }

  onKeyRefused(tell: (key: RefusedKey) => Promise<void>): void {
    this.#options.watch.onRefused(tell);
  }

  /** Forgets those accounts whose orders have ended. */
  async dropEnded(accounts: readonly ConnectedAccount[]): Promise<void> {
    const { store, countOpenOrders } = this.#options;
    for (const account of accounts)
      if (!account.isCurrent && countOpenOrders(account) === 0) await store.remove(account.id);
  }

  #recentRefusals(userId: number): readonly number[] {
    const since = this.#options.remote.clock.monotonic() - REFUSALS_WITHIN_MS;
    return (this.#refusals.get(userId) ?? []).filter((at) => at > since);
  }

  #earlierOrders(userId: number): EarlierOrders {
    const { store, countOpenOrders } = this.#options;
    const earlier: EarlierOrders = { followed: 0, waiting: 0 };
    for (const account of store.ofUser(userId)) {
      if (account.isCurrent) continue;
      earlier[account.refusedAt !== undefined ? "waiting" : "followed"] += countOpenOrders(account);
    }
    return earlier;
  }
}
