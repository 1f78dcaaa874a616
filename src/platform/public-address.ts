import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Global unicast, the only routed IPv6 block (RFC 4291, IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");
/** NAT64 with the well-known prefix (RFC 6052): the last four bytes are the IPv4 address. */
const NAT64 = ipaddr.IPv6.parseCIDR("64:ff9b::/96");

/**
 * Returns false for loopback, private, link-local, shared, multicast, reserved and documentation ranges. IPv4-mapped
 * and NAT64 addresses are judged as IPv4; 6to4, Teredo and other tunnels are refused.
 * @param address canonical, without brackets or zone; anything else is not public
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes("%")) return false;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv4) return isPublicIPv4(parsed);
  if (parsed.isIPv4MappedAddress()) return isPublicIPv4(parsed.toIPv4Address());
  if (parsed.match(NAT64)) return isPublicIPv4(new ipaddr.IPv4(parsed.toByteArray().slice(12)));
  return parsed.match(GLOBAL_UNICAST) && parsed.range() === "unicast";
}

/** Matches names reserved for local networks (RFC 6761, 6762, 8375; ICANN for `internal`). */
const LOCAL_NAME = /(^|\.)(localhost|localdomain|local|internal|home\.arpa)$/;

/** Judges a name without a trailing dot, or an address without brackets, as the URL parser normalises them. */
export function isPublicHost(host: string): boolean {
  return isIP(host) === 0 ? host.includes(".") && !LOCAL_NAME.test(host) : isPublicAddress(host);
}

function isPublicIPv4(address: ipaddr.IPv4): boolean {
  return address.range() === "unicast";
}

/** Recognises an unspecified address, which is valid for listening, but not as a link. */
export function isAnyAddress(url: string): boolean {
  return ["0.0.0.0", "[::]"].includes(new URL(url).hostname);
}
