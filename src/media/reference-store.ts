import { join } from "node:path";
import type { Readable } from "node:stream";
import { ContractError, Unavailable } from "../contract/errors.js";
import { type Database, isDiskFault } from "../database/database.js";
import type { Ground } from "../database/ground.js";
import { prepare, qb } from "../database/prepared.js";
import { lessThan, table } from "../database/table.js";
import { BoundedMap } from "../platform/bounded-map.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import type { FailPoint } from "../platform/fail-point.js";
import type { Ids } from "../platform/ids.js";
import { type Integer, integer } from "../platform/integer.js";
import { PictureSizeReader } from "../platform/picture-size.js";
import { repeat } from "../platform/retry.js";
import { DAY_MS, HOUR_MS } from "../platform/units.js";
import { type MediaDisk, StorageUnavailable } from "./disk.js";
import { type FindSignedFile, Links } from "./links.js";
import { insertMediaFile, keptReferenceBytes, MediaStore, type StoredFile } from "./media-store.js";
import { checkedPicture, PictureRejectedError } from "./picture-check.js";
import { WorkDirectories, writeWorkFile } from "./work-directories.js";

export const REFERENCE_BYTES_MAX = 20 * 1024 * 1024;
/** Quota per account. References are free, so without it any user could fill the disk. */
export const KEPT_BYTES_MAX = 25 * REFERENCE_BYTES_MAX;

export interface LocalMedia {
  disk: MediaDisk;
  store: MediaStore;
  workDirectories: WorkDirectories;
}

export function openLocalMedia(
  disk: MediaDisk,
  directory: string,
  ids: Ids,
  failPoint: FailPoint,
): LocalMedia {
  const temporary = join(directory, "tmp");
  return {
    disk,
    store: new MediaStore(disk, directory, temporary, ids, failPoint),
    workDirectories: new WorkDirectories(disk, temporary, ids),
  };
}

type StoredPicture = StoredFile & { mime: string };

/**
 * Stores a reference image and returns its name. The bytes decide about its type.
 * @throws ContractError `payload_too_large` over 20 MB or 64 megapixels, `bad_reference_url` for no image
 * @throws Unavailable `quota` when the account has reached its limit; StorageUnavailable
 */
export async function storeReference(
  database: Database,
  media: LocalMedia,
  clock: Clock,
  accountId: number,
  stream: Readable,
): Promise<string> {
  if (keptReferenceBytes(database, accountId) >= KEPT_BYTES_MAX) throw new Unavailable("quota");
  return storePicture(media, stream, (picture) =>
    database.write("media:reference", (tx) => {
      if (keptReferenceBytes(tx, accountId) + picture.size > KEPT_BYTES_MAX) return false;
      insertMediaFile(tx, {
        ...picture,
        account_id: accountId,
        job_id: null,
        role: "reference",
        position: 0,
        width: null,
        height: null,
        duration_sec: null,
        title: null,
        created_at: clock.now(),
      });
      return true;
    }),
  );
}

/** @param keep writes its row; resolves to false where there is no room for it */
async function storePicture(
  { disk, store, workDirectories }: LocalMedia,
  stream: Readable,
  keep: (picture: StoredPicture) => Promise<boolean>,
): Promise<string> {
  const directory = await workDirectories.make("reference");
  try {
    const path = join(directory, "picture");
    const mime = await writePicture(disk, path, stream);
    const stored = { ...(await store.add(path, mime)), mime };
    const isKept = await keep(stored).finally(() => store.release([stored]));
    if (isKept) return stored.name;
    await store.remove(stored.name);
    throw new Unavailable("quota");
  } finally {
    await workDirectories.discard(directory);
  }
}

