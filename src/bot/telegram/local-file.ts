import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { isAbsolute, normalize } from "node:path";
import type { Readable } from "node:stream";
import { boundedDownload, TelegramDownloadError } from "./download.js";

/** Neither follows a link nor waits for the other end of a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens a file of a Bot API server in local mode, by the path that its getFile told.
 * @returns undefined where this process cannot read it, such as one of another machine
 * @throws TelegramDownloadError for one that is too large, also through the stream
 */
export async function openLocalFile(path: string, bytesMax: number): Promise<Readable | undefined> {
  if (!isAbsolute(path) || normalize(path) !== path) return undefined;
  const handle = await open(path, FLAGS).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { size } = await statOfFile(handle);
    if (size > bytesMax) throw new TelegramDownloadError("too_large");
    return boundedDownload(handle.createReadStream(), bytesMax);
  } catch (error) {
    await handle.close();
    throw error instanceof TelegramDownloadError ? error : new TelegramDownloadError("gone");
  }
}

async function statOfFile(handle: FileHandle) {
  const stats = await handle.stat();
  if (!stats.isFile()) throw new TelegramDownloadError("gone");
  return stats;
}

/**
 * Tells where a web server in front of a server in local mode has a file: below the folder of the bot, as in the
 * documented path without local mode.
 */
export function pathBelowBot(path: string, token: string): string {
  const [, below] = path.split(`/${token}/`, 2);
  return below ?? path.replace(/^\/+/, "");
}
