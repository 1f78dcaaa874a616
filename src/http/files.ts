import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ByteRange } from "../media/disk.js";
import type { FindSignedFile } from "../media/links.js";
import type { OpenableFile } from "../media/media-store.js";
import type { Clock } from "../platform/clock.js";
import { errorBody } from "./errors.js";

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
  if (first === "") return boundedRange(Math.max(0, size - Number(last)), size - 1, size);
  if (last !== "" && Number(last) < Number(first)) return undefined;
  return boundedRange(Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1), size);
}

function boundedRange(start: number, end: number, size: number): ByteRange | "unsatisfiable" {
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

/** Matches types that a browser may display. Any other is downloaded, since it could run as a page. */
const SHOWN = /^(?:image\/(?:webp|png|jpeg|gif)|video\/[\w.+-]+|audio\/[\w.+-]+)$/;

const REFUSALS = {
  forged: { status: 403, error: "bad_signature", meaning: "The link is not one that this service signed" },
  expired: { status: 403, error: "link_expired", meaning: "The link has expired: ask for its job again" },
  gone: { status: 404, error: "not_found", meaning: "The file is no longer kept" },
} as const;

/** Serves `/files/…`: a file, or a range of it, for anyone with its signed link. */
export function fileRoutes(app: FastifyInstance, files: FindSignedFile, clock: Clock): void {
  app.route<{ Params: { name: string }; Querystring: Record<string, unknown> }>({
    method: ["GET", "HEAD"],
    url: "/files/:name",
    async handler({ params, query, method, headers }, reply) {
      // The signature is all that opens a file: pages of other origins may read it, and learn that its link has expired.
      reply.header("access-control-allow-origin", "*");
      const signed = {
        name: params.name,
        expires: textOf(query.expires),
        serial: textOf(query.serial),
        signature: textOf(query.signature),
      };
      const found = await files(signed);
      if (found.outcome !== "found") return refuse(reply, found.outcome);
      const { file } = found;
      // A stored file never changes, and its name is unique.
      const etag = `"${params.name}"`;
      const isKnown = matchesEtag(headers["if-none-match"], etag);
      const isHead = method === "HEAD";
      const range = isKnown || isHead ? undefined : rangeOf(headers, etag, file.size);
      const stream = await file.open(range === "unsatisfiable" ? undefined : range);
      if (!stream) return refuse(reply, "gone");
      if (isKnown || isHead || range === "unsatisfiable") stream.destroy();
      reply.header("accept-ranges", "bytes");
      if (range === "unsatisfiable") {
        reply.code(416).header("content-range", `bytes */${file.size}`);
        return reply.send(errorBody("range_not_satisfiable", "The range begins after the end of the file"));
      }
      // Browsers cache it no longer than the link lives.
      const maxAgeSec = Math.max(0, Math.floor(Number(signed.expires) - clock.now() / 1000));
      reply.headers({
        etag,
        "cache-control": `private, max-age=${maxAgeSec}, immutable`,
        // Links may be embedded in other pages.
        "cross-origin-resource-policy": "cross-origin",
      });
      if (isKnown) return reply.code(304).send();
      reply.code(range ? 206 : 200).headers(contentHeaders(file, range));
      return reply.send(isHead ? "" : stream);
    },
  });
}

function refuse(reply: FastifyReply, outcome: keyof typeof REFUSALS): FastifyReply {
  const { status, error, meaning } = REFUSALS[outcome];
  return reply.code(status).send(errorBody(error, meaning));
}

/** Reads the range. `If-Range` selects the whole file after a change. */
function rangeOf(headers: IncomingHttpHeaders, etag: string, size: number): ReturnType<typeof readByteRange> {
  const ifRange = headers["if-range"];
  return ifRange === undefined || ifRange === etag ? readByteRange(headers.range, size) : undefined;
}

/** Returns a text. A repeated parameter is a list, which no valid link has. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function contentHeaders({ mime, fileName, size }: OpenableFile, range: ByteRange | undefined) {
  const disposition = SHOWN.test(mime) ? "inline" : "attachment";
  return {
    "content-type": mime,
    "content-length": range ? range.end - range.start + 1 : size,
    "content-disposition": `${disposition}; ${fileNameParameters(fileName)}`,
    ...(range && { "content-range": `bytes ${range.start}-${range.end}/${size}` }),
  };
}

/** Writes an ASCII name for old clients and the full name for the others (RFC 6266). */
function fileNameParameters(name: string): string {
  const ascii = name.replace(/[^\w .()-]/g, "_");
  const full = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return ascii === name ? `filename="${ascii}"` : `filename="${ascii}"; filename*=UTF-8''${full}`;
}
