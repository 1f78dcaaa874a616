import type { Api, InlineKeyboard, InputFile } from "grammy";
import type {
  InputMediaAudio,
  InputMediaDocument,
  InputMediaPhoto,
  InputMediaVideo,
  Message,
} from "grammy/types";
import type { JobId } from "../../../contract/job.js";
import { isCaptionTooLong, isTooLarge, isTopicGone, telegramFailure } from "../../telegram/failure.js";
import { inTopicOrGroup } from "../../telegram/topic.js";
import { UnreadableFileError, uploadOf } from "../../telegram/upload.js";
import type { ResultRef, SentAs, SentFile } from "../store/delivery.js";
import type { Order } from "../store/order.js";
import { openFiles } from "./open-files.js";
import {
  asDocuments,
  isNew,
  type NewFile,
  type OutgoingFile,
  uploadBytesMax,
  uploadName,
} from "./outgoing-file.js";
import { thumbnailOf } from "./thumbnail.js";

type AlbumItem = InputMediaPhoto | InputMediaVideo | InputMediaAudio | InputMediaDocument;

export interface FileBatch {
  order: Pick<Order, "chatId" | "threadId" | "modelTitle">;
  /** One to ten files of one kind. */
  files: readonly OutgoingFile[];
  caption: string | undefined;
  /** Telegram allows buttons under a single file only. */
  keyboard: InlineKeyboard | undefined;
}

/** Sends files of results: what was made, originals, and what Telegram has already. */
export class FileSender {
  readonly #api: Api;
  readonly #requestBytesMax: number;

  constructor(api: Api, requestBytesMax: number) {
    this.#api = api;
    this.#requestBytesMax = requestBytesMax;
  }

  /**
   * Sends a refused photo, video or audio as a document, and without its caption what has too long a one. A
   * rejected album may have arrived in part.
   */
  async send(batch: FileBatch): Promise<SentFile[]> {
    try {
      return await this.#sendInForm(batch);
    } catch (error) {
      if (batch.caption === undefined || !isCaptionTooLong(error)) throw error;
      return this.#sendInForm({ ...batch, caption: undefined });
    }
  }

  async #sendInForm(batch: FileBatch): Promise<SentFile[]> {
    try {
      return await this.#sendAsIs(batch);
    } catch (error) {
      const files = batch.files.filter(isNew);
      // What Telegram has keeps its form.
      const isPlain = batch.files.every(({ as }) => as === "document") || files.length < batch.files.length;
      if (isPlain || isTooLarge(error) || isTopicGone(error) || isCaptionTooLong(error)) throw error;
      if (telegramFailure(error).kind !== "refused") throw error;
      return this.#sendAsDocuments(batch, files);
    }
  }

  async #sendAsDocuments(batch: FileBatch, files: readonly NewFile[]): Promise<SentFile[]> {
    const documents = await openFiles(asDocuments(files, this.#requestBytesMax), this.#requestBytesMax);
    try {
      // The next try finds out which ones are gone.
      if (documents.undeliverable.length > 0) throw new UnreadableFileError("gone between two tries");
      return await this.#sendAsIs({ ...batch, files: documents.files });
    } finally {
      documents.close();
    }
  }

  async #sendAsIs(batch: FileBatch): Promise<SentFile[]> {
    const { files, order } = batch;
    const messages = await inTopicOrGroup(order.threadId, (place) =>
      files.length === 1 ? this.#sendOne(batch, place) : this.#sendAlbum(batch, place),
    );
    return messages.flatMap((message, place) => {
      const file = files[place];
      return file ? [sentFile(message, file)] : [];
    });
  }

  async #sendOne(batch: FileBatch, place: object): Promise<Message[]> {
    const { order, caption, keyboard, files } = batch;
    const [file] = files;
    if (!file) return [];
    const { type, media, ...facts } = await itemOf(order, file, this.#requestBytesMax);
    const options = {
      ...place,
      ...facts,
      ...captionOptions(caption),
      ...(keyboard && { reply_markup: keyboard }),
    };
    switch (type) {
      case "photo":
        return [await this.#api.sendPhoto(order.chatId, media, options)];
      case "video":
        return [await this.#api.sendVideo(order.chatId, media, options)];
      case "audio":
        return [await this.#api.sendAudio(order.chatId, media, options)];
      case "document":
        return [await this.#api.sendDocument(order.chatId, media, options)];
    }
  }

  async #sendAlbum(batch: FileBatch, place: object): Promise<Message[]> {
    const { order, files, caption } = batch;
    const items = await Promise.all(files.map((file) => itemOf(order, file, this.#requestBytesMax)));
    // Telegram shows audio above its caption, so the last track carries the caption.
    const captioned = files[0]?.as === "audio" ? items.length - 1 : 0;
    const media = items.map((item, at) =>
      at === captioned ? { ...item, ...captionOptions(caption) } : item,
    );
    // The grammY types require one kind per album, which `FileBatch` guarantees.
    return this.#api.sendMediaGroup(order.chatId, media as InputMediaPhoto[], place);
  }
}

function captionOptions(caption: string | undefined): { caption?: string; parse_mode?: "HTML" } {
  return caption === undefined ? {} : { caption, parse_mode: "HTML" };
}

async function itemOf(
  { modelTitle }: FileBatch["order"],
  file: OutgoingFile,
  requestBytesMax: number,
): Promise<AlbumItem & { media: InputFile | string }> {
  if ("fileId" in file) return { type: file.as, media: file.fileId };
  const bytesMax = uploadBytesMax(file, requestBytesMax);
  const media = uploadOf(async () => (await file.open()).stream, uploadName(file), bytesMax);
  const thumbnail = file.cover && (await thumbnailOf(file.cover));
  const cover = thumbnail && { thumbnail };
  const { width, height } = file;
  const sides = width !== undefined && height !== undefined && { width, height };
  const duration = file.durationSec !== undefined && { duration: Math.round(file.durationSec) };
  switch (file.as) {
    case "photo":
      return { type: "photo", media };
    case "video":
      return { type: "video", media, supports_streaming: true, ...sides, ...duration, ...cover };
    case "audio": {
      const { title } = file;
      return {
        type: "audio",
        media,
        performer: modelTitle,
        ...(title !== undefined && { title }),
        ...duration,
        ...cover,
      };
    }
    case "document":
      return { type: "document", media, disable_content_type_detection: true, ...cover };
  }
}

export function jobIdOf(order: Order, { index }: ResultRef): JobId {
  const id = order.jobIds[index];
  if (id === undefined) throw new Error(`order ${order.id} has no job ${index}`);
  return id;
}

export function sentFile(message: Message, { index, track }: ResultRef): SentFile {
  const { photo, video, animation, audio, document, sticker } = message;
  const forms: [SentAs, { file_id: string } | undefined][] = [
    ["photo", photo?.at(-1)],
    // Telegram may turn a silent video into an animation, which also has `document`.
    ["video", video ?? animation],
    ["audio", audio],
    ["document", document ?? sticker],
  ];
  const [as, file] = forms.find(([, one]) => one !== undefined) ?? ["document", undefined];
  return { index, track, messageId: message.message_id, fileId: file?.file_id ?? "", as };
}
