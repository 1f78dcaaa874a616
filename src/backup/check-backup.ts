import { lstatSync, readFileSync, type Stats } from "node:fs";
import { join } from "node:path";
import { reasonOf, StartError } from "../platform/errors.js";
import { HOUR_MS } from "../platform/units.js";
import { hashFile, readSums } from "./make-backup.js";
import {
  DATABASE_FILE,
  FORMAT_VERSION,
  MANIFEST_FILE,
  type Manifest,
  readManifest,
  SUMS_FILE,
} from "./manifest.js";

/** How far the clock of the machine that made a backup may be ahead. */
const CLOCKS_DIFFER_MS = HOUR_MS;

export interface CheckedBackup {
  manifest: Manifest;
  /** Paths of its files, as in DATA_DIR. */
  paths: readonly string[];
}

/**
 * Reads every file of a backup and compares its sum. Changes nothing.
 * @param knownSchema number of migrations that this program knows
 * @param now time in ms since the epoch
 * @throws StartError
 */
export async function checkBackup(folder: string, knownSchema: number, now: number): Promise<CheckedBackup> {
  for (const path of [MANIFEST_FILE, SUMS_FILE]) assertPlain(folder, path);
  const manifest = manifestOf(folder, knownSchema, now);
  const found = await sumOf(folder, SUMS_FILE);
  const text = readFileSync(join(folder, SUMS_FILE), "utf8");
  const sums = readSums(text);
  if (found !== manifest.sums_sha256 || !sums) throw damaged(folder, SUMS_FILE);
  if (sums.length !== manifest.files || !sums.some(({ path }) => path === DATABASE_FILE))
    throw damaged(folder, MANIFEST_FILE);
  for (const { path, sha256 } of sums)
    if ((await sumOf(folder, path)) !== sha256) throw damaged(folder, path);
  return { manifest, paths: sums.map(({ path }) => path) };
}

function manifestOf(folder: string, knownSchema: number, now: number): Manifest {
  const manifest = readManifest(folder);
  if (!manifest)
    throw new StartError(
      `${folder} is no whole backup of this program: it has no ${MANIFEST_FILE} that can be read`,
    );
  const { version, schema, program, made_at: madeAt } = manifest;
  if (version > FORMAT_VERSION || schema > knownSchema)
    throw new StartError(
      `${folder} was made by the newer version ${program} (schema ${schema}, this one knows ${knownSchema}): restore it with that`,
    );
  if (Date.parse(madeAt) > now + CLOCKS_DIFFER_MS)
    throw new StartError(
      `${folder} was made on ${madeAt}, which is yet to come: set the clock of this machine, or take another backup`,
    );
  return manifest;
}

/** Reads no link, nor what is behind one: it may lead out of the backup. */
async function sumOf(folder: string, path: string): Promise<string | undefined> {
  const file = join(folder, path);
  assertPlain(folder, path);
  try {
    return lstatSync(file).isFile() ? (await hashFile(file)).sha256 : undefined;
  } catch (error) {
    throw unreadable(folder, path, error);
  }
}

/** Throws for a path that is a link, or that has one in it. What is missing is told by who reads it. */
function assertPlain(folder: string, path: string): void {
  const parts = path.split("/");
  for (let count = 1; count <= parts.length; count += 1) {
    const part = parts.slice(0, count).join("/");
    const found = factsOf(folder, part);
    const isRight = count < parts.length ? found?.isDirectory() : found?.isFile();
    if (found && isRight === false) throw damaged(folder, part);
  }
}

function factsOf(folder: string, path: string): Stats | undefined {
  try {
    return lstatSync(join(folder, path), { throwIfNoEntry: false });
  } catch (error) {
    throw unreadable(folder, path, error);
  }
}

function damaged(folder: string, path: string): StartError {
  return new StartError(`${folder} is damaged: ${path} is not what was written; take another backup`);
}

function unreadable(folder: string, path: string, error: unknown): StartError {
  return new StartError(
    `${folder} is damaged: ${path} cannot be read (${reasonOf(error)}); take another backup`,
  );
}
