import { createHash } from "node:crypto";
import {
  constants,
  copyFileSync,
  createReadStream,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { copyDatabase } from "../database/database-copy.js";
import type { Clock } from "../platform/clock.js";
import { hasCode, reasonOf, StartError, settingFault } from "../platform/errors.js";
import { isWithin, makeDirectory, syncPath } from "../platform/private-files.js";
import {
  DATABASE_FILE,
  FORMAT_VERSION,
  LINK_SECRET_FILE,
  MANIFEST_FILE,
  type Manifest,
  MEDIA_FOLDERS,
  SUMS_FILE,
} from "./manifest.js";

/** One line of SHA256SUMS, in the form of `sha256sum`, which can check it too. */
interface Sum {
  path: string;
  sha256: string;
}

type HashedFile = Sum & { bytes: number };

const LINE = /^([0-9a-f]{64}) {2}(.+)$/;
/** Matches the path of a stored file, which names no folder above it and nothing hidden. */
const MEDIA_PATH = new RegExp(`^(?:${MEDIA_FOLDERS.join("|")})/files(?:/[A-Za-z0-9_-][\\w.-]*)+$`);

/** Reads the lines; undefined where one is cut or names what no backup has. */
export function readSums(text: string): Sum[] | undefined {
  if (!text.endsWith("\n")) return undefined;
  const sums: Sum[] = [];
  for (const line of text.slice(0, -1).split("\n")) {
    const [, sha256, path] = LINE.exec(line) ?? [];
    if (sha256 === undefined || path === undefined || !isStoredPath(path)) return undefined;
    sums.push({ path, sha256 });
  }
  return sums;
}

function isStoredPath(path: string): boolean {
  return path === DATABASE_FILE || path === LINK_SECRET_FILE || MEDIA_PATH.test(path);
}

/** Reads a file in pieces. */
export async function hashFile(file: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of createReadStream(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(piece);
    bytes += piece.length;
  }
  return { sha256: hash.digest("hex"), bytes };
}

/** Probes of the disk, which live for a moment. */
const TRANSIENT = /^probe-/;

/** Lists the stored media of a data directory, as paths below it. */
export function* mediaPaths(dataDir: string): Generator<string> {
  for (const folder of MEDIA_FOLDERS) yield* pathsBelow(dataDir, `${folder}/files`);
}

function* pathsBelow(root: string, path: string): Generator<string> {
  for (const entry of entriesOf(join(root, path))) {
    const below = `${path}/${entry.name}`;
    if (entry.isDirectory()) yield* pathsBelow(root, below);
    else if (entry.isFile() && isStoredPath(below) && !TRANSIENT.test(entry.name)) yield below;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (hasCode(error, "ENOENT")) return [];
    throw error;
  }
}

/** An earlier backup, whose media are taken again: a stored file never changes. */
interface EarlierBackup {
  folder: string;
  sums: ReadonlyMap<string, string>;
}

/** Copies a stored file. Returns undefined for one that retention has removed meanwhile. */
async function copyMedium(
  path: string,
  { dataDir, folder, earlier }: { dataDir: string; folder: string; earlier: EarlierBackup | undefined },
): Promise<HashedFile | undefined> {
  const from = join(dataDir, path);
  const to = join(folder, path);
  try {
    const { size: bytes } = statSync(from);
    const known = earlier?.sums.get(path);
    if (
      earlier &&
      known !== undefined &&
      statSync(join(earlier.folder, path), { throwIfNoEntry: false })?.size === bytes
    ) {
      linkOrCopy(join(earlier.folder, path), to);
      return { path, sha256: known, bytes };
    }
    linkOrCopy(from, to);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
  return { path, ...(await hashFile(to)) };
}

const PROBE_FILE = ".atelier-probe";

/** Makes the folder of backups and checks that it can be written, and is not in the data. Throws StartError. */
export function openBackupDirectory(directory: string, dataDir: string): void {
  try {
    makeDirectory(directory);
    writeFileSync(join(directory, PROBE_FILE), "");
    rmSync(join(directory, PROBE_FILE));
  } catch (error) {
    const fault = settingFault("BACKUP_DIR", `${directory} cannot be written`, error);
    if (!hasCode(error, "EACCES")) throw fault;
    const owner = `-o ${process.getuid?.() ?? "?"} -g ${process.getgid?.() ?? "?"}`;
    throw new StartError(`${fault.message}: install -d -m 700 ${owner} ${resolve(directory)}`, {
      cause: error,
    });
  }
  // A link may lead into the data.
  if (isWithin(realpathSync(directory), realpathSync(dataDir)))
    throw new StartError(`BACKUP_DIR: ${directory} is in DATA_DIR: a disk that is lost takes both`);
}

interface MakeBackupOptions {
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
  const { dataDir } = options;
  if (!existsSync(join(dataDir, DATABASE_FILE)))
    throw new StartError(`DATA_DIR: ${dataDir} has no ${DATABASE_FILE}`);
  const draft = partialName(target);
  try {
    mkdirSync(draft, { mode: 0o700 });
  } catch (error) {
    throw new StartError(`${JSON.stringify(given)} cannot be made (${reasonOf(error)})`, { cause: error });
  }
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
  const sums: HashedFile[] = [];
  for (const path of names) sums.push({ path, ...(await hashFile(join(folder, path))) });
  const earlier = earlierOf(options.earlier);
  for (const path of hasMedia ? mediaPaths(dataDir) : []) {
    const copied = await copyMedium(path, { dataDir, folder, earlier });
    if (copied) sums.push(copied);
  }
  const lines = sums.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join("");
  writeNew(join(folder, SUMS_FILE), lines);
  const manifest: Manifest = {
    format: "atelier-backup",
    version: FORMAT_VERSION,
    program,
    schema,
    made_at: madeAt,
    media: hasMedia,
    files: sums.length,
    bytes: sums.reduce((all, { bytes }) => all + bytes, 0),
    sums_sha256: createHash("sha256").update(lines).digest("hex"),
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

/** Syncs a folder and all folders below it. Their files are synced by whoever wrote them. */
export function syncFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) syncFolders(join(folder, entry.name));
  syncPath(folder);
}

/** Writes a new file for the owner only, which is on the disk when this returns. */
export function writeNew(file: string, text: string): void {
  writeFileSync(file, text, { flag: "wx", mode: 0o600, flush: true });
}

/** Another file system, one without links, a full count of links, or a kernel that guards those of others. */
const WITHOUT_LINKS = ["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"];

/** Gives a file that never changes a second name, or copies it where the file system has no links for it. */
export function linkOrCopy(from: string, to: string): void {
  makeDirectory(dirname(to));
  try {
    linkSync(from, to);
  } catch (error) {
    if (!hasCode(error, ...WITHOUT_LINKS)) throw error;
    copyDurably(from, to);
  }
}

/** Copies to a new file, which is on the disk when this returns. */
export function copyDurably(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  syncPath(to);
}
