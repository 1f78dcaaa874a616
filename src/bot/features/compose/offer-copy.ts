import { InlineKeyboard } from "grammy";
import { chatPicture } from "../../card/form/picture-fields.js";
import type { Pictures } from "../../card/pictures/pictures.js";
import type { BotContext } from "../../context.js";
import type { OrderStore } from "../../orders/store/order-store.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { escapeHtml } from "../../texts/html.js";
import { type CopyData, copyData } from "./copy-data.js";
import { type CardDeps, openKind } from "./open-kind.js";
import type { OrderRef } from "./replied-picture.js";

export interface RepliesDeps extends CardDeps {
  orders: OrderStore;
  pictures: Pictures;
}

/** Says whose picture it is, and offers a copy with the sender's words. */
export async function offerCopy(ctx: BotContext, { order, index }: OrderRef): Promise<void> {
  const { t } = ctx.language;
  const keyboard = new InlineKeyboard().text(t("button-copy"), copyData.encode({ orderId: order.id, index }));
  await ctx.reply(t("picture-of-other", { name: escapeHtml(order.userName) }), {
    parse_mode: "HTML",
    reply_markup: keyboard,
    ...(ctx.msgId !== undefined && {
      reply_parameters: { message_id: ctx.msgId, allow_sending_without_reply: true },
    }),
  });
}

/** Opens a card of the person who wrote the words, with the copy of the picture that the chat has. */
export async function beginCopy(
  ctx: BotContext,
  { orderId, index }: CopyData,
  deps: RepliesDeps,
): Promise<void> {
  const { t } = ctx.language;
  const said = ctx.callbackQuery?.message?.reply_to_message;
  const file = deps.orders.findDelivery(orderId)?.files.find((one) => one.index === index);
  if (file?.fileId === undefined || said?.text === undefined) return answerTap(ctx, t("tap-unknown"));
  if (said.from?.id !== ctx.person.id) return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
  const picture = chatPicture(file.fileId);
  await answerTap(ctx);
  await deps.pictures.linkTo(ctx, picture);
  await editOrIgnore(ctx.editMessageReplyMarkup());
  await openKind(ctx, { type: "image", text: said.text, pictures: [picture] }, deps);
}
