import { join } from "node:path";
import { Unavailable } from "../contract/errors.js";
import type { Database } from "../database/database.js";
import { isDiskFault } from "../database/errors.js";
import type { CancelTimer, Clock } from "../platform/clock.js";
import type { Ids } from "../platform/ids.js";
import { integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { repeat } from "../platform/retry.js";
import { StorageUnavailable } from "../ports/blob-store.js";
import type { ReferenceFile } from "../ports/gateway.js";
import type { SignedFile, SignedFileOutcome } from "../ports/signed-files.js";
import { Links } from "./links.js";
import type { LocalMedia } from "./local-media.js";
import { MediaStore } from "./media-store.js";
import { PublishedTable } from "./published-table.js";
import { writePicture } from "./reference-store.js";

const DAY_MS = 24 * 3600 * 1000;
/** Validity of links: the service may read a picture long after it was sent, such as from a queue. */
const LINK_LIFETIME_MS = DAY_MS;
const SWEEP_INTERVAL_MS = 3600 * 1000;
/** Limits the pictures of all people: they cost nothing, and could fill the disk. */
const KEPT_BYTES_MAX = 2 * 1024 ** 3;

export interface PublishedReferencesOptions {
  database: Database;
  media: LocalMedia;
  /** Undefined where a service elsewhere cannot read links of this process. */
  publicUrl: string | undefined;
  linkSecret: string;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

/** Keeps pictures of the chat on signed links that are valid for a day. */
export class PublishedReferences {
  readonly #options: PublishedReferencesOptions;
  readonly #store: MediaStore;
  readonly #table: PublishedTable;
  readonly #links: Links | undefined;
  readonly files = { findSignedFile: (file: SignedFile) => this.#find(file) };
  #cancelSweep: CancelTimer = () => {};

  constructor(options: PublishedReferencesOptions) {
    const { media, ids, database, publicUrl, linkSecret } = options;
    this.#options = options;
    this.#store = new MediaStore({ blobs: media.blobs, ids });
    this.#table = new PublishedTable(database);
    this.#links = publicUrl === undefined ? undefined : new Links(publicUrl, linkSecret, LINK_LIFETIME_MS);
  }

  get isLinksOnly(): boolean {
    return this.#links === undefined;
  }

  /** Throws ContractError for what is no picture; Unavailable `links_only`, `storage` or `quota`. */
  async publish(file: ReferenceFile): Promise<string> {
    if (!this.#links) throw new Unavailable("links_only");
    if (this.#table.bytes() >= KEPT_BYTES_MAX) throw new Unavailable("quota");
    try {
      const name = await this.#keep(file);
      return this.#links.sign(name, this.#options.clock.now());
    } catch (error) {
      if (error instanceof StorageUnavailable || isDiskFault(error))
        throw new Unavailable("storage", { cause: error });
      throw error;
    }
  }

  async start(): Promise<void> {
    const { media, clock, logger } = this.#options;
    const report = (error: unknown) => logger.error({ err: error }, "references could not be tidied");
    await media.workDirectories.discardUnused().catch(report);
    this.#cancelSweep = repeat(clock, SWEEP_INTERVAL_MS, () => void this.#sweep().catch(report));
  }

  async stop(): Promise<void> {
    this.#cancelSweep();
  }

  async #keep({ stream }: ReferenceFile): Promise<string> {
    const { clock, media } = this.#options;
    const directory = await media.workDirectories.make("reference");
    try {
      const path = join(directory, "picture");
      const mime = await writePicture(media.disk, path, stream);
      const stored = await this.#store.add(path, mime);
      await this.#table.insert({ ...stored, mime, created_at: clock.now() });
      return stored.name;
    } finally {
      await media.workDirectories.discard(directory);
    }
  }

  async #find(file: SignedFile): Promise<SignedFileOutcome> {
    const verdict = this.#links?.judge(file, this.#options.clock.now()) ?? "forged";
    if (verdict !== "valid") return { outcome: verdict };
    const row = this.#table.find(file.name);
    if (!row) return { outcome: "gone" };
    const { name, mime, size } = row;
    const open = this.#store.open.bind(this.#store, name);
    return { outcome: "found", file: { mime, size, fileName: name, open } };
  }

  async #sweep(): Promise<void> {
    const before = integer(this.#options.clock.now() - 2 * DAY_MS);
    for (const name of this.#table.olderThan(before)) {
      await this.#table.remove(name);
      await this.#store.remove(name);
    }
    for await (const { name, changedAt } of this.#store.list()) {
      const at = await changedAt();
      if (at !== undefined && at < before && !this.#table.find(name)) await this.#store.remove(name);
    }
  }
}
