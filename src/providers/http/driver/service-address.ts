/** Where the calls of a service may go. */
export interface ServiceHosts {
  apiHosts: readonly string[];
  /** Where the service's own paths begin, which the operator's root includes. */
  rootPath?: string | undefined;
  /** The operator's own, in place of the service's: a proxy or a stand-in. */
  root: URL | undefined;
  /** Of the service's own addresses, which the path of a root takes the place of: `/v1`. */
  basePath?: string | undefined;
}

/**
 * The address to call: on one of the service's own hosts, or at the operator's root. Undefined for any other,
 * such as one that an answer named: the key goes nowhere else.
 */
export function serviceAddress(url: string, hosts: ServiceHosts): URL | undefined {
  const { apiHosts, root } = hosts;
  if (!URL.canParse(url)) return undefined;
  const address = new URL(url);
  if (address.username !== "" || address.password !== "") return undefined;
  if (root && address.origin === root.origin) return address;
  if (address.protocol !== "https:" || !apiHosts.includes(address.host)) return undefined;
  return root ? movedTo(root, address, hosts.basePath) : address;
}

/** Set, not resolved: a path of `//host` would lead to that host. */
function movedTo(root: URL, { pathname, search }: URL, basePath: string | undefined): URL {
  const moved = new URL(root);
  const isBased = basePath !== undefined && pathname.startsWith(`${basePath}/`);
  const rest = isBased ? pathname.slice(basePath.length) : pathname;
  moved.pathname = (basePath === undefined ? "" : root.pathname.replace(/\/$/, "")) + rest;
  moved.search = search;
  return moved;
}
