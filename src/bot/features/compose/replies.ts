import { Composer, InlineKeyboard } from "grammy";
import { BoundedMap } from "../../../platform/bounded-map.js";
import type { PictureSize } from "../../../platform/picture-size.js";
import type { Draft } from "../../card/draft-store.js";
import { shapeOfRatio } from "../../card/form/auto-format.js";
import { chatPicture, resultPicture } from "../../card/form/picture-fields.js";
import { parseLinks } from "../../card/form/typed-value.js";
import { PictureRefusedError, type PictureShapes, type Pictures, pictureIn } from "../../card/pictures.js";
import { type BotContext, type Customer, textOf } from "../../context.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware.js";
import type { BotModules } from "../../modules.js";
import { jobIdOf } from "../../orders/delivery/outgoing-file.js";
import type { Order } from "../../orders/order.js";
import type { LastResult, OrderStore } from "../../orders/order-store.js";
import { buttonData, type DataOf, matching, natural } from "../../telegram/button-data.js";
import { isPrivate, replyTo, withoutBotName, withoutMention } from "../../telegram/place.js";
import { alertTap, answerTap, editOrIgnore } from "../../telegram/tap-answers.js";
import { cleanText, escapeHtml } from "../../texts/html.js";
import { openKind } from "./open-kind.js";

/** The words are in the message that the button's message replies to. */
const pictureData = buttonData("w", [matching("orderId", /^[A-Za-z0-9_-]{1,40}$/), natural("index")]);

/** The number of remembered offers of a copy, so that each person gets one for an order. */
const OFFERS_REMEMBERED = 1000;

/** Opens a card with the picture that a text replies to, and with that text. */
export function repliesFeature(bot: BotModules): Feature {
  const offered = new BoundedMap<string, true>(OFFERS_REMEMBERED);
  const composer = new Composer<BotContext>();
  composer.use(taps(pictureData, (ctx, data) => beginChange(ctx, data, bot)));
  composer.on("message", async (ctx, next) => {
    const said = cleanText(textOf(ctx) ?? "");
    if (said === "" || said.startsWith("/") || parseLinks(said)) return next();
    const replied = repliedPicture(ctx, bot.orders);
    if (!replied) return next();
    // People may discuss a result in a group.
    const inGroup = () => withoutMention(said, ctx.me.username) ?? (replied.isOwnResult ? said : undefined);
    const words = isPrivate(ctx) ? said : inGroup();
    if (replied.other && !words) {
      const { kind } = await bot.readIntent(said, { last: "image", isReply: true });
      // People talk about it.
      if (!["describe", "edit", "animate"].includes(kind)) return;
      const key = `${ctx.person.id}:${replied.other.order.id}`;
      if (offered.get(key)) return;
      offered.set(key, true);
      return offerCopy(ctx, replied.other);
    }
    if (!words) return next();
    const picture = await readablePicture(replied, ctx, bot);
    const { pictureMessages } = replied;
    await openKind(ctx, { type: "image", text: words, pictures: [picture], pictureMessages }, bot);
  });
  return { composer };
}

/** Draws the button that changes a picture with the words that its message replies to. */
export function changeButton(label: string, { order, index }: OrderRef) {
  return InlineKeyboard.text(label, pictureData.encode({ orderId: order.id, index }));
}

/** Says whose picture it is, and offers a copy with the sender's words. */
async function offerCopy(ctx: BotContext, { order, index }: OrderRef): Promise<void> {
  const { t } = ctx.language;
  await ctx.reply(t("picture-of-other", { name: escapeHtml(order.userName) }), {
    parse_mode: "HTML",
    reply_markup: new InlineKeyboard([[changeButton(t("button-copy"), { order, index })]]),
    ...replyTo(ctx.msgId),
  });
}

