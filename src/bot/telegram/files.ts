import type { Readable } from "node:stream";
import { type Api, GrammyError, HttpError } from "grammy";
import { TelegramDownloadError } from "./download.js";
import type { TelegramConnections } from "./fetch.js";
import { openLocalFile, pathBelowBot } from "./local-file.js";

/** Telegram's limit for downloads by a bot. */
export const FILE_BYTES_MAX = 20 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

export interface TelegramFilesOptions {
  api: Pick<Api, "getFile">;
  connections: Pick<TelegramConnections, "download">;
  apiRoot: string;
  token: string;
  /** Whether the server is one's own in local mode. */
  isLocal: boolean;
}

export class TelegramFiles {
  readonly #options: TelegramFilesOptions;

  constructor(options: TelegramFilesOptions) {
    this.#options = options;
  }

  /** Opens a file. Throws TelegramDownloadError, also through the stream. */
  async open(fileId: string): Promise<Readable> {
    const { connections, apiRoot, token, isLocal } = this.#options;
    const told = await this.#pathOf(fileId);
    const onDisk = isLocal ? await openLocalFile(told, FILE_BYTES_MAX) : undefined;
    if (onDisk) return onDisk;
    const filePath = isLocal ? pathBelowBot(told, token) : told;
    const { origin, pathname } = new URL(`${apiRoot}/file/bot${token}/`);
    const path = pathname + filePath.split("/").map(encodeURIComponent).join("/");
    return connections.download({ origin, path, timeoutMs: TIMEOUT_MS, bytesMax: FILE_BYTES_MAX });
  }

  async #pathOf(fileId: string): Promise<string> {
    try {
      const { file_path } = await this.#options.api.getFile(fileId);
      if (file_path === undefined) throw new TelegramDownloadError("gone");
      return file_path;
    } catch (error) {
      if (error instanceof HttpError) throw new TelegramDownloadError("unreachable");
      if (!(error instanceof GrammyError)) throw error;
      if (/file is too big/.test(error.description)) throw new TelegramDownloadError("too_large");
      throw new TelegramDownloadError(error.error_code === 400 ? "gone" : "unreachable");
    }
  }
}
