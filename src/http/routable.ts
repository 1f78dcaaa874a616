/**
 * The URL of a request as the router can read it. A job id with a broken escape (`%zz`) is a wrong id, which
 * its route tells; the router by itself would refuse the whole URL before any key is looked at.
 */
export function routable({ url = "/" }: { url?: string | undefined }): string {
  if (!url.includes("%") || !url.startsWith("/v1/")) return url;
  const [path = "", ...query] = url.split("?");
  return isDecodable(path) ? url : [path.replaceAll("%", "%25"), ...query].join("?");
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
