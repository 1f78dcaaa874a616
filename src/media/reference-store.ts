import { join } from "node:path";
import { ContractError, Unavailable } from "../contract/errors.js";
import type { Database } from "../database/database.js";
import type { Transaction } from "../database/transaction.js";
import type { Clock } from "../platform/clock.js";
import type { Integer } from "../platform/integer.js";
import type { ReferenceFile } from "../ports/gateway.js";
import type { MediaDisk } from "./disk.js";
import type { MediaStore, StoredFile } from "./media-store.js";
import { insertMediaFile, keptReferenceBytes } from "./media-table.js";
import { checkedPicture, PictureRejectedError } from "./picture-check.js";
import { type WorkDirectories, writeWorkFile } from "./work-directories.js";

export const REFERENCE_BYTES_MAX = 20 * 1024 * 1024;
/** Quota per account. References are free, so without it any user could fill the disk. */
export const KEPT_BYTES_MAX = 25 * REFERENCE_BYTES_MAX;

export interface ReferenceStoreOptions {
  database: Database;
  disk: MediaDisk;
  store: MediaStore;
  workDirectories: WorkDirectories;
  clock: Clock;
}

/**
 * Stores a reference image and returns its name. The bytes decide about its type.
 * @throws ContractError `payload_too_large` over 20 MB or 64 megapixels, `bad_reference_url` for no image
 * @throws Unavailable `quota` when the account has reached its limit; StorageUnavailable
 */
export async function storeReference(
  { database, disk, store, workDirectories, clock }: ReferenceStoreOptions,
  accountId: number,
  file: ReferenceFile,
): Promise<string> {
  if (keptReferenceBytes(database, accountId) >= KEPT_BYTES_MAX) throw new Unavailable("quota");
  const directory = await workDirectories.make("reference");
  try {
    const path = join(directory, "picture");
    const mime = await writePicture(disk, path, file.stream);
    const stored = { ...(await store.add(path, mime)), mime };
    const isKept = await database
      .write("media:reference", (tx) => {
        if (keptReferenceBytes(tx, accountId) + stored.size > KEPT_BYTES_MAX) return false;
        insertReference(tx, accountId, stored, clock.now());
        return true;
      })
      .finally(() => store.release([stored]));
    if (isKept) return stored.name;
    await store.remove(stored.name);
    throw new Unavailable("quota");
  } finally {
    await workDirectories.discard(directory);
  }
}

/** Writes an image to `path` and returns its type, as its bytes say. Throws ContractError like `storeReference`. */
export async function writePicture(
  disk: MediaDisk,
  path: string,
  stream: AsyncIterable<unknown>,
): Promise<string> {
  let mime = "";
  const onType = (found: string) => {
    mime = found;
  };
  try {
    await writeWorkFile(disk, path, checkedPicture(capped(stream), onType));
    return mime;
  } catch (error) {
    if (!(error instanceof PictureRejectedError)) throw error;
    throw new ContractError(error.reason === "pixels" ? "payload_too_large" : "bad_reference_url");
  }
}

function insertReference(
  tx: Transaction,
  accountId: number,
  { name, mime, size }: StoredFile & { mime: string },
  at: Integer,
): void {
  insertMediaFile(tx, {
    name,
    account_id: accountId,
    job_id: null,
    role: "reference",
    position: 0,
    mime,
    size,
    width: null,
    height: null,
    duration_sec: null,
    title: null,
    created_at: at,
  });
}

async function* capped(stream: AsyncIterable<unknown>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const part of stream) {
    const chunk = Buffer.isBuffer(part) ? part : Buffer.from(part as Uint8Array);
    size += chunk.length;
    if (size > REFERENCE_BYTES_MAX) throw new ContractError("payload_too_large");
    yield chunk;
  }
}
