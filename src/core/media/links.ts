import { createHmac, timingSafeEqual } from "node:crypto";

/** How long a link is valid, in ms (section 8). */
export const LINK_LIFETIME_MS = 60 * 60 * 1000;

/** What a signed link says about a file. Times in seconds since the epoch. */
export interface SignedFile {
  name: string;
  expires: string;
  signature: string;
}

export type LinkVerdict = "valid" | "expired" | "forged";

const FILE_NAME = /^[A-Za-z0-9._-]{1,100}$/;
const SECONDS = /^[1-9]\d{0,11}$/;

/** Makes and judges links to stored files: `PUBLIC_URL/files/<name>?expires=<s>&signature=<HMAC-SHA256>`. */
export class Links {
  readonly #base: URL;
  readonly #secret: string;

  /** @param publicUrl what links begin with; it may have a path */
  constructor(publicUrl: string, secret: string) {
    this.#base = new URL("files/", publicUrl.endsWith("/") ? publicUrl : `${publicUrl}/`);
    this.#secret = secret;
  }

  /** A link to a file, valid for an hour from `now` (ms since the epoch). */
  sign(name: string, now: number): string {
    const expires = String(Math.floor((now + LINK_LIFETIME_MS) / 1000));
    // Names and signatures are made of characters that a URL takes as they are.
    return `${this.#base.href}${name}?expires=${expires}&signature=${this.#signature(name, expires)}`;
  }

  /** Judges the parts of a link in constant time; `now` in ms since the epoch. */
  judge(file: SignedFile, now: number): LinkVerdict {
    if (!FILE_NAME.test(file.name) || !SECONDS.test(file.expires)) return "forged";
    const expected = Buffer.from(this.#signature(file.name, file.expires));
    const given = Buffer.from(file.signature);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return "forged";
    return Number(file.expires) * 1000 > now ? "valid" : "expired";
  }

  /**
   * The stored file that a link of this service points to, and whether it is still valid; `undefined` for
   * any other address, also for a forged one.
   */
  recognise(link: string, now: number): { name: string; isExpired: boolean } | undefined {
    const file = this.#parse(link);
    if (!file) return undefined;
    const verdict = this.judge(file, now);
    return verdict === "forged" ? undefined : { name: file.name, isExpired: verdict === "expired" };
  }

  /** True for a link of this service whose hour is not over. */
  isValidOwn(link: string, now: number): boolean {
    return this.recognise(link, now)?.isExpired === false;
  }

  #parse(link: string): SignedFile | undefined {
    if (!URL.canParse(link)) return undefined;
    const url = new URL(link);
    if (url.origin !== this.#base.origin || !url.pathname.startsWith(this.#base.pathname)) return undefined;
    const name = url.pathname.slice(this.#base.pathname.length);
    const { searchParams } = url;
    return {
      name,
      expires: searchParams.get("expires") ?? "",
      signature: searchParams.get("signature") ?? "",
    };
  }

  #signature(name: string, expires: string): string {
    return createHmac("sha256", this.#secret).update(`file\n${name}\n${expires}`).digest("base64url");
  }
}
