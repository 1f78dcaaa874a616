/** Jobs by account. Accounts without any take no memory. */
export class AccountCounts {
  readonly #counts = new Map<number, number>();

  get(account: number): number {
    return this.#counts.get(account) ?? 0;
  }

  add(account: number): void {
    this.#counts.set(account, this.get(account) + 1);
  }

  remove(account: number): void {
    const count = this.get(account) - 1;
    if (count > 0) this.#counts.set(account, count);
    else this.#counts.delete(account);
  }
}
