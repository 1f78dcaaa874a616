import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { copyDatabase } from "../database/database-copy.js";
import type { Clock } from "../platform/clock.js";
import { reasonOf } from "../platform/reason-of.js";
import { StartError } from "../platform/start-error.js";
import { copyDurably, syncFolders, syncPath, writeNew } from "./durable-files.js";
import {
  DATABASE_FILE,
  FORMAT_VERSION,
  LINK_SECRET_FILE,
  MANIFEST_FILE,
  type Manifest,
  SUMS_FILE,
} from "./manifest.js";
import { copyMedium, type EarlierBackup, mediaPaths } from "./media-files.js";
import { hashFile, readSums, sumLine } from "./sums.js";

export interface MakeBackupOptions {
  dataDir: string;
  /** Path of the new folder. */
  target: string;
  hasMedia: boolean;
  /** Folder of an earlier backup beside it. */
  earlier?: string | undefined;
  /** Version of the program. */
  program: string;
  clock: Pick<Clock, "now">;
}

export interface MadeBackup {
  files: number;
  bytes: number;
}

/** Names the folder in which a backup is made until it is whole. */
export function partialName(target: string): string {
  return join(dirname(target), `.${basename(target)}.part`);
}

/**
 * Makes a backup: a folder that is renamed to its name when all of it is on the disk. A failed one leaves nothing.
 * @throws StartError with one line for the operator
 */
export async function makeBackup({ target: given, ...options }: MakeBackupOptions): Promise<MadeBackup> {
  const target = resolve(given);
  if (existsSync(target)) throw new StartError(`${given} exists already`);
  const draft = partialName(target);
  makeDraft(draft, given);
  try {
    const manifest = await fill(draft, options);
    renameSync(draft, target);
    syncPath(dirname(target));
    return { files: manifest.files, bytes: manifest.bytes };
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw new StartError(`${given} cannot be written (${reasonOf(error)})`, { cause: error });
  }
}

function makeDraft(draft: string, given: string): void {
  try {
    mkdirSync(draft, { mode: 0o700 });
  } catch (error) {
    throw new StartError(`${JSON.stringify(given)} cannot be made (${reasonOf(error)})`, { cause: error });
  }
}

async function fill(folder: string, options: Omit<MakeBackupOptions, "target">): Promise<Manifest> {
  const { dataDir, hasMedia, program, clock } = options;
  const madeAt = new Date(clock.now()).toISOString();
  // The database first: what its rows name is then there, or was removed by age.
  const schema = copyDatabase(join(dataDir, DATABASE_FILE), join(folder, DATABASE_FILE));
  const secret = join(dataDir, LINK_SECRET_FILE);
  const names = [DATABASE_FILE];
  if (existsSync(secret)) {
    copyDurably(secret, join(folder, LINK_SECRET_FILE));
    names.push(LINK_SECRET_FILE);
  }
  const sums = new SumsWriter(join(folder, SUMS_FILE));
  try {
    for (const path of names) sums.add({ path, ...(await hashFile(join(folder, path))) });
    if (hasMedia) {
      const earlier = earlierOf(options.earlier);
      for (const path of mediaPaths(dataDir)) {
        const copied = await copyMedium(path, { dataDir, folder, earlier });
        if (copied) sums.add(copied);
      }
    }
  } finally {
    sums.close();
  }
  const manifest: Manifest = {
    format: "atelier-backup",
    version: FORMAT_VERSION,
    program,
    schema,
    made_at: madeAt,
    media: hasMedia,
    files: sums.files,
    bytes: sums.bytes,
    sums_sha256: sums.sha256,
  };
  writeNew(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, undefined, 2)}\n`);
  syncFolders(folder);
  return manifest;
}

/** Reads the sums of an earlier backup; one that cannot be read is left alone. */
function earlierOf(folder: string | undefined): EarlierBackup | undefined {
  if (folder === undefined) return undefined;
  try {
    const sums = readSums(readFileSync(join(folder, SUMS_FILE), "utf8")) ?? [];
    return { folder, sums: new Map(sums.map(({ path, sha256 }) => [path, sha256])) };
  } catch {
    return undefined;
  }
}

class SumsWriter {
  readonly #handle: number;
  readonly #hash = createHash("sha256");
  files = 0;
  bytes = 0;
  sha256 = "";

  constructor(file: string) {
    this.#handle = openSync(file, "wx", 0o600);
  }

  add({ bytes, ...sum }: { path: string; sha256: string; bytes: number }): void {
    const line = sumLine(sum);
    writeSync(this.#handle, line);
    this.#hash.update(line);
    this.files += 1;
    this.bytes += bytes;
  }

  close(): void {
    fsyncSync(this.#handle);
    closeSync(this.#handle);
    this.sha256 = this.#hash.digest("hex");
  }
}
