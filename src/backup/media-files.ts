import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isMissing, linkOrCopy } from "./durable-files.js";
import { MEDIA_FOLDERS } from "./manifest.js";
import { hashFile, isStoredPath, type Sum } from "./sums.js";

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
    if (isMissing(error)) return [];
    throw error;
  }
}

/** An earlier backup, whose media are taken again: a stored file never changes. */
export interface EarlierBackup {
  folder: string;
  sums: ReadonlyMap<string, string>;
}

/** Copies a stored file. Returns undefined for one that retention has removed meanwhile. */
export async function copyMedium(
  path: string,
  { dataDir, folder, earlier }: { dataDir: string; folder: string; earlier: EarlierBackup | undefined },
): Promise<(Sum & { bytes: number }) | undefined> {
  const from = join(dataDir, path);
  const to = join(folder, path);
  try {
    const { size: bytes } = statSync(from);
    const known = earlier?.sums.get(path);
    if (earlier && known !== undefined && sizeOf(join(earlier.folder, path)) === bytes) {
      linkOrCopy(join(earlier.folder, path), to);
      return { path, sha256: known, bytes };
    }
    linkOrCopy(from, to);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return { path, ...(await hashFile(to)) };
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
