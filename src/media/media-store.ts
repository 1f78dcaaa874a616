import { join } from "node:path";
import type { Readable } from "node:stream";
import { type Generated, type Insertable, type Selectable, sql } from "kysely";
import type { JobId } from "../contract/job.js";
import type { GenerationType } from "../contract/model.js";
import type { Reads, Transaction } from "../database/database.js";
import { prepare, qb } from "../database/prepared.js";
import { table } from "../database/table.js";
import { hasCode, whereMissing } from "../platform/errors.js";
import type { FailPoint } from "../platform/fail-point.js";
import type { Ids } from "../platform/ids.js";
import type { Integer } from "../platform/integer.js";
import { asStorageError, type ByteRange, type MediaDisk, StorageUnavailable, writing } from "./disk.js";
import { extensionOf } from "./picture-check.js";

export interface OpenableFile extends FileFacts {
  size: number;
  title?: string;
  /** Opens a range, which must lie within the file. Read to the end or destroy. Undefined for a deleted file. */
  open(range?: ByteRange): Promise<Readable | undefined>;
}

/** How the MIME type of a result of each kind begins. */
export const MEDIA_OF: Readonly<Record<GenerationType, string>> = {
  image: "image/",
  video: "video/",
  music: "audio/",
};

/** What is known of a file. Facts that are absent are not known. */
export interface FileFacts {
  mime: string;
  fileName: string;
  size?: number;
  width?: number;
  height?: number;
  durationSec?: number;
  /** Goes out as a document: a photo would lose its transparency, or nobody could read it. */
  isDocument?: boolean;
}

/** `cover`: the image of a track or a video; `original`: the file that a result was made of; `reference`: from a user. */
export type MediaRole = "result" | "cover" | "original" | "reference";

interface MediaFileTable {
  id: Generated<number>;
  name: string;
  account_id: number;
  job_id: number | null;
  role: MediaRole;
  position: number;
  mime: string;
  size: number;
  width: number | null;
  height: number | null;
  duration_sec: number | null;
  title: string | null;
  /** Milliseconds since the epoch. */
  created_at: Integer;
  /** Milliseconds since the epoch at which retention removed the file; the row stays. */
  removed_at: Integer | null;
}
export type MediaFile = Readonly<Selectable<MediaFileTable>>;
type NewMediaFile = Required<Omit<Insertable<MediaFileTable>, "id" | "removed_at">>;

declare module "../database/prepared.js" {
  interface Schema {
    media_file: MediaFileTable;
  }
}

const files = table("media_file");

export function insertMediaFile(tx: Transaction, file: NewMediaFile): void {
  files.insert(tx, { ...file, removed_at: null });
}

/** Returns covers, then originals, then results, each by position, with files that retention removed. */
export function mediaOfJob(source: Reads, jobId: number): MediaFile[] {
  return files.all(source, { job_id: jobId }, { orderBy: ["role", "position"] });
}

export function keptMedia(source: Reads, name: string): MediaFile | undefined {
  return files.get(source, { name, removed_at: null });
}

export function markMediaRemoved(tx: Transaction, id: number, at: Integer): void {
  files.update(tx, { id }, { removed_at: at });
}

export const sumOfReferences = prepare<{ accountId: number }, { bytes: number | null }>((p) =>
  qb
    .selectFrom("media_file")
    .select((eb) => eb.fn.sum<number | null>("size").as("bytes"))
    .where("role", "=", sql.lit("reference" as const))
    .where("removed_at", "is", sql.lit(null))
    .where("account_id", "=", p.accountId),
);

export function keptReferenceBytes(source: Reads, accountId: number): number {
  return source.first(sumOfReferences, { accountId })?.bytes ?? 0;
}

export interface StoredFile {
  name: string;
  size: number;
}

/** Free space that new work must leave, so that running jobs can finish. */
const STORAGE_RESERVE_BYTES = 64 * 1024 * 1024;

const PROBE_BYTES = Buffer.alloc(4096, "atelier ");

/** A file in the store, with or without a row. */
interface ListedFile {
  name: string;
  /** Returns when it was stored, in ms since the epoch; undefined when it no longer exists. */
  changedAt(): Promise<number | undefined>;
}

/**
 * Stores files that never change, under random names that are never used again. A file is synced, then moved to its name,
 * then its folder is synced. The hourly cleanup removes files that have no row and wait for none.
 */
export class MediaStore {
  readonly #root: string;
  readonly #awaitingRow = new Set<string>();

  /**
   * @param directory has the files, as `files/ab/cd/abcd….webp`
   * @param draftDirectory on the same file system, in which the disk is probed
   */
  constructor(
    private readonly disk: MediaDisk,
    directory: string,
    private readonly draftDirectory: string,
    private readonly ids: Ids,
    private readonly failPoint: FailPoint,
  ) {
    this.#root = join(directory, "files");
  }

