export interface ProxySettings {
  httpsProxy?: string | undefined;
  /** Hosts that are called without `httpsProxy`, separated by commas. */
  noProxy?: string | undefined;
  /** Proxies of all calls, whatever the scheme, tried in turn. The others do not count then. */
  everyCall?: readonly string[] | undefined;
}

/** Reads the URL of a proxy: http, https or socks5, with a user and a password where it wants them. */
export function parseProxyAddress(given: string): string | undefined {
  if (!/^(?:https?|socks5):\/\//i.test(given) || !URL.canParse(given)) return undefined;
  const { hostname, pathname, search, hash, href, username, password } = new URL(given);
  if (!isDecodable(username) || !isDecodable(password)) return undefined;
  return hostname && (pathname === "/" || pathname === "") && !search && !hash ? href : undefined;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Tells whether a proxy speaks SOCKS5: it resolves names itself, and its own connection has no TLS. */
export function isSocks(proxy: string): boolean {
  return proxy.startsWith("socks5:");
}

export function parseProxyAddresses(given: string): readonly string[] | undefined {
  const read = given.split(",").map((one) => parseProxyAddress(one.trim()));
  return read.every((one) => one !== undefined) ? Object.freeze(read) : undefined;
}
