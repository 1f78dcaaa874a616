import { createReadStream } from "node:fs";
import type { PublishedReferences } from "../../../media/published-references.js";
import { isPublicHost } from "../../../platform/public-address.js";
import type { ReferencePublisherOptions } from "./publish.js";

/** Tells whether services elsewhere can read links below a `PUBLIC_URL`. */
export function isReadableElsewhere(publicUrl: string): boolean {
  const { protocol, hostname } = new URL(publicUrl);
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return protocol === "https:" && isPublicHost(host);
}

/** Copies a picture to where its link is read for a day: longer than any attempt may take. */
export function createReferenceLink(
  published: Pick<PublishedReferences, "publish">,
): NonNullable<ReferencePublisherOptions["link"]> {
  return ({ path, mime }) => published.publish({ stream: createReadStream(path), mime });
}
