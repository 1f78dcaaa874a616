/** Where the calls of a service may go. */
export interface ServiceHosts {
  apiHosts: readonly string[];
  /** Where the service's own paths begin, which the operator's root includes. */
  rootPath?: string | undefined;
  /** The operator's own, in place of the service's: a proxy or a stand-in. */
  root: URL | undefined;
}

/**
 * The address to call: on one of the service's own hosts, or at the operator's root. Undefined for any other,
 * such as one that an answer named: the key goes nowhere else.
 */
export function serviceAddress(
  url: string,
  { apiHosts, rootPath = "", root }: ServiceHosts,
): URL | undefined {
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  if (address.username !== "" || address.password !== "") return undefined;
  if (root && address.origin === root.origin) return address;
  if (address.protocol !== "https:" || !apiHosts.includes(address.host)) return undefined;
  return root ? new URL(pathBelow(root, rootPath, address) + address.search, root) : address;
}

function pathBelow(root: URL, rootPath: string, { pathname }: URL): string {
  if (rootPath === "" || !pathname.startsWith(`${rootPath}/`)) return pathname;
  return root.pathname.replace(/\/+$/, "") + pathname.slice(rootPath.length);
}
