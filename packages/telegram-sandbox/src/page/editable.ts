import type { TelegramMessage } from "@gramio/types";

/** True for a person's own message with words, or with media that has a caption. */
export function isEditable(message: TelegramMessage, person: number): boolean {
  const { text, photo, video, animation, audio, document, voice } = message;
  const hasWords = (text ?? photo ?? video ?? animation ?? audio ?? document ?? voice) !== undefined;
  return message.from?.id === person && message.forward_origin === undefined && hasWords;
}
