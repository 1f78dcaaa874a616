import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { matchesEtag } from "../byte-range.js";
import { docsPage, type PageOptions } from "./page.js";
import { STYLE } from "./style.js";

/** `/docs`: the API reference, built once. `/` redirects to it. */
export function docsRoute(app: FastifyInstance, options: PageOptions): void {
  const page = Buffer.from(docsPage(options));
  const etag = `"${sha256(page)}"`;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${sha256(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  const method = ["GET", "HEAD"];
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({ etag, "cache-control": "no-cache", "content-security-policy": policy });
    if (matchesEtag(request.headers["if-none-match"], etag)) return reply.code(304).send();
    return reply.type("text/html; charset=utf-8").send(page);
  };
  for (const url of ["/docs", "/docs/"]) app.route({ method, url, handler });
  app.route({ method, url: "/", handler: (_request, reply) => reply.redirect("/docs") });
}

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("base64");
}
