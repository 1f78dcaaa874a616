import { ContractError } from "../../contract/errors.js";
import { isPublicHost } from "../../platform/public-address.js";

/** True for a signed and unexpired link of this service. */
export type IsOwnLink = (url: string) => boolean;

/** Leaves room for signed storage links. */
const LENGTH_MAX = 8192;

/**
 * Checks and normalises a link by its text; its resolved address is checked again by the fetch.
 * WHATWG URL knows every notation of an IP address (decimal, octal, hexadecimal, full-width, shortened).
 * @throws ContractError `bad_reference_url` | `reference_url_must_be_https` | `reference_url_not_allowed`
 */
export function judgeReference(text: string, isOwnLink: IsOwnLink): string {
  const link = text.trim();
  if (link.length > LENGTH_MAX || !URL.canParse(link)) throw new ContractError("bad_reference_url");
  const url = new URL(link);
  if (isOwnLink(url.href)) return url.href;
  if (url.protocol !== "https:") throw new ContractError("reference_url_must_be_https");
  // URL accepts `https:host`. Section 2.3 excludes servers that ask for credentials.
  if (!/^https:\/\//i.test(link) || url.username !== "" || url.password !== "") {
    throw new ContractError("bad_reference_url");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  if (host.split(".").includes("")) throw new ContractError("bad_reference_url");
  if (!isPublicHost(host)) throw new ContractError("reference_url_not_allowed");
  return url.href;
}
