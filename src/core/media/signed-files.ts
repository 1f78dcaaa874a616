import type { ResultStream } from "../../contract/gateway.js";
import type { Database } from "../../database/database.js";
import type { Clock } from "../../platform/clock.js";
import type { PartOfFile } from "./disk.js";
import type { Links, SignedFile } from "./links.js";
import { keptMedia } from "./media-rows.js";
import type { MediaStore } from "./media-store.js";
import { openMedia } from "./open-media.js";

/** What came of following a signed link. */
export type SignedFileOutcome =
  | { outcome: "open"; file: ResultStream }
  /** The link's hour is over. */
  | { outcome: "expired" }
  /** No link of this service. */
  | { outcome: "forged" }
  /** A true link to a file that is kept no more. */
  | { outcome: "gone" };

export interface SignedFilesOptions {
  database: Database;
  store: MediaStore;
  links: Links;
  clock: Clock;
}

/** Opens the file behind the parts of a signed link, or as much of it as is wanted. */
export async function openSignedFile(
  { database, store, links, clock }: SignedFilesOptions,
  signed: SignedFile,
  partOf?: PartOfFile,
): Promise<SignedFileOutcome> {
  const verdict = links.judge(signed, clock.now());
  if (verdict !== "valid") return { outcome: verdict };
  const row = keptMedia(database, signed.name);
  const file = row && (await openMedia(store, row, partOf));
  return file ? { outcome: "open", file } : { outcome: "gone" };
}
