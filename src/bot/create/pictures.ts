import type { Readable } from "node:stream";
import { ContractError, Unavailable } from "../../contract/errors.js";
import { type Gateways, NOT_CONNECTED, type TelegramUser } from "../../contract/gateway.js";
import type { GenerationRequest } from "../../contract/request.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { Recent } from "../../platform/recent.js";
import { DownloadFailed } from "../telegram/download.js";
import { fileIdOf } from "./picture-slots.js";

/** A published link is valid for an hour; one that is older than this is not used again, in ms. */
const FRESH_MS = 30 * 60 * 1000;
/** How many links are remembered. A forgotten one only costs a download. */
const REMEMBERED = 2000;

/** Why a picture of the chat cannot be used. */
export type PictureFault = "too_large" | "gone" | "unreachable" | "not_picture" | "too_many" | "unkept";

export class PictureRefused extends Error {
  override readonly name = "PictureRefused";
  constructor(readonly fault: PictureFault) {
    super(`picture refused: ${fault}`);
  }
}

export interface PicturesOptions {
  files: { open(fileId: string): Promise<Readable> };
  gateways: Gateways;
  clock: Clock;
  logger: Logger;
}

interface Published {
  link: string;
  at: number;
}

/**
 * Pictures that lie in the chat, as links that a provider can read. A draft keeps Telegram's file id, which
 * never expires; links live for an hour, so they are made when the picture comes, to see that it is one, and
 * made anew when an order needs a fresh one.
 */
export class Pictures {
  readonly #options: PicturesOptions;
  readonly #links = new Recent<string, Published>(REMEMBERED);

  constructor(options: PicturesOptions) {
    this.#options = options;
  }

  /**
   * A link to the picture that is valid for half an hour at least.
   * @throws PictureRefused
   */
  async publish(user: TelegramUser, fileId: string): Promise<string> {
    const { clock, logger } = this.#options;
    const key = `${user.id}:${fileId}`;
    const known = this.#links.get(key);
    if (known && clock.now() - known.at < FRESH_MS) return known.link;
    try {
      const at = clock.now();
      const link = await this.#publishAnew(user, fileId);
      this.#links.set(key, { link, at });
      return link;
    } catch (error) {
      const refused = refusalFor(error);
      if (refused.fault === "unkept") logger.error({ user_id: user.id, err: error }, "picture not kept");
      else logger.info({ user_id: user.id, fault: refused.fault }, "picture refused");
      throw refused;
    }
  }

  /**
   * The request with a link in place of each picture of the chat.
   * @throws PictureRefused
   */
  async published(user: TelegramUser, request: GenerationRequest): Promise<GenerationRequest> {
    const linked: GenerationRequest = { ...request };
    const linkFor = (value: string) => {
      const fileId = fileIdOf(value);
      return fileId === undefined ? value : this.publish(user, fileId);
    };
    for (const [name, value] of Object.entries(request)) {
      if (typeof value === "string" && name.endsWith("_url")) linked[name] = await linkFor(value);
      if (Array.isArray(value)) linked[name] = await Promise.all((value as readonly string[]).map(linkFor));
    }
    return linked;
  }

  async #publishAnew(user: TelegramUser, fileId: string): Promise<string> {
    const { files, gateways } = this.#options;
    const gateway = await gateways.of(user);
    if (gateway === NOT_CONNECTED) throw new PictureRefused("unreachable");
    const stream = await files.open(fileId);
    try {
      return await gateway.publishReference({ stream, mime: "application/octet-stream" });
    } finally {
      stream.destroy();
    }
  }
}

function refusalFor(error: unknown): PictureRefused {
  if (error instanceof PictureRefused) return error;
  if (error instanceof DownloadFailed) return new PictureRefused(error.fault);
  if (error instanceof Unavailable && error.reason === "unreachable")
    return new PictureRefused("unreachable");
  if (error instanceof Unavailable && error.reason === "quota") return new PictureRefused("too_many");
  if (!(error instanceof ContractError)) return new PictureRefused("unkept");
  return new PictureRefused(error.code === "payload_too_large" ? "too_large" : "not_picture");
}
