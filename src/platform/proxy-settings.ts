/** A proxy for https, and the hosts that are called without it, separated by commas. */
export interface ProxySettings {
  httpsProxy?: string | undefined;
  noProxy?: string | undefined;
}

export function parseProxyAddress(given: string): string | undefined {
  if (!/^https?:\/\//i.test(given) || !URL.canParse(given)) return undefined;
  const { pathname, search, hash, href } = new URL(given);
  return pathname === "/" && !search && !hash ? href : undefined;
}
