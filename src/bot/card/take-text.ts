import type { Model } from "../../contract/model.js";
import { type BotContext, isPrivate, textOf } from "../context.js";
import { type ReadChoice, type TakeOutcome, takeMessage } from "../form/apply-message.js";
import { toModel } from "../form/change-model.js";
import type { Field } from "../form/fields.js";
import { asksMainText, openQuestion } from "../form/open-question.js";
import { readLinks } from "../form/parse-links.js";
import { withoutMention } from "../telegram/mention.js";
import { askAgain } from "./ask.js";
import { refusalText, wrongLinkText } from "./missing-text.js";
import { beginImage, type CardDeps } from "./open-kind.js";
import { wordsFor } from "./parameter-page.js";
import { typedModel, typedSetting } from "./typed-setting.js";

type Refused = Extract<TakeOutcome, { kind: "refused" }>;

/** Applies a text and replies with the card or the refusal. True when nothing more is to be asked. */
export async function answerText(ctx: BotContext, draftId: number, deps: CardDeps): Promise<boolean> {
  const { drafts, cards, shapes, links } = deps;
  const draft = drafts.find(draftId);
  const models = await cards.models(ctx, draft?.type ?? "image");
  const text = wordsOf(ctx);
  if (text === undefined) {
    await refuseWordless(ctx, draft && openQuestion(draft, models));
    return false;
  }
  const isText = draft && openQuestion(draft, models)?.kind === "text" && !asksMainText(draft);
  const wrong = isText ? undefined : await links.wrongLinkIn(text);
  if (wrong !== undefined) {
    await ctx.reply(wrongLinkText(wrong, ctx.language));
    return false;
  }
  const found = readLinks(text);
  const shape = found?.kind === "links" ? shapes.of(found.links[0]) : undefined;
  const given = { messageId: ctx.msgId ?? 0, text, shape, readChoice: choiceReader(ctx, models, deps) };
  const outcome = await takeMessage(drafts, draftId, given, models);
  switch (outcome.kind) {
    case "taken":
      await cards.repost(outcome.draft, ctx);
      return true;
    case "refused":
      await refuse(ctx, outcome, models, deps);
      return false;
    case "gone":
      return answerElsewhere(ctx, draftId, text, deps);
  }
}

function choiceReader(
  { person, language }: BotContext,
  models: readonly Model[],
  { drafts, shapes }: CardDeps,
): ReadChoice {
  const lastOf = ({ model_key }: Model) => drafts.lastParameters(person.id, model_key);
  return {
    value: (field, text) => typedSetting(field, text, language),
    model: (text) => typedModel(models, text),
    toModel: (draft, from, to) => toModel(draft, from, to, lastOf, shapes.ofFirst(draft.parameters)),
  };
}

/** A text in several messages is refused once, and its first parts are removed from the draft. */
async function refuse(
  ctx: BotContext,
  { refusal, draft }: Refused,
  models: readonly Model[],
  deps: CardDeps,
): Promise<void> {
  const { drafts, cards } = deps;
  const before = refusal.kind === "too_long" ? ctx.longText?.before : undefined;
  const isBegun = draft.promptMessageId !== null && before?.includes(draft.promptMessageId);
  if (before && !isBegun) return;
  await askAgain(ctx, refusalText(refusal, ctx.language), openQuestion(draft, models));
  const emptied = isBegun && (await drafts.change(draft, { prompt: null, promptMessageId: null }));
  if (emptied) await cards.refresh(emptied, ctx);
}

/** Repeats the question after a message without text, such as a sticker. */
export async function refuseWordless(ctx: BotContext, asked: Field | undefined): Promise<void> {
  const { language } = ctx;
  const wanted = asked?.kind === "pictures" ? wordsFor(asked, language) : undefined;
  const refused = ctx.message?.voice ? "unreadable-voice" : "prompt-no-text";
  await askAgain(ctx, wanted ?? language.t(refused), asked);
}

function wordsOf(ctx: BotContext): string | undefined {
  const text = textOf(ctx);
  if (text === undefined || isPrivate(ctx)) return text;
  return withoutMention(text, ctx.me.username) ?? text;
}

/** The card that asked is closed: the text goes to the open card, or else to a new one. */
async function answerElsewhere(
  ctx: BotContext,
  draftId: number,
  text: string,
  deps: CardDeps,
): Promise<boolean> {
  const open = ctx.chatId === undefined ? undefined : deps.drafts.composing(ctx.person.id, ctx.chatId);
  if (open && open.id !== draftId) return answerText(ctx, open.id, deps);
  await beginImage(ctx, text, deps);
  return true;
}
