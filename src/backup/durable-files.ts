import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "../platform/make-directory.js";

/** Syncs a file or folder to the disk. */
export function syncPath(path: string): void {
  const handle = openSync(path, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
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

/** Gives a file that never changes a second name, or copies it where the file system has no links for it. */
export function linkOrCopy(from: string, to: string): void {
  makeDirectory(dirname(to));
  try {
    linkSync(from, to);
  } catch (error) {
    if (!isWithoutLinks(error)) throw error;
    copyDurably(from, to);
  }
}

/** Copies to a new file, which is on the disk when this returns. */
export function copyDurably(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  syncPath(to);
}

/** Tells whether the error is that of a file which is not there. */
export function isMissing(error: unknown): boolean {
  return hasCode(error, ["ENOENT"]);
}

/** Another file system, one without links, a full count of links, or a kernel that guards those of others. */
function isWithoutLinks(error: unknown): boolean {
  return hasCode(error, ["EXDEV", "EPERM", "EMLINK", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && codes.includes(String(error.code));
}
