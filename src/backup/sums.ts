import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { DATABASE_FILE, LINK_SECRET_FILE, MEDIA_FOLDERS } from "./manifest.js";

/** One line of SHA256SUMS, in the form of `sha256sum`, which can check it too. */
export interface Sum {
  path: string;
  sha256: string;
}

const LINE = /^([0-9a-f]{64}) {2}(.+)$/;
/** Matches the path of a stored file, which names no folder above it and nothing hidden. */
const MEDIA_PATH = new RegExp(`^(?:${MEDIA_FOLDERS.join("|")})/files(?:/[A-Za-z0-9_-][\\w.-]*)+$`);

export function sumLine({ path, sha256 }: Sum): string {
  return `${sha256}  ${path}\n`;
}

/** Reads the lines; undefined where one is cut or names what no backup has. */
export function readSums(text: string): Sum[] | undefined {
  if (!text.endsWith("\n")) return undefined;
  const sums: Sum[] = [];
  for (const line of text.slice(0, -1).split("\n")) {
    const [, sha256, path] = LINE.exec(line) ?? [];
    if (sha256 === undefined || path === undefined || !isStoredPath(path)) return undefined;
    sums.push({ path, sha256 });
  }
  return sums;
}

export function isStoredPath(path: string): boolean {
  return path === DATABASE_FILE || path === LINK_SECRET_FILE || MEDIA_PATH.test(path);
}

/** Reads a file in pieces. */
export async function hashFile(file: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { sha256: hash.digest("hex"), bytes };
}
