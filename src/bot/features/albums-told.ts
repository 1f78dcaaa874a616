import type { Message } from "grammy/types";
import { Recent } from "../../platform/recent.js";

/** Albums that are remembered. */
const REMEMBERED = 1000;

/** The pieces of an album are messages of their own: this tells the first of them, so that one answer is enough. */
export class AlbumsTold {
  readonly #albums = new Recent<string, true>(REMEMBERED);

  /** True for the first piece of an album that is asked about, and for every message that is in none. */
  isFirst({ media_group_id: album }: Message): boolean {
    if (album === undefined) return true;
    if (this.#albums.get(album)) return false;
    this.#albums.set(album, true);
    return true;
  }
}
