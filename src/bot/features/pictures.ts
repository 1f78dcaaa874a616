import type { GenerationType } from "../../contract/model.js";
import { type BotContext, isPrivate, placeOf } from "../context.js";
import type { Draft } from "../create/draft.js";
import { refusalText } from "../create/need-text.js";
import { pictureIn } from "../create/picture-in.js";
import { chatPicture, placePicture } from "../create/picture-slots.js";
import { PictureRefused } from "../create/pictures.js";
import { askedControl, heldBack, modelOf, type Refusal, takeMessage } from "../create/take-message.js";
import { cleanText } from "../html.js";
import { AlbumsTold } from "./albums-told.js";
import { openImageCard } from "./answer.js";
import { readCommand } from "./compose.js";
import type { Feature, FeatureParts } from "./feature.js";
import { withoutMention } from "./mention.js";

/** What a message with a picture asks for. */
interface Wish {
  fileId: string;
  /** The caption without a command and without the bot's name. */
  words: string;
  /** The type of card that its command opens. */
  type: GenerationType | undefined;
  isNew: boolean;
}

/**
 * Photos, albums and pictures sent as files: references and frames of the card that is open in the chat, or of
 * a new one. In a group the bot takes those that answer it or name it.
 */
export const pictures: Feature = {
  name: "pictures",
  build(parts) {
    const refused = new AlbumsTold();
    /** Says why a picture was not taken, once for an album. */
    const refuse = async (ctx: BotContext, words: string) => {
      if (ctx.message && refused.isFirst(ctx.message)) await ctx.reply(words);
    };
    const takeOrRefuse = async (ctx: BotContext, wish: Wish) => {
      try {
        const refusal = await take(ctx, wish, parts);
        if (refusal) await refuse(ctx, refusalText(refusal, ctx.language));
      } catch (error) {
        if (!(error instanceof PictureRefused)) throw error;
        await refuse(ctx, ctx.language.t(`picture-${error.fault}`));
      }
    };
    return {
      message(ctx) {
        const found = pictureIn(ctx.message);
        const wish = found.kind === "none" ? undefined : wishOf(ctx, parts);
        if (found.kind === "none" || !wish) return undefined;
        const { t } = ctx.language;
        if (found.kind === "too_large") return refuse(ctx, t("picture-too_large"));
        if (found.kind === "wrong_type") return refuse(ctx, t("picture-not_picture"));
        return takeOrRefuse(ctx, { ...wish, fileId: found.fileId });
      },
    };
  },
};

/** Undefined for a picture that was not meant for the bot. */
function wishOf(ctx: BotContext, { drafts }: FeatureParts): Omit<Wish, "fileId"> | undefined {
  const caption = ctx.message?.caption ?? "";
  if (isPrivate(ctx)) {
    const { type, words } = readCommand(caption);
    return { type, words, isNew: type !== undefined };
  }
  const named = withoutMention(caption, ctx.me.username);
  if (named !== undefined) return { type: undefined, words: named, isNew: true };
  const isAnswer = ctx.message?.reply_to_message?.from?.id === ctx.me.id;
  const draft = ctx.chatId === undefined ? undefined : drafts.composing(ctx.person.id, ctx.chatId);
  return isAnswer && draft ? { type: undefined, words: caption, isNew: false } : undefined;
}

/**
 * Takes a picture into the open card or a new one. It is published first, which shows that it can be read.
 * @throws PictureRefused
 */
async function take(ctx: BotContext, wish: Wish, parts: FeatureParts): Promise<Refusal | undefined> {
  const { drafts, cards } = parts;
  const open = ctx.chatId === undefined ? undefined : drafts.composing(ctx.person.id, ctx.chatId);
  if (wish.isNew || !open) return void (await openWith(ctx, wish, parts));

  const models = await cards.models(ctx.person, open.type);
  const picture = chatPicture(wish.fileId);
  const model = modelOf(open, models);
  const place = model && placePicture(model, open.parameters, picture, askedControl(open, model)?.name);
  // Without a place for it there is no need to fetch it.
  if (place && place.kind !== "placed") return place;
  await parts.pictures.publish(ctx.person, wish.fileId);
  const given = { messageId: ctx.msgId ?? 0, text: wish.words, pictures: [picture] };
  const outcome = await takeMessage(drafts, open.id, given, models);
  if (outcome.kind === "refused") return outcome.refusal;
  if (outcome.kind === "gone") return void (await openWith(ctx, wish, parts));
  await show(ctx, outcome.draft, parts);
  return undefined;
}

/** An album is several updates: its card comes once they have all been taken. */
async function show(ctx: BotContext, draft: Draft, { cards }: FeatureParts): Promise<void> {
  if (ctx.message?.media_group_id === undefined) await cards.repost(draft, ctx.person);
  else cards.repostSoon(draft, ctx.person);
}

async function openWith(ctx: BotContext, { fileId, words, type }: Wish, parts: FeatureParts): Promise<void> {
  await parts.pictures.publish(ctx.person, fileId);
  const pictures = [chatPicture(fileId)];
  const place = placeOf(ctx);
  if (type === undefined || !place) return void (await openImageCard(ctx, { text: words, pictures }, parts));
  const prompt = cleanText(words);
  const messageId = ctx.msgId ?? 0;
  const opening = { type, messageId, parameters: heldBack({}, pictures) };
  await parts.cards.open(ctx.person, place, prompt ? { ...opening, prompt } : opening);
}
