import { createHash } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Api } from "../../ports/api.js";
import { matchesEtag } from "../byte-range.js";
import { docsPage, type PageOptions } from "./page.js";
import { STYLE } from "./style.js";

export interface DocsOptions extends Omit<PageOptions, "models"> {
  api: Pick<Api, "models">;
}

/** Serves `/docs`: the API reference, built once for each offer of models. `/` redirects to it. */
export function docsRoute(app: FastifyInstance, { api, ...options }: DocsOptions): void {
  let built: { models: Api["models"]; page: Buffer; etag: string } | undefined;
  const current = () => {
    const { models } = api;
    if (built?.models !== models) {
      const page = Buffer.from(docsPage({ ...options, models }));
      built = { models, page, etag: `"${sha256(page)}"` };
    }
    return built;
  };
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${sha256(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  const method = ["GET", "HEAD"];
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    const { page, etag } = current();
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
