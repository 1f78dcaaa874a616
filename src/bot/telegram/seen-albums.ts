import type { Message } from "grammy/types";
import { BoundedMap } from "../../platform/bounded-map.js";

const REMEMBERED = 1000;

/** Remembers albums: Telegram sends each item as a message, and only the first one is answered. */
export class SeenAlbums {
  readonly #albums = new BoundedMap<string, true>(REMEMBERED);

  isFirst({ media_group_id: album }: Message): boolean {
    if (album === undefined) return true;
    if (this.#albums.get(album)) return false;
    this.#albums.set(album, true);
    return true;
  }
}
