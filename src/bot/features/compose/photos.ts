import { Composer, type Filter } from "grammy";
import type { GenerationType } from "../../../contract/model.js";
import { BoundedMap } from "../../../platform/bounded-map.js";
import { refusalText } from "../../card/card-words.js";
import { modelOf } from "../../card/draft-store.js";
import { askedOn, type MessageRefusal, takeMessage } from "../../card/form/apply-message.js";
import { fieldsOf } from "../../card/form/fields.js";
import { chatPicture, placePicture } from "../../card/form/picture-fields.js";
import { readCommand } from "../../card/form/typed-value.js";
import { PictureRefusedError, pictureIn, refusedPictureText } from "../../card/pictures.js";
import type { BotContext } from "../../context.js";
import { isAsked } from "../../dialogs.js";
import type { Feature } from "../../feature.js";
import type { BotModules } from "../../modules.js";
import { SeenAlbums } from "../../telegram/message-content.js";
import { isForBot, isPrivate, withoutMention } from "../../telegram/place.js";
import { cleanText } from "../../texts/html.js";
import { askSupport } from "../talk.js";
import { openKind } from "./open-kind.js";
import { addedTo } from "./text.js";

type MessageContext = Filter<BotContext, "message">;

interface Caption {
  type: GenerationType | undefined;
  words: string;
  isNew: boolean;
  isForSupport?: boolean;
  /** The words say more of what the open card describes. */
  isMore?: boolean;
}

/** A picture, with what its caption says. */
type PictureMessage = Extract<ReturnType<typeof pictureIn>, { kind: "picture" }> & Caption;

const ALBUMS_REMEMBERED = 1000;
const SUPPORT = /^\/(?:pay)?support(?:@\w+)?(?=\s|$)/;

/** Adds photos, albums and image files to the open card, or opens a new one. */
export function picturesFeature(bot: BotModules): Feature {
  const refused = new SeenAlbums();
  /** Albums whose first picture has words for support. The others have none. */
  const forSupport = new BoundedMap<string, true>(ALBUMS_REMEMBERED);
  const refuse = async (ctx: MessageContext, words: string) => {
    if (refused.isFirst(ctx.message)) await ctx.reply(words);
  };
  const composer = new Composer<BotContext>();
  composer.on("message", async (ctx, next) => {
    const found = pictureIn(ctx.message);
    const caption = found.kind === "none" ? undefined : await captionOf(ctx, bot);
    if (found.kind === "none" || !caption) return next();
    const album = ctx.message.media_group_id ?? "";
    if (isPrivate(ctx) && (caption.isForSupport || forSupport.get(album))) {
      if (album !== "") forSupport.set(album, true);
      return askSupport(ctx, bot);
    }
    if (found.kind === "too_large") return refuse(ctx, ctx.language.t("picture-too_large"));
    try {
      const refusal = await take(ctx, { ...caption, ...found }, bot);
      if (refusal) await refuse(ctx, refusalText(refusal, ctx.language));
    } catch (error) {
      if (!(error instanceof PictureRefusedError)) throw error;
      await refuse(ctx, refusedPictureText(ctx.message, error.fault, ctx.language));
    }
  });
  return { composer };
}

/** Reads the words of a picture, without the mention of the bot. Undefined when it is not addressed to the bot. */
async function captionOf(ctx: MessageContext, bot: BotModules): Promise<Caption | undefined> {
  const { caption: words = "", forward_origin: origin } = ctx.message;
  // What the bot wrote below a result says what it was and what it cost.
  const caption = origin?.type === "user" && origin.sender_user.id === ctx.me.id ? "" : words;
  const draft = bot.drafts.composing(ctx.person.id, ctx.chatId);
  const command = readCommand(caption);
  if (command.type !== undefined && (isPrivate(ctx) || isForBot(ctx.message, ctx.me)))
    return { ...command, isNew: true };
  if (isPrivate(ctx)) {
    const said = await saidAbout(caption, bot);
    return { ...said, isNew: said.type !== undefined && said.type !== draft?.type };
  }
  const named = withoutMention(caption, ctx.me.username);
  if (named !== undefined) return { ...(await saidAbout(named, bot)), isNew: true };
  const isAnswer = ctx.message.reply_to_message?.from?.id === ctx.me.id;
  // It comes here after the item of its album that speaks to the bot.
  const isRest = ctx.message.media_group_id !== undefined && caption === "";
  return (isAnswer || isRest) && draft
    ? { type: undefined, words: (await saidAbout(caption, bot)).words, isNew: false }
    : undefined;
}

/** Reads a caption. Where it describes nothing, the card asks what to do with the picture. */
async function saidAbout(caption: string, { readIntent }: BotModules) {
  const intent = await readIntent(cleanText(caption), { isReply: true });
  if (intent.kind === "describe" && intent.type !== undefined)
    return { type: intent.type, words: intent.text };
  const isDescription = intent.kind === "describe" || intent.kind === "edit";
  const isForSupport = intent.kind === "support" || SUPPORT.test(caption);
  const isMore = intent.kind === "edit";
  return { type: undefined, words: isDescription ? caption : "", isForSupport, isMore };
}

/** Publishes the picture first, which proves that it is readable. Throws PictureRefusedError. */
async function take(
  ctx: MessageContext,
  sent: PictureMessage,
  bot: BotModules,
): Promise<MessageRefusal | undefined> {
  const { drafts, cards, shapes } = bot;
  const open = drafts.composing(ctx.person.id, ctx.chatId);
  if (sent.isNew || !open) return openWith(ctx, sent, bot);
  if (!(await bot.moderation.allows([sent.words], "chat"))) return { kind: "content" };

  const models = await cards.models(ctx, open.type);
  const picture = chatPicture(sent.fileId);
  shapes.note(picture, sent.size);
  const model = modelOf(open, models);
  const fields = model && fieldsOf(model);
  const asked = isAsked(ctx) ? undefined : askedOn(open, model);
  const wanted = asked?.kind === "parameter" ? asked.field?.name : undefined;
  const place = fields && placePicture(fields, open.parameters, picture, wanted);
  if (place && place.kind !== "placed") return place;
  await bot.pictures.publish(ctx, sent.fileId);
  const given = {
    messageId: ctx.msgId,
    text: sent.isMore ? addedTo(open, sent.words) : sent.words,
    pictures: [picture],
    sent: { picture, uniqueId: sent.uniqueId },
    shape: shapes.of(picture),
    asked,
  };
  const outcome = await takeMessage(drafts, open.id, given, models);
  if (outcome.kind === "refused") return outcome.refusal;
  if (outcome.kind === "gone") return openWith(ctx, sent, bot);
  // An album is several updates: its card is sent after the last one.
  if (ctx.message.media_group_id === undefined) await cards.repost(outcome.draft, ctx);
  else cards.repostSoon(outcome.draft, ctx);
  return undefined;
}

async function openWith(
  ctx: MessageContext,
  { fileId, uniqueId, size, words, type }: PictureMessage,
  bot: BotModules,
): Promise<MessageRefusal | undefined> {
  const kind = type ?? "image";
  if ((await bot.cards.models(ctx, kind)).length === 0) return { kind: "kind_off", type: kind };
  await bot.pictures.publish(ctx, fileId);
  const picture = chatPicture(fileId);
  bot.shapes.note(picture, size);
  const pictureMessages = { [ctx.msgId]: { picture, uniqueId } };
  await openKind(ctx, { type: kind, text: words, pictures: [picture], pictureMessages }, bot);
  return undefined;
}
