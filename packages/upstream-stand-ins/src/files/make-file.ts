import type { FileSpec } from "./file-spec.js";
import { makeFilm } from "./film.js";
import { makePicture } from "./picture.js";
import { makeTrack } from "./track.js";

const KEPT_MAX = 24;

/** Makes results when they are asked for, and keeps the last ones. The same description gives the same bytes. */
export class FileMaker {
  readonly #kept = new Map<string, Promise<Buffer>>();

  /** @param maker the service whose stand-in this is: pictures and films say so */
  make(spec: FileSpec, maker: string): Promise<Buffer> {
    const key = JSON.stringify({ ...spec, id: "", maker });
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const made = makeFile(spec, maker);
    this.#kept.set(key, made);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > KEPT_MAX && oldest.value !== undefined) this.#kept.delete(oldest.value);
    return made;
  }
}

function makeFile(spec: FileSpec, maker: string): Promise<Buffer> {
  if (spec.kind === "image") return makePicture(spec, maker);
  return spec.kind === "video" ? makeFilm(spec, maker) : makeTrack(spec);
}
