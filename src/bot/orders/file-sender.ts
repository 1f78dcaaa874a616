import type { Api, InlineKeyboard, InputFile } from "grammy";
import type {
  InputMediaAudio,
  InputMediaDocument,
  InputMediaPhoto,
  InputMediaVideo,
  Message,
} from "grammy/types";
import type { Gateway } from "../../contract/gateway.js";
import type { JobId } from "../../contract/job.js";
import { isTopicGone, telegramFailure } from "../telegram/failure.js";
import { inTopicOrGroup } from "../telegram/topic.js";
import { uploadOf } from "../telegram/upload.js";
import type { SentFile } from "./deliveries.js";
import type { Order } from "./order.js";
import type { Outgoing, Part, SentAs } from "./outgoing.js";
import { thumbnailOf } from "./thumbnail.js";

type AlbumItem = InputMediaPhoto | InputMediaVideo | InputMediaAudio | InputMediaDocument;

/** Files that one call sends, and what is said with them. */
export interface Parcel {
  order: Order;
  gateway: Gateway;
  /** One or more files of one kind, at most ten. */
  files: readonly Outgoing[];
  /** HTML */
  caption: string | undefined;
  /** Only a single file can carry buttons. */
  keyboard: InlineKeyboard | undefined;
}

/** Puts files into a chat, each as what it is: as a photo, a video, music or a document. */
export class FileSender {
  readonly #api: Api;

  constructor(api: Api) {
    this.#api = api;
  }

  /**
   * Sends a single file, or several as an album. What Telegram refuses as a photo, a video or music is sent as a
   * document before anybody gives up.
   * @throws what grammY throws; nothing of the parcel is in the chat then, as far as Telegram says
   */
  async send(parcel: Parcel): Promise<SentFile[]> {
    try {
      return await this.#sendAsIs(parcel);
    } catch (error) {
      const isPlain = parcel.files.every(({ as }) => as === "document");
      if (isPlain || isTopicGone(error) || telegramFailure(error).kind !== "refused") throw error;
      const files = parcel.files.map((file) => ({ ...file, as: "document" as const }));
      return this.#sendAsIs({ ...parcel, files });
    }
  }

  async #sendAsIs(parcel: Parcel): Promise<SentFile[]> {
    const { files, order } = parcel;
    const messages = await inTopicOrGroup(order.threadId, (place) =>
      files.length === 1 ? this.#sendOne(parcel, place) : this.#sendAlbum(parcel, place),
    );
    return messages.flatMap((message, place) => {
      const file = files[place];
      return file ? [sentFile(message, file)] : [];
    });
  }

  async #sendOne(parcel: Parcel, place: object): Promise<Message[]> {
    const { order, caption, keyboard, files } = parcel;
    const [file] = files;
    if (!file) return [];
    const { type, media, ...facts } = await itemOf(parcel, file);
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

  async #sendAlbum(parcel: Parcel, place: object): Promise<Message[]> {
    const { order, files, caption } = parcel;
    const items = await Promise.all(files.map((file) => itemOf(parcel, file)));
    // Each track stands above its own caption: under the last one it closes the album.
    const captioned = files[0]?.as === "audio" ? items.length - 1 : 0;
    const media = items.map((item, at) =>
      at === captioned ? { ...item, ...captionOptions(caption) } : item,
    );
    // The types ask for one kind throughout, which a parcel has.
    return this.#api.sendMediaGroup(order.chatId, media as InputMediaPhoto[], place);
  }
}

function captionOptions(caption: string | undefined): { caption?: string; parse_mode?: "HTML" } {
  return caption === undefined ? {} : { caption, parse_mode: "HTML" };
}

/** A file with everything that Telegram should know of it: it looks into none by itself. */
async function itemOf({ order, gateway }: Parcel, file: Outgoing): Promise<AlbumItem & { media: InputFile }> {
  const id = jobIdOf(order, file);
  const media = uploadOf(async () => (await gateway.openResult(id, file.track)).stream, file.fileName);
  const thumbnail = order.request.type === "music" ? await thumbnailOf(gateway, id, file.track) : undefined;
  const cover = thumbnail && { thumbnail };
  const { width, height } = file;
  const sides = width !== undefined && height !== undefined && { width, height };
  const duration = file.durationSec !== undefined && { duration: Math.round(file.durationSec) };
  switch (file.as) {
    case "photo":
      return { type: "photo", media };
    case "video":
      return { type: "video", media, supports_streaming: true, ...sides, ...duration };
    case "audio": {
      const { title } = file;
      return {
        type: "audio",
        media,
        performer: order.modelTitle,
        ...(title !== undefined && { title }),
        ...duration,
        ...cover,
      };
    }
    case "document":
      return { type: "document", media, disable_content_type_detection: true, ...cover };
  }
}

/** The job that made a file of an order. */
export function jobIdOf(order: Order, { index }: Part): JobId {
  const id = order.jobIds[index];
  if (id === undefined) throw new Error(`order ${order.id} has no job ${index}`);
  return id;
}

/** What a file has become: Telegram may make something else of it than was asked for. */
export function sentFile(message: Message, { index, track }: Part): SentFile {
  const { photo, video, animation, audio, document, sticker } = message;
  const forms: [SentAs, { file_id: string } | undefined][] = [
    ["photo", photo?.at(-1)],
    // A video without sound may be made an animation, which is a document too.
    ["video", video ?? animation],
    ["audio", audio],
    ["document", document ?? sticker],
  ];
  const [as, file] = forms.find(([, one]) => one !== undefined) ?? ["document", undefined];
  return { index, track, messageId: message.message_id, fileId: file?.file_id ?? "", as };
}
