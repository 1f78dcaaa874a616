import type { IncomingMessage } from "node:http";

/** Matches an absolute URL, which requests to a proxy have (RFC 9112, section 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)(.*)$/i;

/**
 * Turns an absolute URL into its path and sets `Host` from it. Escapes an invalid escape such as `%zz`, so
 * that its route answers after authentication; the router would refuse the URL before that.
 */
export function routable(request: Pick<IncomingMessage, "url" | "headers">): string {
  const url = originForm(request);
  if (!url.includes("%") || !url.startsWith("/v1/")) return url;
  const [path = "", ...query] = url.split("?");
  return isDecodable(path) ? url : [path.replaceAll("%", "%25"), ...query].join("?");
}

function originForm({ url = "/", headers }: Pick<IncomingMessage, "url" | "headers">): string {
  if (url.startsWith("/")) return url;
  const [, name, path = ""] = ABSOLUTE_FORM.exec(url) ?? [];
  if (name === undefined) return url;
  headers.host = name;
  return path.startsWith("/") ? path : `/${path}`;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
