import { Composer, type Filter } from "grammy";
import { refusalText } from "../../card/card-words.js";
import type { Draft } from "../../card/draft-store.js";
import { type Edited, isMadeOf, takeEdit } from "../../card/form/apply-message.js";
import { mainTextOf } from "../../card/form/fields.js";
import { chatPicture } from "../../card/form/picture-fields.js";
import { readCommand } from "../../card/form/typed-value.js";
import { PictureRefusedError, pictureIn, refusedPictureText } from "../../card/pictures.js";
import { type BotContext, textOf } from "../../context.js";
import type { Feature } from "../../feature.js";
import type { BotModules } from "../../modules.js";
import { withoutBotName } from "../../telegram/place.js";
import { cleanText } from "../../texts/html.js";
import { unreadableKey } from "../unhandled.js";

type EditContext = Filter<BotContext, "edited_message">;

/** Applies edits of messages to the open card: other words, and another picture in the place of the old one. */
export function editsFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  composer.on("edited_message", (ctx) => correct(ctx, bot));
  return { composer };
}

async function correct(ctx: EditContext, bot: BotModules): Promise<void> {
  const { drafts, cards } = bot;
  const draft = drafts.composing(ctx.person.id, ctx.chatId);
  const messageId = ctx.longText?.messageId ?? ctx.msgId;
  const { text, type, isCommand } = await wordsOf(ctx, bot);
  if (!draft || !isMadeOf(draft, messageId)) return tellIfOrdered(ctx, { messageId, text }, bot);
  if (isCommand || (type !== undefined && type !== draft.type))
    return void (await ctx.reply(ctx.language.t("edit-other")));
  if (!(await bot.moderation.allows([text], "chat")))
    return void (await ctx.reply(refusalText({ kind: "content" }, ctx.language)));
  const before = draft.pictureMessages[messageId];
  const sent = await sentOf(ctx, before, bot);
  if (sent === "refused") return;
  const models = await cards.models(ctx, draft.type);
  const outcome = await takeEdit(drafts, draft.id, { messageId, text, ...(sent && { sent }) }, models);
  if (outcome.kind === "refused") await ctx.reply(refusalText(outcome.refusal, ctx.language));
  if (outcome.kind !== "taken") return;
  await cards.refresh(outcome.draft, ctx);
}

async function wordsOf(ctx: EditContext, { readIntent }: BotModules) {
  const said = readCommand(textOf(ctx) ?? ctx.editedMessage.caption ?? "");
  const own = withoutBotName(ctx, said.words);
  const intent = await readIntent(own, { isReply: true });
  const asked = intent.kind === "describe" ? intent : undefined;
  const isCommand = own.startsWith("/") || (said.type === undefined && intent.kind === "command");
  return { text: asked?.text || own, type: said.type ?? asked?.type, isCommand };
}

/** Reads the picture of the message, and publishes another one than before, which proves that it is readable. */
async function sentOf(
  ctx: EditContext,
  before: Draft["pictureMessages"][string] | undefined,
  { pictures, shapes }: BotModules,
): Promise<Edited["sent"] | "refused"> {
  const { editedMessage: message, language } = ctx;
  const found = pictureIn(message);
  if (found.kind === "none" && !before) return undefined;
  if (found.kind === "none") return refuse(ctx, language.t(unreadableKey(message) ?? "picture-not_picture"));
  if (found.kind === "too_large") return refuse(ctx, language.t("picture-too_large"));
  const picture = chatPicture(found.fileId);
  const sent = { picture, uniqueId: found.uniqueId };
  if (before?.uniqueId === found.uniqueId) return { ...sent, shape: undefined };
  try {
    await pictures.publish(ctx, found.fileId);
  } catch (error) {
    if (!(error instanceof PictureRefusedError)) throw error;
    return refuse(ctx, refusedPictureText(message, error.fault, language));
  }
  shapes.note(picture, found.size);
  return { ...sent, shape: shapes.of(picture) };
}

async function refuse(ctx: EditContext, words: string): Promise<"refused"> {
  await ctx.reply(words);
  return "refused";
}

/** Tells that an edit changes nothing about what was ordered with the message. */
async function tellIfOrdered(ctx: EditContext, { messageId, text }: Edited, bot: BotModules): Promise<void> {
  const ordered = bot.drafts.lastOrdered(ctx.person.id, ctx.chatId);
  if (!ordered || !isMadeOf(ordered, messageId)) return;
  const before = ordered.pictureMessages[messageId];
  const found = pictureIn(ctx.editedMessage);
  const isOtherPicture = before && (found.kind !== "picture" || found.uniqueId !== before.uniqueId);
  const isOtherText =
    ordered.promptMessageId === messageId &&
    cleanText(text) !== (mainTextOf(ordered.parameters, undefined) ?? "");
  if (isOtherPicture || isOtherText) await ctx.reply(ctx.language.t("edit-too-late"));
}
