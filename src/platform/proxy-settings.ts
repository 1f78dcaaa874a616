/** A proxy for https, and the hosts that are called without it, separated by commas. */
export interface ProxySettings {
  /** May contain a user name and password. */
  httpsProxy?: string | undefined;
  noProxy?: string | undefined;
}

/** The address of a proxy, with a user name and password or without. */
export function parseProxyAddress(given: string): string | undefined {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) return undefined;
  const { pathname, search, hash, href } = new URL(given);
  return pathname === "/" && !search && !hash ? href : undefined;
}
