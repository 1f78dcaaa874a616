import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** Files of a backup, which is a folder. Media stand beside them as in DATA_DIR. */
export const MANIFEST_FILE = "manifest.json";
export const SUMS_FILE = "SHA256SUMS";
export const DATABASE_FILE = "atelier.db";
export const LINK_SECRET_FILE = "link.secret";
/** Folders of DATA_DIR whose `files` are copied with `BACKUP_MEDIA`. */
export const MEDIA_FOLDERS = ["media", "references"] as const;

const manifestSchema = z.object({
  format: z.literal("atelier-backup"),
  version: z.number().int().min(1),
  /** Version of the program that made it. */
  program: z.string(),
  /** Number of migrations that the database has run. */
  schema: z.number().int().min(1),
  made_at: z.iso.datetime(),
  media: z.boolean(),
  files: z.number().int().min(1),
  bytes: z.number().int().min(0),
  /** SHA-256 of SHA256SUMS, which has the sums of all other files. */
  sums_sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Manifest = z.infer<typeof manifestSchema>;

/** The form that this program writes, and the newest that it reads. */
export const FORMAT_VERSION = 1;

/** Names a backup by its moment: `atelier-20261103T041500Z`. Names sort by time. */
export function backupName(timeMs: number): string {
  return `atelier-${new Date(timeMs).toISOString().replace(/[-:]|\.\d+/g, "")}`;
}

export function isBackupName(name: string): boolean {
  return /^atelier-\d{8}T\d{6}Z$/.test(name);
}

/** Returns undefined for a folder that is no whole backup of this program. */
export function readManifest(folder: string): Manifest | undefined {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(join(folder, MANIFEST_FILE), "utf8")));
  } catch {
    return undefined;
  }
}
