import type { Random } from "./random.js";

interface AccountKey {
  key: string;
  /** Of a person, such as `101a`. */
  account: string;
  isRevoked: boolean;
}

/** Begins each key, so that it is found wherever it stands. */
export const KEY_MARK = "own-key-";

/** The accounts of a service elsewhere and their keys, which may be revoked there at any moment. */
export class SimAccounts {
  readonly #keys: AccountKey[] = [];
  /** Jobs that were asked for with the key of another person. */
  readonly strange: string[] = [];

  constructor(private readonly random: Random) {}

  /** A key of one of the two accounts of a person: mostly one that works. */
  keyOf(userId: number): string {
    const account = `${userId}${this.random.pick(["a", "a", "b"])}`;
    const known = this.#keys.filter((one) => one.account === account);
    const given = this.random.chance(0.5) ? this.random.pick(known) : undefined;
    if (given) return given.key;
    const key = `${KEY_MARK}${account}-${known.length + 1}-of-the-simulation`;
    this.#keys.push({ key, account, isRevoked: false });
    return key;
  }

  revoke(): string {
    const one = this.random.pick(this.#keys);
    if (!one) return "there is no key to revoke";
    one.isRevoked = !one.isRevoked;
    return `${one.key} ${one.isRevoked ? "is revoked elsewhere" : "works again"}`;
  }

  calmDown(): void {
    for (const one of this.#keys) one.isRevoked = false;
  }

  /** Undefined for a key that the service refuses. */
  accountOf(headers: Readonly<Record<string, string>>): string | undefined {
    const key = headers.authorization?.replace(/^Bearer /, "");
    const known = this.#keys.find((one) => one.key === key);
    return known?.isRevoked === false ? known.account : undefined;
  }
}
