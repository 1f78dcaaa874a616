import type { BotContext } from "../context.js";
import { chatPicture, resultPicture } from "../form/picture-fields.js";
import { jobIdOf } from "../orders/delivery/file-sender.js";
import type { OrderStore } from "../orders/store/order-store.js";
import { pictureIn } from "./find-picture.js";
import { PictureRefusedError, type Pictures } from "./pictures.js";

/** The picture in the message that a message replies to. */
export interface RepliedPicture {
  /** In the order of preference: the stored result, then what Telegram keeps of it. */
  pictures: readonly string[];
  /** A result of an order of the person. */
  isOwnResult: boolean;
}

export function repliedPicture(
  { message, person }: BotContext,
  orders: OrderStore,
): RepliedPicture | undefined {
  const replied = message?.reply_to_message;
  if (!replied) return undefined;
  const result = orders.resultIn(replied.chat.id, replied.message_id);
  const order = result && orders.find(result.orderId);
  const isOwnResult = order?.userId === person.id && order.request.type === "image";
  const stored = isOwnResult && result ? [resultPicture(jobIdOf(order, result))] : [];
  const found = pictureIn(replied);
  const pictures = [...stored, ...(found.kind === "picture" ? [chatPicture(found.fileId)] : [])];
  return pictures.length > 0 ? { pictures, isOwnResult } : undefined;
}

/**
 * The first that can be read.
 * @throws PictureRefusedError
 */
export async function readablePicture(
  { pictures: choices }: RepliedPicture,
  { person }: BotContext,
  pictures: Pictures,
): Promise<string> {
  let refused = new PictureRefusedError("gone");
  for (const picture of choices) {
    try {
      await pictures.linkTo(person, picture);
      return picture;
    } catch (error) {
      if (!(error instanceof PictureRefusedError)) throw error;
      refused = error;
    }
  }
  throw refused;
}
