import type { Readable } from "node:stream";
import { type Api, GrammyError, HttpError } from "grammy";
import { DownloadFailed } from "./download.js";
import type { TelegramConnections } from "./fetch.js";

/** What Telegram lets a bot download. */
export const FILE_BYTES_MAX = 20 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

export interface TelegramFilesOptions {
  api: Pick<Api, "getFile">;
  connections: Pick<TelegramConnections, "download">;
  apiRoot: string;
  token: string;
}

/** Files that people sent to the bot. */
export class TelegramFiles {
  readonly #options: TelegramFilesOptions;

  constructor(options: TelegramFilesOptions) {
    this.#options = options;
  }

  /**
   * Opens a file by its id. The address that it is read from holds the bot's token and stays in here.
   * @throws DownloadFailed, also by way of the stream
   */
  async open(fileId: string): Promise<Readable> {
    const { connections, apiRoot, token } = this.#options;
    const filePath = await this.#pathOf(fileId);
    const { origin, pathname } = new URL(`${apiRoot}/file/bot${token}/`);
    const path = pathname + filePath.split("/").map(encodeURIComponent).join("/");
    return connections.download({ origin, path, timeoutMs: TIMEOUT_MS, bytesMax: FILE_BYTES_MAX });
  }

  async #pathOf(fileId: string): Promise<string> {
    try {
      const { file_path } = await this.#options.api.getFile(fileId);
      if (file_path === undefined) throw new DownloadFailed("gone");
      return file_path;
    } catch (error) {
      if (error instanceof HttpError) throw new DownloadFailed("unreachable");
      if (!(error instanceof GrammyError)) throw error;
      if (/file is too big/.test(error.description)) throw new DownloadFailed("too_large");
      throw new DownloadFailed(error.error_code === 400 ? "gone" : "unreachable");
    }
  }
}
