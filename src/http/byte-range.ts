import type { ByteRange } from "../ports/blob-store.js";

const ONE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * Parses a `Range` header (RFC 9110, section 14): `a-b`, `a-` or `-n`, cut to the file's `size` in bytes.
 * `start` and `end` are the first and the last byte, from 0.
 * `undefined` is the whole file: no header, another unit, several ranges or invalid syntax. `unsatisfiable`
 * is a range that begins after the end.
 */
export function readByteRange(
  header: string | undefined,
  size: number,
): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = ONE_RANGE.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  // Numbers too large to be exact are after the end of any file.
  if (first === "") return rangeOf(Math.max(0, size - Number(last)), size - 1, size);
  if (last !== "" && Number(last) < Number(first)) return undefined;
  return rangeOf(Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1), size);
}

function rangeOf(start: number, end: number, size: number): ByteRange | "unsatisfiable" {
  return start < size ? { start, end } : "unsatisfiable";
}

/** Tells whether `If-None-Match` contains the entity tag or `*` (RFC 9110, section 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((given) => {
    const tag = given.trim();
    return tag === "*" || tag.replace(/^W\//, "") === etag;
  });
}
