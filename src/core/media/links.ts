import { hash, timingSafeEqual } from "node:crypto";

/** How long a link is valid, in ms (section 8). */
export const LINK_LIFETIME_MS = 60 * 60 * 1000;

/** What a signed link says about a file. Times in seconds since the epoch. */
export interface SignedFile {
  name: string;
  expires: string;
  /** Tells links to the same file apart. */
  serial: string;
  signature: string;
}

export type LinkVerdict = "valid" | "expired" | "forged";

const FILE_NAME = /^[A-Za-z0-9._-]{1,100}$/;
const SECONDS = /^[1-9]\d{0,11}$/;
const SERIAL = /^[1-9]\d{0,15}$/;

/**
 * Makes and judges links to stored files:
 * `PUBLIC_URL/files/<name>?expires=<s>&serial=<n>&signature=<MAC>`.
 */
export class Links {
  readonly #base: URL;
  readonly #href: string;
  readonly #secret: string;
  /** How many links were made: each answer has a fresh one (section 2.4), also twice in one second. */
  #made = 0;

  /** @param publicUrl what links begin with; it may have a path */
  constructor(publicUrl: string, secret: string) {
    this.#base = new URL("files/", publicUrl.endsWith("/") ? publicUrl : `${publicUrl}/`);
    this.#href = this.#base.href;
    this.#secret = secret;
  }

  /** A link to a file, unlike any before it, valid for a whole hour from `now` (ms since the epoch). */
  sign(name: string, now: number): string {
    this.#made += 1;
    const serial = String(this.#made);
    const expires = String(Math.ceil((now + LINK_LIFETIME_MS) / 1000));
    const signature = this.#signature(name, expires, serial);
    // Names and signatures are made of characters that a URL takes as they are.
    return `${this.#href}${name}?expires=${expires}&serial=${serial}&signature=${signature}`;
  }

  /** Judges the parts of a link in constant time; `now` in ms since the epoch. */
  judge(file: SignedFile, now: number): LinkVerdict {
    const { name, expires, serial } = file;
    if (!FILE_NAME.test(name) || !SECONDS.test(expires) || !SERIAL.test(serial)) return "forged";
    const expected = Buffer.from(this.#signature(name, expires, serial));
    const given = Buffer.from(file.signature);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return "forged";
    return Number(expires) * 1000 > now ? "valid" : "expired";
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
      serial: searchParams.get("serial") ?? "",
      signature: searchParams.get("signature") ?? "",
    };
  }

  /**
   * SHA3-256 of the secret with what is signed: nobody can lengthen a SHA-3, so it needs no HMAC around it (the
   * Keccak team, "Strengths of Keccak"), and takes a third of the time of one.
   */
  #signature(name: string, expires: string, serial: string): string {
    return hash("sha3-256", `${this.#secret}\nfile\n${name}\n${expires}\n${serial}`, "base64url");
  }
}
