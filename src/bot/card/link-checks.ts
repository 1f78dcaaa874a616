import { FetchError, type GuardedFetch } from "../../platform/guarded-fetch.js";
import { type PictureSize, PictureSizeReader } from "../../platform/picture-size.js";
import { MEGABYTE } from "../../platform/units.js";
import { parseLinks } from "./form/typed-value.js";
import type { PictureShapes } from "./pictures.js";

/** Milliseconds that a chat waits for the heads of its links. A slower host is asked again by the order. */
const TIMEOUT_MS = 3000;
/** Limits what is read of a link. Where the size is not told by then, the order judges. */
const BYTES_MAX = 4 * MEGABYTE;
const CHECKED_MAX = 8;
/** The most checks at once in all chats. Further links are not looked at. */
const IN_FLIGHT_MAX = 32;
/** Statuses with which the host has nothing for the order either. Others may be back by then. */
const GONE = new Set([401, 403, 404, 410]);

/** Looks at the first bytes of links that people send as pictures. */
export class LinkChecks {
  #inFlight = 0;

  constructor(
    private readonly fetch: GuardedFetch,
    private readonly shapes: PictureShapes,
  ) {}

  /** Finds the first link of a text that surely leads to no picture. Undefined for other texts. Never rejects. */
  async wrongLinkIn(text: string): Promise<string | undefined> {
    const found = parseLinks(text);
    if (found?.kind !== "links") return undefined;
    const links = found.links.slice(0, CHECKED_MAX);
    const verdicts = await Promise.all(links.map((link) => this.#isPicture(link)));
    return links[verdicts.indexOf(false)];
  }

  /** Resolves to undefined when it is not known in time. */
  async #isPicture(link: string): Promise<boolean | undefined> {
    if (this.#inFlight >= IN_FLIGHT_MAX) return undefined;
    this.#inFlight += 1;
    const limits = { bytesMax: BYTES_MAX, timeoutMs: TIMEOUT_MS, signal: new AbortController().signal };
    try {
      const size = await this.fetch(link, limits, sizeIn);
      this.shapes.note(link, size);
      return size !== undefined;
    } catch (error) {
      return error instanceof FetchError && GONE.has(error.status ?? 0) ? false : undefined;
    } finally {
      this.#inFlight -= 1;
    }
  }
}

/** Reads up to where the size is told. Undefined for what is no picture to its end. */
async function sizeIn(bytes: AsyncIterable<Buffer>): Promise<PictureSize | undefined> {
  const reader = new PictureSizeReader();
  for await (const chunk of bytes) {
    const found = reader.push(chunk);
    if (found !== "more") return found === "none" ? undefined : found;
  }
  return undefined;
}
