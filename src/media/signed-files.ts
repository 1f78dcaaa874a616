import type { Database } from "../database/database.js";
import type { Clock } from "../platform/clock.js";
import type { Links, SignedFile } from "./links.js";
import { keptMedia } from "./media-rows.js";
import type { MediaStore } from "./media-store.js";
import { type OpenableFile, openableFile } from "./open-media.js";

export type SignedFileOutcome =
  | { outcome: "found"; file: OpenableFile }
  | { outcome: "expired" }
  | { outcome: "forged" }
  /** A valid link to a file that no longer exists. */
  | { outcome: "gone" };

export interface SignedFilesOptions {
  database: Database;
  store: MediaStore;
  links: Links;
  clock: Clock;
}

export async function findSignedFile(
  { database, store, links, clock }: SignedFilesOptions,
  signed: SignedFile,
): Promise<SignedFileOutcome> {
  const verdict = links.judge(signed, clock.now());
  if (verdict !== "valid") return { outcome: verdict };
  const row = keptMedia(database, signed.name);
  return row ? { outcome: "found", file: openableFile(store, row) } : { outcome: "gone" };
}
