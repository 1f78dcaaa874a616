import { createReadStream } from "node:fs";
import { join } from "node:path";
import type { Api } from "grammy";
import type { Message } from "grammy/types";
import type { GenerationType } from "../../../contract/model.js";
import type { Logger } from "../../../platform/logger.js";
import { type ChatPlace, inTopic } from "../../telegram/place.js";
import { uploadOf } from "../../telegram/upload.js";

export interface ExamplePicture {
  type: GenerationType;
  caption: string;
}

interface ExamplePicturesOptions {
  /** Does not retry: a greeting does not wait for its pictures. */
  api: Api;
  /** Has `<type>.jpg` for each type. */
  directory: string;
  logger: Logger;
}

/** Sends the pictures of the examples. Each is uploaded once, and sent by its file id from then on. */
export class ExamplePictures {
  readonly #options: ExamplePicturesOptions;
  readonly #fileIds = new Map<GenerationType, string>();

  constructor(options: ExamplePicturesOptions) {
    this.#options = options;
  }

  /** Sends an album, or one photo. Never rejects. */
  async send(place: ChatPlace, pictures: readonly ExamplePicture[]): Promise<void> {
    if (pictures.length === 0) return;
    try {
      const sent = await this.#send(place, pictures);
      for (const [index, { photo }] of sent.entries()) {
        const [picture, fileId] = [pictures[index], photo?.at(-1)?.file_id];
        if (picture && fileId !== undefined) this.#fileIds.set(picture.type, fileId);
      }
    } catch (error) {
      // Telegram may no longer accept the file id.
      this.#fileIds.clear();
      this.#options.logger.warn({ err: error }, "example pictures not sent");
    }
  }

  async #send(place: ChatPlace, pictures: readonly ExamplePicture[]): Promise<Message[]> {
    const { api } = this.#options;
    const items = pictures.map(({ type, caption }) => ({
      type: "photo" as const,
      media: this.#fileIds.get(type) ?? this.#upload(type),
      caption,
    }));
    const [first, ...others] = items;
    if (first && others.length === 0) {
      const { media, caption } = first;
      return [await api.sendPhoto(place.chatId, media, { ...inTopic(place), caption })];
    }
    return api.sendMediaGroup(place.chatId, items, inTopic(place));
  }

  #upload(type: GenerationType) {
    const name = `${type}.jpg`;
    return uploadOf(async () => createReadStream(join(this.#options.directory, name)), name);
  }
}
