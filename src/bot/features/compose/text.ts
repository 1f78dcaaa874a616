import { Composer } from "grammy";
import type { Model } from "../../../contract/model.js";
import { refusalText, wrongLinkText } from "../../card/card-words.js";
import { type Draft, modelOf } from "../../card/draft-store.js";
import { type Asked, isWritten, type TakeOutcome, takeMessage } from "../../card/form/apply-message.js";
import { type FormField, fieldsOf, mainTextOf, withoutMainText } from "../../card/form/fields.js";
import { parseLinks } from "../../card/form/typed-value.js";
import { typedModel, typedSetting } from "../../card/parameter-names.js";
import { type BotContext, textOf } from "../../context.js";
import { type AnswerOutcome, refused } from "../../dialogs.js";
import type { Feature } from "../../feature.js";
import type { BotModules } from "../../modules.js";
import { isPrivate, withoutBotName, withoutMention } from "../../telegram/place.js";
import { askAgain, beginImage, changeToModel, isAnswerToQuestion } from "./open-kind.js";

/** Takes plain text as the description of the open card, or as the prompt of a new image card. */
export function textFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  composer.on("message", async (ctx, next) => {
    const words = textOf(ctx);
    if (words === undefined || words.startsWith("/")) return next();
    const card = bot.drafts.composing(ctx.person.id, ctx.chatId);
    const isToCard = card?.messageId != null && ctx.message.reply_to_message?.message_id === card.messageId;
    if (card && (isPrivate(ctx) || isToCard || isAnswerToQuestion(ctx)))
      return takeDescription(ctx, card.id, saidIn(ctx), bot);
    if (isPrivate(ctx)) return beginImage(ctx, words, bot);
    const prompt = withoutMention(words, ctx.me.username);
    if (prompt) await beginImage(ctx, prompt, bot);
    else if (prompt === "") await ctx.reply(ctx.language.t("mention-empty"));
  });
  return { composer };
}

interface OpenCard {
  draftId: number;
  models: readonly Model[];
  model: Model | undefined;
  /** The question that the text answers. Undefined: it is the description. */
  asked?: Asked;
  /** True: the question ends with this answer. */
  isLast?: boolean;
}

/** A text, and the message that has it. */
export interface SaidText {
  text: string;
  messageId: number;
  /** True where a tap chose the message, which need not be the newest. */
  isTapped?: boolean;
}

export function saidIn(ctx: BotContext): SaidText {
  return { text: wordsOf(ctx) ?? "", messageId: ctx.msgId ?? 0 };
}

/** Returns words as the end of what a card describes. */
export function addedTo(draft: Draft | undefined, words: string): string {
  const before = draft && mainTextOf(draft.parameters, undefined);
  // Of a song's words each is a line.
  const joint = draft?.parameters.mode === "lyrics" ? "\n" : ", ";
  return before === undefined ? words : `${before}${joint}${words}`;
}

/** Applies a text that answers no question. One whose card is closed is for the open card, or else for a new one. */
export async function takeDescription(
  ctx: BotContext,
  draftId: number,
  said: SaidText,
  bot: BotModules,
): Promise<void> {
  const draft = bot.drafts.find(draftId);
  const models = await bot.cards.models(ctx, draft?.type ?? "image");
  const model = draft && modelOf(draft, models);
  const answer = await takeText(ctx, said, { draftId, models, model }, bot);
  if ("reply" in answer) await answer.reply?.();
  if (answer.kind !== "gone") return;
  const open = bot.drafts.composing(ctx.person.id, ctx.chatId);
  if (open && open.id !== draftId) return takeDescription(ctx, open.id, said, bot);
  await beginImage(ctx, said.text, bot);
}

/**
 * Applies a text to a card. `ignored`: an earlier part of the same text was refused; `gone`: the card is closed, or does not
 * ask for it.
 */
export async function takeText(
  ctx: BotContext,
  { text, messageId, isTapped }: SaidText,
  { draftId, models, model, asked, isLast = false }: OpenCard,
  bot: BotModules,
): Promise<AnswerOutcome> {
  const { drafts, cards, shapes, links } = bot;
  const field = asked?.field;
  const isText = asked?.kind === "parameter" && field?.kind === "text";
  const wrong = isText ? undefined : await links.wrongLinkIn(text);
  if (wrong !== undefined) return refused(ctx, wrongLinkText(wrong, ctx.language));
  if (!(await bot.moderation.allows([text], "chat")))
    return refused(ctx, refusalText({ kind: "content" }, ctx.language));
  const found = parseLinks(text);
  const shape = found?.kind === "links" ? shapes.of(found.links[0]) : undefined;
  const value = asked?.kind === "parameter" && field ? typedSetting(field, text, ctx.language) : undefined;
  const to = asked?.kind === "models" ? typedModel(models, text) : undefined;
  const toModel = to && ((draft: Draft, from: Model) => changeToModel(ctx.person, draft, from, to, bot));
  const given = { messageId, isTapped, text, shape, asked, value, toModel };
  const outcome = await takeMessage(drafts, draftId, given, models);
  switch (outcome.kind) {
    case "taken":
      return { kind: "over", reply: () => cards.repost(outcome.draft, ctx) };
    case "refused":
      return refuse(ctx, outcome, { field: isWritten(field) ? field : undefined, model, isLast }, bot);
    case "gone":
      return outcome;
  }
}

/** Refuses a text. One in several messages is refused once, and its first parts are removed from the draft. */
function refuse(
  ctx: BotContext,
  { refusal, draft }: Extract<TakeOutcome, { kind: "refused" }>,
  { field, model, isLast }: Pick<OpenCard, "model"> & { field: FormField | undefined; isLast: boolean },
  { drafts, cards }: BotModules,
): AnswerOutcome {
  const before = refusal.kind === "too_long" ? ctx.longText?.before : undefined;
  const isBegun = draft.promptMessageId !== null && before?.includes(draft.promptMessageId);
  if (before && !isBegun) return { kind: "ignored" };
  const reply = async () => {
    const words = refusalText(refusal, ctx.language);
    await (isLast ? ctx.reply(words) : askAgain(ctx, words, field));
    const parameters = withoutMainText(draft.parameters, model && fieldsOf(model));
    const { questionId } = draft;
    const emptied =
      isBegun && (await drafts.change(draft, { parameters, promptMessageId: null, questionId }));
    if (emptied) await cards.refresh(emptied, ctx);
  };
  return { kind: "refused", reply };
}

/** Returns the text of a message. Undefined for one without text, such as a sticker. */
export function wordsOf(ctx: BotContext): string | undefined {
  const text = textOf(ctx);
  return text === undefined ? undefined : withoutBotName(ctx, text);
}
