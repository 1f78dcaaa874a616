/**
 * True for the hosts of a NO_PROXY list, and their subdomains. An entry is `host` or `host:port`, with or without a
 * leading dot or `*.`; `*` alone means every host. The same rules as those of undici's EnvHttpProxyAgent.
 */
export function bypassesProxy({ protocol, host, port }: URL, noProxy: string): boolean {
  if (noProxy === "*") return true;
  const name = host.replace(/:\d*$/, "").toLowerCase();
  const target = Number(port) || (protocol === "https:" ? 443 : 80);
  return noProxy
    .split(/[,\s]/)
    .filter((entry) => entry !== "")
    .some((entry) => {
      const [, entryHost = entry, entryPort] = /^(.+):(\d+)$/.exec(entry) ?? [];
      const suffix = entryHost.replace(/^\*?\./, "").toLowerCase();
      if (Number(entryPort ?? 0) !== 0 && Number(entryPort) !== target) return false;
      return name === suffix || name.endsWith(`.${suffix}`);
    });
}
