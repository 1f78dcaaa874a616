import type { Database } from "../database/database.js";
import type { Clock } from "../platform/clock.js";
import type { SignedFile, SignedFileOutcome } from "../ports/signed-files.js";
import type { Links } from "./links.js";
import type { MediaStore } from "./media-store.js";
import { keptMedia } from "./media-table.js";
import { openableFile } from "./open-media.js";

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
