import { isIP } from "node:net";
import { ContractError } from "../../contract/errors.js";
import { isPublicAddress } from "../../platform/public-address.js";

/** Says whether a link is one of this service's own, signed and unexpired. */
export type IsOwnLink = (url: string) => boolean;

/** Signed storage links are long; nothing that a person means as a link is longer than this. */
const LENGTH_MAX = 8192;

/** Names that never leave a local network (RFC 6761, 6762, 8375; ICANN for `internal`). */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/**
 * Judges a reference link by its text alone; names are judged again, by what they resolve to, when the
 * link is fetched. WHATWG URL brings every notation of an address (decimal, octal, hexadecimal,
 * full-width, shortened) into the one that is judged.
 *
 * @returns the link as it was judged
 * @throws ContractError `bad_reference_url` | `reference_url_must_be_https` | `reference_url_not_allowed`
 */
export function judgeReference(text: string, isOwnLink: IsOwnLink): string {
  const link = text.trim();
  if (link.length > LENGTH_MAX || !URL.canParse(link)) throw new ContractError("bad_reference_url");
  const url = new URL(link);
  if (isOwnLink(url.href)) return url.href;
  if (url.protocol !== "https:") throw new ContractError("reference_url_must_be_https");
  // URL forgives `https:host`, and no server may ask for a name and a password (section 2.3).
  if (!/^https:\/\//i.test(link) || url.username !== "" || url.password !== "") {
    throw new ContractError("bad_reference_url");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (host.split(".").includes("")) throw new ContractError("bad_reference_url");
  const isPublic = isIP(host) === 0 ? isPublicName(host) : isPublicAddress(host);
  if (!isPublic) throw new ContractError("reference_url_not_allowed");
  return url.href;
}

function isPublicName(host: string): boolean {
  return host.includes(".") && !LOCAL_NAME.test(host);
}