  /**
   * Moves a local file into the store, durably. It is not an orphan until `release`.
   * @throws StorageUnavailable, or another error when the file is absent or empty
   */
  async add(path: string, mime: string): Promise<StoredFile> {
    const name = `${this.ids.file()}.${extensionOf(mime)}`;
    this.#awaitingRow.add(name);
    try {
      return { name, size: await this.#move(path, name) };
    } catch (error) {
      this.#awaitingRow.delete(name);
      throw error;
    }
  }

  /** Call when the rows of these files are written or never will be. */
  release(files: readonly Pick<StoredFile, "name">[]): void {
    for (const { name } of files) this.#awaitingRow.delete(name);
  }

  isAwaitingRow(name: string): boolean {
    return this.#awaitingRow.has(name);
  }

  /** Returns undefined when the file does not exist. The stream stays readable when the file is removed. */
  open(name: string, range?: ByteRange): Promise<Readable | undefined> {
    return this.disk.open(this.localPath(name), range).catch(whereMissing(undefined));
  }

  async remove(name: string): Promise<void> {
    this.release([{ name }]);
    await this.disk.remove(this.localPath(name));
  }

  async *list(): AsyncGenerator<ListedFile> {
    const { disk } = this;
    for (const first of await disk.list(this.#root)) {
      for (const second of await disk.list(join(this.#root, first))) {
        const folder = join(this.#root, first, second);
        for (const name of await disk.list(folder)) {
          const changedAt = async () => (await disk.stat(join(folder, name))).changedAt;
          yield { name, changedAt: () => changedAt().catch(whereMissing(undefined)) };
        }
      }
    }
  }

  async check(): Promise<void> {
    await writing(() =>
      this.#probe().catch((error: unknown) => {
        if (!hasCode(error, "ENOENT")) throw error;
        return this.#probe();
      }),
    );
    await this.requireSpace();
  }

  /** Checks the free space alone, which is cheaper than `check`. Rejects with StorageUnavailable. */
  async requireSpace(): Promise<void> {
    const free = await writing(() => this.disk.freeBytes(this.#root));
    if (free < STORAGE_RESERVE_BYTES) throw new StorageUnavailable(`only ${free} bytes are free for media`);
  }

  localPath(name: string): string {
    return join(this.#folderOf(name), name);
  }

  async #move(path: string, name: string): Promise<number> {
    const { disk, failPoint } = this;
    const { isFile, size } = await disk.stat(path).catch((error: unknown) => {
      throw asStorageError(error);
    });
    if (!isFile || size === 0) throw new Error("the result is empty");
    const folder = this.#folderOf(name);
    await writing(async () => {
      await disk.sync(path);
      await disk.makeDirectory(folder);
      failPoint("media:before-rename");
      await disk.rename(path, this.localPath(name));
      failPoint("media:after-rename");
      await disk.sync(folder);
    });
    return size;
  }

  async #probe(): Promise<void> {
    const { disk, ids, draftDirectory } = this;
    const name = `probe-${ids.file()}`;
    const draft = join(draftDirectory, name);
    try {
      await disk.makeDirectory(draftDirectory);
      await disk.makeDirectory(this.#folderOf(name));
      await disk.write(draft, [PROBE_BYTES]);
      await disk.rename(draft, this.localPath(name));
      await disk.remove(this.localPath(name));
    } catch (error) {
      for (const path of [draft, this.localPath(name)]) await disk.remove(path).catch(() => {});
      throw error;
    }
  }

  #folderOf(name: string): string {
    return join(this.#root, name.slice(0, 2), name.slice(2, 4));
  }
}

export function openableFile(store: MediaStore, file: MediaFile): OpenableFile {
  return {
    open: (range) => store.open(file.name, range),
    mime: file.mime,
    size: file.size,
    fileName: fileNameOf(file),
    ...(file.width !== null && { width: file.width }),
    ...(file.height !== null && { height: file.height }),
    ...(file.duration_sec !== null && { durationSec: file.duration_sec }),
    ...(file.title !== null && { title: file.title }),
  };
}

type NamedFile = Pick<MediaFile, "role" | "position" | "mime" | "title"> & { job_id: JobId | null };

/** Limits names in code points; file systems allow 255 bytes. */
const NAME_MAX = 60;
/** Matches invisible characters, and those that a file system, shell or header rejects. */
const UNSAFE = /[\\/:*?"<>|\p{C}\p{Zl}\p{Zp}]+/gu;

/**
 * Names a file `atelier-<job>.webp`, or by the title of a track: `Night Train.mp3`. Files after the first of a kind
 * are numbered, `Night Train-2.mp3`, unless their title already is: `2. Night Train.mp3`.
 */
export function fileNameOf({ job_id, role, position, mime, title }: NamedFile): string {
  const parts = [safeName(title ?? "") || `atelier-${job_id ?? role}`];
  const number = position + 1;
  const isNumbered = parts[0]?.startsWith(`${number}. `) || parts[0]?.endsWith(`(${number})`);
  if (position > 0 && !isNumbered) parts.push(String(number));
  if (role === "cover") parts.push("cover");
  return `${parts.join("-")}.${extensionOf(mime)}`;
}

function safeName(title: string): string {
  const words = [...title.replace(UNSAFE, " ").replace(/\s+/g, " ").trim()].slice(0, NAME_MAX).join("");
  // Leading dots hide a file; some systems strip trailing ones.
  return words.replace(/^[.\s]+|[.\s]+$/g, "");
}