/** Writes an image to `path` and returns its type, as its bytes say. Throws ContractError like `storeReference`. */
async function writePicture(disk: MediaDisk, path: string, stream: AsyncIterable<unknown>): Promise<string> {
  const size = new PictureSizeReader();
  try {
    await writeWorkFile(disk, path, checkedPicture(capped(stream), size));
    return size.mime;
  } catch (error) {
    if (!(error instanceof PictureRejectedError)) throw error;
    throw new ContractError(error.reason === "pixels" ? "payload_too_large" : "bad_reference_url");
  }
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

interface PublishedRow {
  name: string;
  mime: string;
  size: number;
  /** Milliseconds since the epoch. */
  created_at: Integer;
}

declare module "../database/prepared.js" {
  interface Schema {
    published_reference: PublishedRow;
  }
}

const published = table("published_reference");
const sumSizes = prepare<object, { bytes: number | null }>(() =>
  qb.selectFrom("published_reference").select((eb) => eb.fn.sum<number | null>("size").as("bytes")),
);

/** Validity of links: the service may read a picture long after it was sent, such as from a queue. */
const LINK_LIFETIME_MS = DAY_MS;
const SWEEP_INTERVAL_MS = HOUR_MS;
/** Limits the pictures of all people: they cost nothing, and could fill the disk. */
const PUBLISHED_BYTES_MAX = 2 * 1024 ** 3;
const PEOPLE_REMEMBERED = 10_000;

/** Keeps pictures of the chat on signed links that are valid for a day. */
export class PublishedReferences {
  readonly #links: Links | undefined;
  /** What people have published since a time, by the monotonic clock: nobody takes all of the room. */
  readonly #byPerson = new BoundedMap<number, { bytes: number; since: number }>(PEOPLE_REMEMBERED);
  #cancelSweep: CancelTimer = () => {};

  /** @param publicUrl undefined where a service elsewhere cannot read links of this process */
  constructor(
    private readonly ground: Ground,
    private readonly media: LocalMedia,
    publicUrl: string | undefined,
    linkSecret: string,
  ) {
    this.#links = publicUrl === undefined ? undefined : new Links(publicUrl, linkSecret, LINK_LIFETIME_MS);
  }

  get isLinksOnly(): boolean {
    return this.#links === undefined;
  }

  /** Throws ContractError for what is no picture; Unavailable `links_only`, `storage` or `quota`. */
  async publish(stream: Readable, userId = 0): Promise<string> {
    if (!this.#links) throw new Unavailable("links_only");
    const { database, clock } = this.ground;
    const bytes = database.first(sumSizes, {})?.bytes ?? 0;
    const since = clock.monotonic();
    const known = this.#byPerson.get(userId);
    const own = known && since - known.since < LINK_LIFETIME_MS ? known : { bytes: 0, since };
    this.#byPerson.set(userId, own);
    if (bytes >= PUBLISHED_BYTES_MAX || own.bytes >= KEPT_BYTES_MAX) throw new Unavailable("quota");
    try {
      const name = await storePicture(this.media, stream, ({ name, mime, size }) => {
        own.bytes += size;
        const row = { name, mime, size, created_at: clock.now() };
        return database.write("references:add", (tx) => {
          published.insert(tx, row);
          return true;
        });
      });
      return this.#links.sign(name, clock.now());
    } catch (error) {
      if (error instanceof StorageUnavailable || isDiskFault(error))
        throw new Unavailable("storage", { cause: error });
      throw error;
    }
  }

  async start(): Promise<void> {
    const { clock, logger } = this.ground;
    const report = (error: unknown) => logger.error({ err: error }, "references could not be tidied");
    await this.media.workDirectories.discardUnused().catch(report);
    this.#cancelSweep = repeat(clock, SWEEP_INTERVAL_MS, () => void this.#sweep().catch(report));
  }

  async stop(): Promise<void> {
    this.#cancelSweep();
  }

  readonly files: FindSignedFile = async (file) => {
    const verdict = this.#links?.judge(file, this.ground.clock.now()) ?? "forged";
    if (verdict !== "valid") return { outcome: verdict };
    const row = published.get(this.ground.database, { name: file.name });
    if (!row) return { outcome: "gone" };
    const { name, mime, size } = row;
    const open = this.media.store.open.bind(this.media.store, name);
    return { outcome: "found", file: { mime, size, fileName: name, open } };
  };

  async #sweep(): Promise<void> {
    const { database, clock } = this.ground;
    const before = integer(clock.now() - LINK_LIFETIME_MS - SWEEP_INTERVAL_MS);
    for (const { name } of published.all(database, { created_at: lessThan(before) })) {
      await database.write("references:remove", (tx) => published.delete(tx, { name }));
      await this.media.store.remove(name);
    }
    for await (const { name, changedAt } of this.media.store.list()) {
      const at = await changedAt();
      if (at !== undefined && at < before && !published.get(database, { name }))
        await this.media.store.remove(name);
    }
  }
}
