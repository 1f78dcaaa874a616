import type { FastifyInstance, FastifyReply } from "fastify";
import type { ResultStream } from "../contract/gateway.js";
import type { Core } from "../core/core.js";
import type { ErrorBody } from "./errors.js";

/** The store behind signed links: the core. */
export type SignedFiles = Pick<Core, "openSignedFile">;

/** Seconds for which a browser may keep a file; links last as long. */
const CACHE_SEC = 3600;
/** What a browser may show instead of saving it. Anything else could run as a page. */
const SHOWN = /^(?:image\/(?:webp|png|jpeg|gif)|video\/[\w.+-]+|audio\/[\w.+-]+)$/;

const REFUSALS = {
  forged: { status: 403, error: "bad_signature" },
  expired: { status: 403, error: "link_expired" },
  gone: { status: 404, error: "not_found" },
} as const;

/** `/files/…`: the bytes behind a signed link, for whoever holds it. */
export function fileRoutes(app: FastifyInstance, files: SignedFiles): void {
  app.route<{ Params: { name: string }; Querystring: Record<string, unknown> }>({
    method: ["GET", "HEAD"],
    url: "/files/:name",
    async handler({ params, query, method }, reply) {
      const answer = await files.openSignedFile({
        name: params.name,
        expires: textOf(query.expires),
        signature: textOf(query.signature),
      });
      if (answer.outcome === "open") return sendFile(reply, answer.file, method === "HEAD");
      const { status, error } = REFUSALS[answer.outcome];
      return reply.code(status).send({ ok: false, error } satisfies ErrorBody);
    },
  });
}

/** A name that stands twice in a query is a list: no link of ours has one. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function sendFile(reply: FastifyReply, file: ResultStream, isHeadOnly: boolean): FastifyReply {
  const disposition = SHOWN.test(file.mime) ? "inline" : "attachment";
  reply.headers({
    "content-type": file.mime,
    "content-length": file.size,
    "content-disposition": `${disposition}; ${fileNameParameters(file.fileName)}`,
    "cache-control": `private, max-age=${CACHE_SEC}, immutable`,
    // Links are meant to be put into other pages.
    "cross-origin-resource-policy": "cross-origin",
  });
  if (!isHeadOnly) return reply.send(file.stream);
  file.stream.destroy();
  return reply.send("");
}

/** The name in ASCII for old readers and in full for the others (RFC 6266). */
function fileNameParameters(name: string): string {
  const ascii = name.replace(/[^\w .()-]/g, "_");
  const full = encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return ascii === name ? `filename="${ascii}"` : `filename="${ascii}"; filename*=UTF-8''${full}`;
}
