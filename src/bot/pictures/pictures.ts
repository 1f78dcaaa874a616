import type { Readable } from "node:stream";
import { ContractError, Unavailable } from "../../contract/errors.js";
import type { GenerationRequest } from "../../contract/request.js";
import { BoundedMap } from "../../platform/bounded-map.js";
import type { Clock } from "../../platform/clock.js";
import type { Logger } from "../../platform/logger.js";
import { type Gateways, NOT_CONNECTED, type User } from "../../ports/gateway.js";
import { fileIdOf } from "../form/picture-fields.js";
import { DownloadFailed } from "../telegram/download.js";

/** In ms. Published links are valid for one hour; older ones are not reused. */
const FRESH_MS = 30 * 60 * 1000;
/** Cached links. A miss only costs a download. */
const REMEMBERED = 2000;

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
 * Publishes images from the chat as links that a provider can read.
 * A draft keeps the Telegram file id, which never expires. Links expire after one hour. They are made on
 * arrival, to validate the image, and again when an order needs a new one.
 */
export class Pictures {
  readonly #options: PicturesOptions;
  readonly #links = new BoundedMap<string, Published>(REMEMBERED);

  constructor(options: PicturesOptions) {
    this.#options = options;
  }

  /**
   * Returns a link that is valid for at least half an hour.
   * @throws PictureRefused
   */
  async publish(user: User, fileId: string): Promise<string> {
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

  /** @throws PictureRefused */
  async published(user: User, request: GenerationRequest): Promise<GenerationRequest> {
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

  async #publishAnew(user: User, fileId: string): Promise<string> {
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
