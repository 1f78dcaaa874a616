import { join } from "node:path";
import { ContractError, Unavailable } from "../../contract/errors.js";
import type { ReferenceFile } from "../../contract/gateway.js";
import type { Database } from "../../database/database.js";
import type { Transaction } from "../../database/transaction.js";
import type { Clock } from "../../platform/clock.js";
import type { MediaDisk } from "./disk.js";
import { SNIFF_BYTES, sniffPicture } from "./file-type.js";
import { insertMediaFile } from "./media-rows.js";
import type { MediaStore, StoredFile } from "./media-store.js";
import { keptReferenceBytes } from "./reference-rows.js";

/** The largest picture that is taken as a reference, in bytes. */
export const REFERENCE_BYTES_MAX = 20 * 1024 * 1024;
/** What is kept for one account at a time, in bytes: nobody pays for it, so that anyone could fill the disk. */
export const KEPT_BYTES_MAX = 25 * REFERENCE_BYTES_MAX;

export interface ReferenceStoreOptions {
  database: Database;
  disk: MediaDisk;
  store: MediaStore;
  clock: Clock;
}

/**
 * Keeps a picture for an account and answers with its name in the store. The type is found by the bytes,
 * whatever the file says of itself.
 * @throws ContractError `payload_too_large` over 20 MB, `bad_reference_url` when it is no picture; Unavailable
 * `quota` while the account has given too many
 */
export async function storeReference(
  { database, disk, store, clock }: ReferenceStoreOptions,
  accountId: number,
  file: ReferenceFile,
): Promise<string> {
  if (keptReferenceBytes(database, accountId) >= KEPT_BYTES_MAX) throw new Unavailable("quota");
  const directory = await store.workDirectory("reference");
  try {
    const path = join(directory, "picture");
    const head: Buffer[] = [];
    await disk.write(path, capped(file.stream, head));
    const mime = sniffPicture(Buffer.concat(head));
    if (mime === undefined) throw new ContractError("bad_reference_url");
    const stored = { ...(await store.adopt(path, mime)), mime };
    const isKept = await database.write("media:reference", (tx) => {
      // Pictures of an album come together: only here is it known what each of them leaves for the next.
      if (keptReferenceBytes(tx, accountId) + stored.size > KEPT_BYTES_MAX) return false;
      insertReference(tx, accountId, stored, clock.now());
      return true;
    });
    if (isKept) return stored.name;
    await store.remove(stored.name);
    throw new Unavailable("quota");
  } finally {
    await store.discard(directory);
  }
}

function insertReference(
  tx: Transaction,
  accountId: number,
  { name, mime, size }: StoredFile & { mime: string },
  at: number,
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

/** Passes the bytes on, keeps the first ones in `head`, and ends a file that is too large. */
async function* capped(stream: AsyncIterable<unknown>, head: Buffer[]): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const part of stream) {
    const chunk = Buffer.isBuffer(part) ? part : Buffer.from(part as Uint8Array);
    if (size < SNIFF_BYTES) head.push(chunk.subarray(0, SNIFF_BYTES));
    size += chunk.length;
    if (size > REFERENCE_BYTES_MAX) throw new ContractError("payload_too_large");
    yield chunk;
  }
}
