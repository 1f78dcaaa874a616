import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { matchesEtag } from "../byte-range.js";
import { docsPage, type PageOptions } from "./page.js";
import { STYLE } from "./style.js";

/** `/docs`: the reference of the API for people, made once. */
export function docsRoute(app: FastifyInstance, options: PageOptions): void {
  const page = Buffer.from(docsPage(options));
  const etag = `"${sha256(page)}"`;
  // Nothing but the style that stands in the page itself.
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${sha256(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  app.route({
    method: ["GET", "HEAD"],
    url: "/docs",
    handler(request, reply) {
      reply.headers({ etag, "cache-control": "no-cache", "content-security-policy": policy });
      if (matchesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
      return reply.type("text/html; charset=utf-8").send(page);
    },
  });
}

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("base64");
}