/** Opens a card of the person who wrote the words, with a picture of an order. */
async function beginChange(
  ctx: BotContext,
  { orderId, index }: DataOf<typeof pictureData>,
  bot: BotModules,
): Promise<void> {
  const said = await wordsOfTap(ctx);
  if (!said) return;
  const { t } = ctx.language;
  const order = bot.orders.find(orderId);
  const file = bot.orders.findDelivery(orderId)?.files.find((one) => one.index === index);
  if (!order || file?.fileId === undefined) return answerTap(ctx, t("tap-unknown"));
  // A picture of somebody else is taken where it was sent alone.
  const isHere = bot.orders.resultIn(ctx.chatId ?? 0, file.messageId)?.orderId === orderId;
  if (!isHere && order.userId !== ctx.person.id) return answerTap(ctx, t("tap-unknown"));
  const open = bot.drafts.composing(ctx.person.id, ctx.chatId);
  // A second tap, or the update of the first one again after a crash.
  if (open?.takenMessageId === said.messageId) return answerTap(ctx, t("start-card-open"));
  await answerTap(ctx);
  const text = cleanText(withoutBotName(ctx, said.text));
  await openChange(ctx, { order, file }, { ...said, text }, bot);
  await editOrIgnore(ctx.editMessageReplyMarkup());
}

/** Reads the words that the tapped message replies to. Refuses the tap where they are gone or those of somebody else. */
export async function wordsOfTap(ctx: BotContext): Promise<{ text: string; messageId: number } | undefined> {
  const { t } = ctx.language;
  const said = ctx.callbackQuery?.message?.reply_to_message;
  if (said?.text === undefined) await answerTap(ctx, t("tap-unknown"));
  else if (said.from?.id !== ctx.person.id) await alertTap(ctx, t("tap-not-yours"));
  else return { text: said.text, messageId: said.message_id };
  return undefined;
}

interface OrderRef {
  order: Order;
  index: number;
}

/** Finds the picture that a message replies to. */
export function repliedPicture({ message, person }: BotContext, orders: OrderStore) {
  const replied = message?.reply_to_message;
  if (!replied) return undefined;
  const result = orders.resultIn(replied.chat.id, replied.message_id);
  const order = result && orders.find(result.orderId);
  const isOwnResult = order?.userId === person.id && order.request.type === "image";
  const stored = isOwnResult && result ? [resultPicture(jobIdOf(order, result))] : [];
  const found = pictureIn(replied);
  const isShown = found.kind === "picture" && found.isLikely;
  // The copies of the picture, the preferred one first: the stored result, then Telegram's copy.
  const pictures = [...stored, ...(isShown ? [chatPicture(found.fileId)] : [])];
  if (pictures.length === 0) return undefined;
  const size = isShown ? found.size : undefined;
  const isOwnMessage = isShown && replied.from?.id === person.id;
  const sent = isOwnMessage && { picture: chatPicture(found.fileId), uniqueId: found.uniqueId };
  // The message that shows it, where the person may edit that.
  const pictureMessages: Draft["pictureMessages"] = sent ? { [replied.message_id]: sent } : {};
  const isOthers = order !== undefined && order.userId !== person.id && result !== undefined;
  const other = isOthers ? { order, index: result.index } : undefined;
  return { pictures, isOwnResult, size, pictureMessages, other };
}

/** Opens the card that a reply to the picture opens. That of somebody else is taken from the chat. */
export async function openChange(
  ctx: BotContext,
  { order, file }: LastResult,
  said: { text: string; messageId?: number },
  bot: BotModules,
): Promise<void> {
  const stored = order.userId === ctx.person.id ? [resultPicture(jobIdOf(order, file))] : [];
  const pictures = [...stored, chatPicture(file.fileId)];
  const size = shapeOfRatio(order.request.aspect_ratio);
  const picture = await readablePicture({ pictures, size }, ctx, bot);
  await openKind(ctx, { type: "image", ...said, pictures: [picture] }, bot);
}

/** Returns the first picture that can be read. Throws PictureRefusedError. */
export async function readablePicture(
  { pictures: choices, size }: { pictures: readonly string[]; size: PictureSize | number | undefined },
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
