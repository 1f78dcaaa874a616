import { isPublicHost } from "../../../platform/public-address.js";

/** Addresses that results of a service may be taken from. */
export interface FileHosts {
  /** Hosts with their subdomains, over https on its own port. `*`: any public host. */
  fileHosts: readonly string[];
  /** Root of the operator: its host is allowed on any port, and over http where this is http. */
  root: URL | undefined;
}

export function isFileAddress(url: URL, { fileHosts, root }: FileHosts): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (root && url.hostname === root.hostname)
    return url.protocol === "https:" || (url.protocol === "http:" && root.protocol === "http:");
  const name = url.hostname.replace(/\.$/, "");
  const isListed = fileHosts.some((host) =>
    host === "*" ? isPublicHost(name) : name === host || name.endsWith(`.${host}`),
  );
  return isListed && url.protocol === "https:" && url.port === "";
}
