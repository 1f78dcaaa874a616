import type { Draft } from "../../card/draft/draft.js";
import { chatPicture, resultPicture } from "../../card/form/picture-fields.js";
import { type PictureSize, pictureIn } from "../../card/pictures/find-picture.js";
import type { PictureShapes } from "../../card/pictures/picture-shapes.js";
import { PictureRefusedError, type Pictures } from "../../card/pictures/pictures.js";
import type { BotContext, Customer } from "../../context.js";
import { jobIdOf } from "../../orders/delivery/file-sender.js";
import type { Order } from "../../orders/store/order.js";
import type { OrderStore } from "../../orders/store/order-store.js";

export interface RepliedPicture {
  /** The copies of the picture, the preferred one first: the stored result, then Telegram's copy. */
  pictures: readonly string[];
  isOwnResult: boolean;
  size: PictureSize | undefined;
  /** The message that shows it, where the person may edit that. */
  pictureMessages: Draft["pictureMessages"];
  /** Set for a picture that the bot made for somebody else. */
  other?: OrderRef;
}

export interface OrderRef {
  order: Order;
  index: number;
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
  const isShown = found.kind === "picture" && found.isLikely;
  const pictures = [...stored, ...(isShown ? [chatPicture(found.fileId)] : [])];
  if (pictures.length === 0) return undefined;
  const size = isShown ? found.size : undefined;
  const isOwnMessage = isShown && replied.from?.id === person.id;
  const sent = isOwnMessage && { picture: chatPicture(found.fileId), uniqueId: found.uniqueId };
  const pictureMessages = sent ? { [replied.message_id]: sent } : {};
  const isOthers = order !== undefined && order.userId !== person.id && result !== undefined;
  return {
    pictures,
    isOwnResult,
    size,
    pictureMessages,
    ...(isOthers && { other: { order, index: result.index } }),
  };
}

/** Returns the first picture that can be read. Throws PictureRefusedError. */
export async function readablePicture(
  { pictures: choices, size }: RepliedPicture,
  customer: Customer,
  { pictures, shapes }: { pictures: Pictures; shapes: PictureShapes },
): Promise<string> {
  let refused = new PictureRefusedError("gone");
  for (const picture of choices) {
    try {
      await pictures.linkTo(customer, picture);
      shapes.note(picture, size);
      return picture;
    } catch (error) {
      if (!(error instanceof PictureRefusedError)) throw error;
      refused = error;
    }
  }
  throw refused;
}
