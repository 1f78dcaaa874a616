import type { CancelTimer, Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import type { RefusedKey } from "../../ports/connections.js";
import { isKeyRefused } from "../key-source.js";
import type { AccountStore, ConnectedAccount } from "./account-store.js";

/** Milliseconds after which a refused key is tried again: one refusal is a doubt. */
const CHECKED_AFTER_MS = 10_000;

export interface KeyWatchOptions {
  store: AccountStore;
  check: (accountId: number) => Promise<unknown>;
  countOpenOrders: (account: ConnectedAccount) => number;
  clock: Clock;
  logger: Logger;
}

/** Finds out which keys have stopped working, and which work again. */
export class KeyWatch {
  readonly #options: KeyWatchOptions;
  readonly #checks = new Map<number, CancelTimer>();
  readonly #telling = new Set<number>();
  #tell: ((key: RefusedKey) => Promise<void>) | undefined;

  constructor(options: KeyWatchOptions) {
    this.#options = options;
  }

  onRefused(tell: (key: RefusedKey) => Promise<void>): void {
    this.#tell = tell;
    this.tellAll();
  }

  stop(): void {
    for (const cancel of this.#checks.values()) cancel();
    this.#tell = undefined;
  }

  /** Notes an answer that refused the key. */
  doubt(accountId: number): void {
    if (this.#checks.has(accountId)) return;
    const cancel = this.#options.clock.after(CHECKED_AFTER_MS, () => void this.#check(accountId));
    this.#checks.set(accountId, cancel);
  }

  tellAll(): void {
    for (const account of this.#options.store.untold()) void this.#tellOf(account);
  }

  async #check(accountId: number): Promise<void> {
    const { store, check, clock, logger } = this.#options;
    try {
      // Another key may take its place meanwhile.
      const account = store.find(accountId);
      if (!account) return;
      const isRefused = await check(accountId).then(
        () => false,
        (error: unknown) => {
          if (isKeyRefused(error)) return true;
          throw error;
        },
      );
      if (!isRefused) return await store.accept(accountId);
      if (!(await store.refuse(account, clock.now()))) return;
      logger.warn({ account_id: accountId }, "the service refuses the key of a connected account");
      this.tellAll();
    } catch (error) {
      // Without an answer nothing is known: the next refusal begins anew.
      logger.info({ account_id: accountId, err: error }, "key of a connected account not checked");
    } finally {
      this.#checks.delete(accountId);
    }
  }

  async #tellOf(account: ConnectedAccount): Promise<void> {
    const { store, countOpenOrders, logger } = this.#options;
    const { id, userId, isCurrent } = account;
    if (!this.#tell || this.#telling.has(id)) return;
    this.#telling.add(id);
    try {
      const openOrders = countOpenOrders(account);
      // Nobody waits for a key that was kept for orders which have ended.
      if (isCurrent || openOrders > 0) await this.#tell({ userId, isCurrent, openOrders });
      await store.setTold(id);
    } catch (error) {
      logger.warn({ account_id: id, user_id: userId, err: error }, "person not told of a refused key");
    } finally {
      this.#telling.delete(id);
    }
  }
}
