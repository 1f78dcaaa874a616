import { BoundedMap } from "../../platform/bounded-map.js";
import { keysLike } from "./key-shape.js";

type Find = (text: string) => string | undefined;

const REMEMBERED = 10_000;
const REFUSED_MAX = 10;

/** Finds what looks like a key of a person, by the keys that are connected and those that were refused. */
export class KnownShapes {
  readonly #connected = new BoundedMap<string, Find>(REMEMBERED);
  readonly #refused = new BoundedMap<number, readonly Find[]>(REMEMBERED);

  noteRefused(userId: number, key: string): void {
    this.#refused.set(userId, [keysLike(key), ...(this.#refused.get(userId) ?? [])].slice(0, REFUSED_MAX));
  }

  /** Finds a key. `keys` are encrypted, with what opens them. */
  find(
    userId: number,
    text: string,
    keys: readonly { sealed: string; open: () => string }[],
  ): string | undefined {
    const shapes = [...keys.map((key) => this.#shapeOf(key)), ...(this.#refused.get(userId) ?? [])];
    for (const find of shapes) {
      const found = find(text);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #shapeOf({ sealed, open }: { sealed: string; open: () => string }): Find {
    const known = this.#connected.get(sealed);
    if (known) return known;
    const find = keysLike(open());
    this.#connected.set(sealed, find);
    return find;
  }
}
