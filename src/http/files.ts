import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ResultStream } from "../contract/gateway.js";
import type { Core } from "../core/core.js";
import type { Clock } from "../platform/clock.js";
import { type ByteRange, matchesEtag, readByteRange } from "./byte-range.js";
import type { ErrorBody } from "./errors.js";

/** The store behind signed links: the core. */
export type SignedFiles = Pick<Core, "openSignedFile">;

/** What a browser may show instead of saving it. Anything else could run as a page. */
const SHOWN = /^(?:image\/(?:webp|png|jpeg|gif)|video\/[\w.+-]+|audio\/[\w.+-]+)$/;

const REFUSALS = {
  forged: { status: 403, error: "bad_signature" },
  expired: { status: 403, error: "link_expired" },
  gone: { status: 404, error: "not_found" },
} as const;

/** `/files/…`: the bytes behind a signed link, or a part of them, for whoever holds it. */
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
      // A stored file never changes: its name tells it from every other one.
      const wish = { etag: `"${params.name}"`, isHeadOnly: method === "HEAD", headers, maxAgeSec };
      const answer = await files.openSignedFile(signed, (size) => {
        const range = rangeOf(wish, size);
        return range === "unsatisfiable" ? undefined : range;
      });
      if (answer.outcome === "open") return sendFile(reply, answer.file, wish);
      const { status, error } = REFUSALS[answer.outcome];
      return reply.code(status).send({ ok: false, error } satisfies ErrorBody);
    },
  });
}

/** What the holder of a link asks for. */
interface Wish {
  etag: string;
  isHeadOnly: boolean;
  headers: IncomingHttpHeaders;
  /** What is left of the link's hour: a browser keeps the file no longer. */
  maxAgeSec: number;
}

/** The part of the file to send. Only a GET has one; `If-Range` asks for all of a file that has changed. */
function rangeOf({ etag, isHeadOnly, headers }: Wish, size: number): ReturnType<typeof readByteRange> {
  const ifRange = headers["if-range"];
  if (isHeadOnly || (ifRange !== undefined && ifRange !== etag)) return undefined;
  return readByteRange(headers.range, size);
}

/** A name that stands twice in a query is a list: no link of ours has one. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function sendFile(reply: FastifyReply, file: ResultStream, wish: Wish): FastifyReply {
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
    // Links are meant to be put into other pages.
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

function contentHeaders({ mime, fileName, size }: ResultStream, range: ByteRange | undefined) {
  const disposition = SHOWN.test(mime) ? "inline" : "attachment";
  return {
    "content-type": mime,
    "content-length": range ? range.end - range.start + 1 : size,
    "content-disposition": `${disposition}; ${fileNameParameters(fileName)}`,
    ...(range && { "content-range": `bytes ${range.start}-${range.end}/${size}` }),
  };
}

/** The name in ASCII for old readers and in full for the others (RFC 6266). */
function fileNameParameters(name: string): string {
  const ascii = name.replace(/[^\w .()-]/g, "_");
  const full = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return ascii === name ? `filename="${ascii}"` : `filename="${ascii}"; filename*=UTF-8''${full}`;
}
