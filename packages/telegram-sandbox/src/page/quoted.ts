import type { TelegramMessage } from "@gramio/types";
import { fileUrl } from "./api.js";
import { element } from "./dom.js";
import { fullName } from "./format.js";
import type { Words } from "./words/words.js";

/** One line that stands for a message in a quote: its text, or what it carries. */
export function summary(message: TelegramMessage, words: Words): string {
  const text = message.text ?? message.caption;
  if (text) return text.replaceAll(/\s+/gu, " ");
  if (message.photo) return words.photo;
  if (message.video) return words.video;
  if (message.animation) return "GIF";
  if (message.audio)
    return [message.audio.performer, message.audio.title].filter(Boolean).join(" – ") || words.audio;
  if (message.voice) return words.voice;
  if (message.sticker) return `${message.sticker.emoji ?? ""} ${words.sticker}`.trim();
  if (message.document) return message.document.file_name ?? words.file;
  return message.from ? words.messageOf(fullName(message.from)) : words.message;
}

/** The file of the small picture of a quoted message, where it has one. */
export function thumbnailId({ photo, video, animation, document, audio }: TelegramMessage) {
  const file = photo?.[0] ?? [video, animation, document, audio].find((one) => one?.thumbnail)?.thumbnail;
  return file?.file_id;
}

/** The small picture beside a quote; nothing for a message without one. */
export function thumbnail(message: TelegramMessage): HTMLElement[] {
  const id = thumbnailId(message);
  return id === undefined ? [] : [element("img", { class: "quote-thumbnail", src: fileUrl(id), alt: "" })];
}
