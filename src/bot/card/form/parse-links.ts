const MOST_LINKS = 50;
const LENGTH_MAX = 2000;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
/** Matches a signed link of this service, which may run without TLS. The core verifies the signature. */
const SIGNED = /^http:\/\/[^?#]+\/files\/[^/?#]+\?expires=\d+&serial=\d+&signature=[\w-]+$/;

export type LinkFault = { kind: "insecure_link" } | { kind: "malformed_link" };

/** Parses a text of links only. One invalid link rejects all. The core checks the addresses. */
export function parseLinks(
  text: string,
): { kind: "links"; links: readonly string[] } | LinkFault | undefined {
  const words = text.trim().split(/\s+/);
  if (words.length > MOST_LINKS || !words.every((word) => SCHEME.test(word))) return undefined;
  if (!words.every((word) => /^https:/i.test(word) || SIGNED.test(word))) return { kind: "insecure_link" };
  return words.every(isWellFormed) ? { kind: "links", links: words } : { kind: "malformed_link" };
}

function isWellFormed(word: string): boolean {
  return word.length <= LENGTH_MAX && URL.canParse(word);
}
