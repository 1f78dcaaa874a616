import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ByteRange } from "../media/disk.js";
import type { SignedFiles } from "../media/links.js";
import type { OpenableFile } from "../media/media-store.js";
import type { Clock } from "../platform/clock.js";
import type { ErrorBody } from "./errors.js";

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

type OpenedFile = Omit<OpenableFile, "open"> & { stream: Readable };

/** Matches types that a browser may display. Any other is downloaded, since it could run as a page. */
const SHOWN = /^(?:image\/(?:webp|png|jpeg|gif)|video\/[\w.+-]+|audio\/[\w.+-]+)$/;

const REFUSALS = {
  forged: { status: 403, error: "bad_signature" },
  expired: { status: 403, error: "link_expired" },
  gone: { status: 404, error: "not_found" },
} as const;

/** Serves `/files/…`: a file, or a range of it, for anyone with its signed link. */
export function fileRoutes(app: FastifyInstance, files: SignedFiles, clock: Clock): void {
  app.route<{ Params: { name: string }; Querystring: Record<string, unknown> }>({
    method: ["GET", "HEAD"],
    url: "/files/:name",
    async handler({ params, query, method, headers }, reply) {
      const signed = {
        name: params.name,
        expires: textOf(query.expires),
        serial: textOf(query.serial),
        signature: textOf(query.signature),
      };
      const maxAgeSec = Math.max(0, Math.floor(Number(signed.expires) - clock.now() / 1000));
      // A stored file never changes, and its name is unique.
      const wish = { etag: `"${params.name}"`, isHeadOnly: method === "HEAD", headers, maxAgeSec };
      const found = await files.findSignedFile(signed);
      if (found.outcome !== "found") return refuse(reply, found.outcome);
      const range = rangeOf(wish, found.file.size);
      const stream = await found.file.open(range === "unsatisfiable" ? undefined : range);
      return stream ? sendFile(reply, { ...found.file, stream }, wish) : refuse(reply, "gone");
    },
  });
}

function refuse(reply: FastifyReply, outcome: keyof typeof REFUSALS): FastifyReply {
  const { status, error } = REFUSALS[outcome];
  return reply.code(status).send({ ok: false, error } satisfies ErrorBody);
}

interface Wish {
  etag: string;
  isHeadOnly: boolean;
  headers: IncomingHttpHeaders;
  /** Seconds of the rest of the link's lifetime; browsers cache no longer. */
  maxAgeSec: number;
}

/** Reads the range, which only GET has. `If-Range` selects the whole file after a change. */
function rangeOf({ etag, isHeadOnly, headers }: Wish, size: number): ReturnType<typeof readByteRange> {
  const ifRange = headers["if-range"];
  if (isHeadOnly || (ifRange !== undefined && ifRange !== etag)) return undefined;
  return readByteRange(headers.range, size);
}

/** Returns a text. A repeated parameter is a list, which no valid link has. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function sendFile(reply: FastifyReply, file: OpenedFile, wish: Wish): FastifyReply {
  const { stream, size } = file;
  const isKnown = matchesEtag(wish.headers["if-none-match"], wish.etag);
  const range = isKnown ? undefined : rangeOf(wish, size);
  reply.header("accept-ranges", "bytes");
  if (range === "unsatisfiable") {
    stream.destroy();
    reply.code(416).header("content-range", `bytes */${size}`);
    return reply.send({ ok: false, error: "range_not_satisfiable" } satisfies ErrorBody);
  }
  reply.headers({
    etag: wish.etag,
    "cache-control": `private, max-age=${wish.maxAgeSec}, immutable`,
    // Links may be embedded in other pages.
    "cross-origin-resource-policy": "cross-origin",
  });
  if (isKnown) {
    stream.destroy();
    return reply.code(304).send();
  }
  reply.headers(contentHeaders(file, range));
  if (range) reply.code(206);
  if (!wish.isHeadOnly) return reply.send(stream);
  stream.destroy();
  return reply.send("");
}

function contentHeaders({ mime, fileName, size }: OpenedFile, range: ByteRange | undefined) {
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
