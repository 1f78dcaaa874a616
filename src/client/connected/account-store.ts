import { Unavailable } from "../../contract/errors.js";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { TextCipher } from "../../platform/text-cipher.js";
import * as table from "./account-table.js";

/** An account of the service that a person has connected with a key of their own. */
export interface ConnectedAccount {
  id: number;
  userId: number;
  /** False: kept for open orders only. */
  isCurrent: boolean;
  /** Milliseconds since the epoch at which the service began to refuse the key. */
  refusedAt: number | undefined;
  /** The encrypted key; another one for each key of the account. */
  sealedKey: string;
}

/** Connected accounts with their keys, which are encrypted. A person has at most one current account. */
export class AccountStore {
  readonly #database: Database;
  readonly #cipher: TextCipher;

  constructor(database: Database, cipher: TextCipher) {
    this.#database = database;
    this.#cipher = cipher;
  }

  find(id: number): ConnectedAccount | undefined {
    const row = this.#database.first(table.connectedAccountById, { id });
    return row && accountOf(row);
  }

  current(userId: number): ConnectedAccount | undefined {
    const row = this.#database.first(table.currentOfUser, { user_id: userId });
    return row && accountOf(row);
  }

  /** Lists the newest first, those included that are kept for open orders. */
  ofUser(userId: number): ConnectedAccount[] {
    return this.#database.all(table.accountsOfUser, { user_id: userId }).map(accountOf);
  }

  kept(): ConnectedAccount[] {
    return this.#all().filter(({ isCurrent }) => !isCurrent);
  }

  untold(): ConnectedAccount[] {
    const rows = this.#database.all(table.allConnectedAccounts, {});
    return rows.filter((row) => row.refused_at !== null && row.is_told === 0).map(accountOf);
  }

  /** Opens the key. Throws Unavailable `account` when it is gone, and UnsealError. */
  keyOf(id: number): string {
    const row = this.#database.first(table.connectedAccountById, { id });
    if (!row) throw new Unavailable("account");
    return this.#cipher.open(row.sealed_key, nameOf(row.user_id));
  }

  /** Adds an account, which becomes the person's current one. */
  add(userId: number, key: string): Promise<number> {
    const sealed_key = this.#cipher.seal(key, nameOf(userId));
    return this.#database.write("account-connect", (tx) => {
      tx.run(table.clearCurrent, { user_id: userId });
      return tx.insert(table.insertAccount, { user_id: userId, sealed_key });
    });
  }

  /** Stores another key of the same account, which becomes the current one. */
  replaceKey({ id, userId }: ConnectedAccount, key: string): Promise<void> {
    const sealed_key = this.#cipher.seal(key, nameOf(userId));
    return this.#database.write("account-key", (tx) => {
      tx.run(table.clearCurrent, { user_id: userId });
      tx.run(table.setKey, { id, sealed_key });
      tx.run(table.clearRefused, { id });
      tx.run(table.setCurrent, { id });
    });
  }

  /** Ends the current account. Resolves to false when the person has none. */
  leave(userId: number): Promise<boolean> {
    return this.#database.write("account-disconnect", (tx) => {
      const row = tx.first(table.currentOfUser, { user_id: userId });
      tx.run(table.clearCurrent, { user_id: userId });
      return row !== undefined;
    });
  }

  /** Notes a refusal. Resolves to false when it is known, or the account has another key by now. */
  refuse({ id, sealedKey: sealed_key }: ConnectedAccount, at: number): Promise<boolean> {
    return this.#database.write(
      "account-refused",
      (tx) => tx.run(table.setRefused, { id, sealed_key, refused_at: at }) > 0,
    );
  }

  accept(id: number): Promise<void> {
    return this.#database.write("account-accepted", (tx) => void tx.run(table.clearRefused, { id }));
  }

  setTold(id: number): Promise<void> {
    return this.#database.write("account-told", (tx) => void tx.run(table.setTold, { id }));
  }

  remove(id: number): Promise<void> {
    return this.#database.write("account-removed", (tx) => void tx.run(table.deleteAccount, { id }));
  }

  /** Encrypts every key anew that is not stored under the first encryption key. Throws UnsealError. */
  reseal(): Promise<void> {
    return this.#database.write("account-reseal", (tx) => {
      for (const row of tx.all(table.allConnectedAccounts, {})) this.#resealIn(tx, row);
    });
  }

  #resealIn(tx: Transaction, { id, user_id, sealed_key }: table.ConnectedAccountRow): void {
    const key = this.#cipher.open(sealed_key, nameOf(user_id));
    if (this.#cipher.isCurrent(sealed_key)) return;
    tx.run(table.setKey, { id, sealed_key: this.#cipher.seal(key, nameOf(user_id)) });
  }

  #all(): ConnectedAccount[] {
    return this.#database.all(table.allConnectedAccounts, {}).map(accountOf);
  }
}

/** Names the row that a sealed key belongs to. */
function nameOf(userId: number): string {
  return `connected-account:${userId}`;
}

function accountOf(row: table.ConnectedAccountRow): ConnectedAccount {
  return {
    id: row.id,
    userId: row.user_id,
    isCurrent: row.is_current === 1,
    refusedAt: row.refused_at ?? undefined,
    sealedKey: row.sealed_key,
  };
}
