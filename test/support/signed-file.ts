import type { SignedFile } from "../../src/media/links.js";

/** What a server reads of a link to a file. */
export function signedFile(link: string): SignedFile {
  const { pathname, searchParams } = new URL(link);
  const told = (field: string) => searchParams.get(field) ?? "";
  const name = pathname.slice(pathname.lastIndexOf("/") + 1);
  return { name, expires: told("expires"), serial: told("serial"), signature: told("signature") };
}
