import type { Readable } from "node:stream";
import { type Api, type InlineKeyboard, InputFile } from "grammy";
import type {
  InputMediaAudio,
  InputMediaDocument,
  InputMediaPhoto,
  InputMediaVideo,
  Message,
} from "grammy/types";
import { isJobNotFound } from "../../../contract/errors.js";
import { pictureSizeOf } from "../../../platform/picture-size.js";
import { mapAtOnce } from "../../../platform/slots.js";
import type { OpenedFile, ResultFile } from "../../../ports/gateway.js";
import { isCaptionTooLong, isTooLarge, isTopicGone, telegramFailure } from "../../telegram/failure.js";
import { UnreadableFileError, uploadOf } from "../../telegram/files.js";
import { inTopicOrGroup } from "../../telegram/place.js";
import type { Order } from "../order.js";
import type { ResultRef, SentAs, SentFile } from "../order-store.js";
import {
  asDocument,
  asDocuments,
  isNew,
  isUndeliverable,
  isUploadable,
  type NewFile,
  type OutgoingFile,
  type UndeliverableFile,
  undeliverable,
  uploadBytesMax,
  uploadName,
  withOpenedFacts,
} from "./outgoing-file.js";

const OPENED_AT_ONCE = 4;

/**
 * Opens files that are about to be sent. Each is read from the stream that is open, and opened anew for a further try.
 * What is not read is ended by `close`.
 * @param isGivenUp judges a file once its size is known
 * @throws what opening a file fails with, unless it no longer exists
 */
export async function openFiles(
  files: readonly NewFile[],
  requestBytesMax: number,
  isGivenUp: (file: NewFile) => boolean = () => false,
) {
  const opened: OpenedFile[] = [];
  const close = () => {
    for (const { stream } of opened) stream.destroy();
  };
  const open = async (file: NewFile): Promise<NewFile | UndeliverableFile> => {
    const first = await file.open().catch((error: unknown) => {
      if (!isJobNotFound(error)) throw error;
      return undefined;
    });
    if (!first)
      return file.result ? open(asDocument(file.result, requestBytesMax)) : undeliverable(file, "gone");
    opened.push(first);
    const known = { ...withOpenedFacts(file, first), open: startingWith(first, file.open) };
    // What a photo would spoil is sent in the format that it was made in.
    if (known.as === "document" && file.as !== "document" && file.original) {
      first.stream.destroy();
      return open(asDocument(known, requestBytesMax));
    }
    const isTooLarge = !isUploadable(known, requestBytesMax);
    if (!isTooLarge && !isGivenUp(known)) return known;
    first.stream.destroy();
    return undeliverable(known, isTooLarge ? "too_large" : "not_taken");
  };
  try {
    const found = await mapAtOnce(OPENED_AT_ONCE, files, open);
    return {
      files: found.filter((file): file is NewFile => !isUndeliverable(file)),
      undeliverable: found.filter(isUndeliverable),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

function startingWith(first: OpenedFile, open: ResultFile["open"]): ResultFile["open"] {
  let unread: OpenedFile | undefined = first;
  return async () => {
    const file = unread ?? (await open());
    unread = undefined;
    return file;
  };
}

/** Telegram's limits for a thumbnail: JPEG, less than 200 kB, at most 320 × 320 pixels. */
const BYTES_MAX = 200_000;
const SIDE_MAX = 320;

/** Makes a thumbnail. Undefined when the cover is not usable. Never rejects, so that delivery does not fail. */
export async function thumbnailOf(cover: ResultFile): Promise<InputFile | undefined> {
  try {
    if (cover.mime !== "image/jpeg" || (cover.size ?? 0) > BYTES_MAX) return undefined;
    const bytes = await readSmall((await cover.open()).stream);
    const size = bytes && pictureSizeOf(bytes);
    const isSmall = size && Math.max(size.width, size.height) <= SIDE_MAX;
    return isSmall ? new InputFile(bytes, "cover.jpg") : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a small file. Undefined for what is larger than a thumbnail. Ends the stream. */
async function readSmall(stream: Readable): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length;
    // Leaving the loop destroys the stream.
    if (length > BYTES_MAX) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type AlbumItem = InputMediaPhoto | InputMediaVideo | InputMediaAudio | InputMediaDocument;

interface FileBatch {
  order: Pick<Order, "chatId" | "threadId" | "modelTitle">;
  /** One to ten files of one kind. */
  files: readonly OutgoingFile[];
  caption: string | undefined;
  /** Telegram allows buttons under a single file only. */
  keyboard: InlineKeyboard | undefined;
}

export class FileSender {
  constructor(
    private readonly api: Api,
    private readonly requestBytesMax: number,
  ) {}

  /**
   * Sends a refused photo, video or audio as a document, and without its caption what has too long a one. A
   * rejected album may have arrived in part.
   */
  async send(batch: FileBatch): Promise<SentFile[]> {
    try {
      return await this.#sendAsIs(batch);
    } catch (error) {
      if (batch.caption !== undefined && isCaptionTooLong(error))
        return this.send({ ...batch, caption: undefined });
      const files = batch.files.filter(isNew);
      // What Telegram has keeps its form.
      const isPlain = batch.files.every(({ as }) => as === "document") || files.length < batch.files.length;
      if (isPlain || isTooLarge(error) || isTopicGone(error)) throw error;
      if (telegramFailure(error).kind !== "refused") throw error;
      return this.#sendAsDocuments(batch, files);
    }
  }

  async #sendAsDocuments(batch: FileBatch, files: readonly NewFile[]): Promise<SentFile[]> {
    const documents = await openFiles(asDocuments(files, this.requestBytesMax), this.requestBytesMax);
    try {
      // The next try finds out which ones are gone.
      if (documents.undeliverable.length > 0) throw new UnreadableFileError("gone between two tries");
      return await this.send({ ...batch, files: documents.files });
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
    const { type, media, ...facts } = await itemOf(order, file, this.requestBytesMax);
    const options = {
      ...place,
      ...facts,
      ...captionOptions(caption),
      ...(keyboard && { reply_markup: keyboard }),
    };
    switch (type) {
      case "photo":
        return [await this.api.sendPhoto(order.chatId, media, options)];
      case "video":
        return [await this.api.sendVideo(order.chatId, media, options)];
      case "audio":
        return [await this.api.sendAudio(order.chatId, media, options)];
      case "document":
        return [await this.api.sendDocument(order.chatId, media, options)];
    }
  }

  async #sendAlbum(batch: FileBatch, place: object): Promise<Message[]> {
    const { order, files, caption } = batch;
    const items = await Promise.all(files.map((file) => itemOf(order, file, this.requestBytesMax)));
    // Telegram shows audio above its caption, so the last track carries the caption.
    const captioned = files[0]?.as === "audio" ? items.length - 1 : 0;
    const media = items.map((item, at) =>
      at === captioned ? { ...item, ...captionOptions(caption) } : item,
    );
    // The grammY types require one kind per album, which `FileBatch` guarantees.
    return this.api.sendMediaGroup(order.chatId, media as InputMediaPhoto[], place);
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
