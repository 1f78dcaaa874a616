/** A part of a file: the places of its first and last byte, from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

const ONE_RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i;

/**
 * The part of a file that a `Range` header asks for (RFC 9110, section 14): `a-b`, `a-` or the last `-n`
 * bytes, cut to the file's end. `undefined` means the whole file: no header, another unit, several ranges,
 * or a header that says nothing. `unsatisfiable` is a range that begins behind the end.
 *
 * @param size of the file, in bytes
 */
export function readByteRange(
  header: string | undefined,
  size: number,
): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = ONE_RANGE.exec(header ?? "") ?? [];
  if (first === "" && last === "") return undefined;
  // Numbers too large to be exact are behind the end of any file all the same.
  if (first === "") return rangeOf(Math.max(0, size - Number(last)), size - 1, size);
  if (last !== "" && Number(last) < Number(first)) return undefined;
  return rangeOf(Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1), size);
}

function rangeOf(start: number, end: number, size: number): ByteRange | "unsatisfiable" {
  return start < size ? { start, end } : "unsatisfiable";
}

/** True when an `If-None-Match` header names this entity tag, or any (RFC 9110, section 13.1.2). */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((given) => {
    const tag = given.trim();
    return tag === "*" || tag.replace(/^W\//, "") === etag;
  });
}
