/** A map of bounded size that evicts the oldest entry. */
export class BoundedMap<K, V> {
  readonly #values = new Map<K, V>();

  constructor(private readonly max: number) {}

  get(key: K): V | undefined {
    return this.#values.get(key);
  }

  set(key: K, value: V): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.max) return;
    const oldest = this.#values.keys().next();
    if (!oldest.done) this.#values.delete(oldest.value);
  }

  delete(key: K): void {
    this.#values.delete(key);
  }
}
