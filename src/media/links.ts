import { createHmac, randomBytes } from "node:crypto";
import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Database } from "../database/database.js";
import type { Clock } from "../platform/clock.js";
import { hasCode } from "../platform/errors.js";
import { isSameSecret } from "../platform/ids.js";
import { makeDirectory } from "../platform/private-files.js";
import { HOUR_MS } from "../platform/units.js";
import { keptMedia, type MediaStore, type OpenableFile, openableFile } from "./media-store.js";

/** Finds the file of a signed link without opening it. */
export type FindSignedFile = (file: SignedFile) => Promise<SignedFileOutcome>;

export type SignedFileOutcome =
  | { outcome: "found"; file: OpenableFile }
  | { outcome: "expired" | "forged" | "gone" };

export interface SignedFile {
  name: string;
  expires: string;
  serial: string;
  signature: string;
}

const SECRET_LENGTH_MIN = 32;

/** Reads the secret, or creates it atomically with 256 random bits and mode 0600. Throws when it is too short. */
export function readOrMakeSecret(file: string): string {
  const secret = read(file) ?? make(file);
  if (secret.length < SECRET_LENGTH_MIN)
    throw new Error(`${file} holds no secret: remove it to get a new one`);
  return secret;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function make(file: string): string {
  makeDirectory(dirname(file));
  const draft = `${file}.${randomBytes(6).toString("hex")}`;
  const text = `${randomBytes(32).toString("hex")}\n`;
  try {
    writeFileSync(draft, text, { flag: "wx", mode: 0o600, flush: true });
    // Unlike a rename, a link never replaces a secret that another process has just created.
    linkSync(draft, file);
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, "utf8").trim();
}

export const LINK_LIFETIME_MS = HOUR_MS;

type LinkVerdict = "valid" | "expired" | "forged";

const FILE_NAME = /^[A-Za-z0-9._-]{1,100}$/;
const SECONDS = /^[1-9]\d{0,11}$/;
const SERIAL = /^[1-9]\d{0,15}$/;

/** Signs and verifies `PUBLIC_URL/files/<name>?expires=<s>&serial=<n>&signature=<MAC>`. */
export class Links {
  readonly #base: URL;
  readonly #href: string;
  readonly #secret: string;
  /** Counts the links. Each response has a new one (section 2.4), even within one second. */
  #made = 0;

  constructor(
    publicUrl: string,
    secret: string,
    private readonly lifetimeMs = LINK_LIFETIME_MS,
  ) {
    this.#base = new URL("files/", publicUrl.endsWith("/") ? publicUrl : `${publicUrl}/`);
    this.#href = this.#base.href;
    this.#secret = secret;
  }

  /** Returns a unique link that is valid for the lifetime, one hour by default, from `now` (ms since the epoch). */
  sign(name: string, now: number): string {
    this.#made += 1;
    const serial = String(this.#made);
    const expires = String(Math.ceil((now + this.lifetimeMs) / 1000));
    const signature = this.#signature(name, expires, serial);
    return `${this.#href}${name}?expires=${expires}&serial=${serial}&signature=${signature}`;
  }

  /** Verifies a link in constant time; `now` is in ms since the epoch. */
  judge(file: SignedFile, now: number): LinkVerdict {
    const { name, expires, serial } = file;
    if (!FILE_NAME.test(name) || !SECONDS.test(expires) || !SERIAL.test(serial)) return "forged";
    if (!isSameSecret(file.signature, this.#signature(name, expires, serial))) return "forged";
    return Number(expires) * 1000 > now ? "valid" : "expired";
  }

  /** Returns the file of a correctly signed link, also of an expired one; undefined for any other address. */
  recognise(link: string, now: number): { name: string; isExpired: boolean } | undefined {
    const file = this.#parse(link);
    if (!file) return undefined;
    const verdict = this.judge(file, now);
    return verdict === "forged" ? undefined : { name: file.name, isExpired: verdict === "expired" };
  }

  isValidOwn(link: string, now: number): boolean {
    return this.recognise(link, now)?.isExpired === false;
  }

  #parse(link: string): SignedFile | undefined {
    if (!URL.canParse(link)) return undefined;
    const url = new URL(link);
    if (url.origin !== this.#base.origin || !url.pathname.startsWith(this.#base.pathname)) return undefined;
    const name = url.pathname
      .slice(this.#base.pathname.length)
      .replace(/%[0-9a-f]{2}/gi, (escaped) => String.fromCharCode(Number.parseInt(escaped.slice(1), 16)));
    const { searchParams } = url;
    return {
      name,
      expires: searchParams.get("expires") ?? "",
      serial: searchParams.get("serial") ?? "",
      signature: searchParams.get("signature") ?? "",
    };
  }

  #signature(name: string, expires: string, serial: string): string {
    return createHmac("sha256", this.#secret)
      .update(`file\n${name}\n${expires}\n${serial}`)
      .digest("base64url");
  }
}

export function signedFiles(
  database: Database,
  store: MediaStore,
  links: Links,
  clock: Clock,
): FindSignedFile {
  return async (signed) => {
    const verdict = links.judge(signed, clock.now());
    if (verdict !== "valid") return { outcome: verdict };
    const row = keptMedia(database, signed.name);
    return row ? { outcome: "found", file: openableFile(store, row) } : { outcome: "gone" };
  };
}
