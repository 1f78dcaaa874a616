import type { Message } from "grammy/types";
import { type Draft, modelOf } from "../../card/draft/draft.js";
import { askedField, isWritten } from "../../card/form/asked.js";
import { type FormField, fieldsOf } from "../../card/form/fields.js";
import { wordsFor } from "../../card/parameter-page.js";
import { pictureIn, showsPicture } from "../../card/pictures/find-picture.js";
import { typedModel, typedSetting } from "../../card/typed-setting.js";
import type { BotContext } from "../../context.js";
import { type AnswerOutcome, type QuestionDialog, questionDialog } from "../../dialogs/ask.js";
import { isPrivate } from "../../telegram/place.js";
import { SeenAlbums } from "../../telegram/seen-albums.js";
import { cleanText } from "../../texts/html.js";
import { readWords } from "../../texts/words/read-words.js";
import type { WordLists } from "../../texts/words/word-lists.js";
import { askAgain, CARD_QUESTION, type CardSubject, isAnswerToQuestion } from "./card-question.js";
import type { CardDeps } from "./open-kind.js";
import { takeElsewhere, takeText, wordsOf } from "./take-text.js";

export interface CardAnswersDeps extends CardDeps {
  words: WordLists;
}

/** Takes the answers to what a card asks. After too many wrong ones the card is shown whole. */
export function cardAnswers(deps: CardAnswersDeps): QuestionDialog {
  const seen = new SeenAlbums();
  return questionDialog(CARD_QUESTION, {
    take: (ctx, subject, isLast) => take(ctx, { ...subject, isLast }, seen, deps),
    async onGivenUp(ctx, { draftId }) {
      const { drafts, cards } = deps;
      const draft = drafts.find(draftId);
      if (draft?.state !== "composing" || draft.view.kind === "card") return;
      const whole = await drafts.change(draft, { view: { kind: "card" } });
      if (whole) await cards.repost(whole, ctx);
    },
  });
}

async function take(
  ctx: BotContext,
  { draftId, modelKey, asked, questionId, isLast }: CardSubject & { isLast: boolean },
  seen: SeenAlbums,
  deps: CardAnswersDeps,
): Promise<AnswerOutcome> {
  const { message } = ctx;
  const draft = deps.drafts.find(draftId);
  if (!message || !draft || isAboutPicture(message)) return { kind: "passed" };
  const isOpen = draft.state === "composing" && draft.modelKey === modelKey;
  if (pictureIn(message).kind !== "none") {
    if (isOpen) ctx.asked = asked;
    return { kind: isOpen ? "passed" : "gone" };
  }
  if (!isAddressed(ctx, draft, questionId)) return { kind: "passed" };
  if (!isOpen) return gone(ctx, draftId, deps);
  const models = await deps.cards.models(ctx, draft.type);
  const model = modelOf(draft, models);
  const field = model && askedField(asked, fieldsOf(model), draft.parameters);
  if (!model || (!field && asked.kind !== "models")) return { kind: "gone" };
  const words = wordsOf(ctx);
  if (words === undefined) {
    if (!isWritten(field)) return { kind: "passed" };
    return seen.isFirst(message)
      ? { kind: "refused", reply: () => refuseWordless(ctx, field, isLast) }
      : { kind: "ignored" };
  }
  const isValue = field ? typedSetting(field, words, ctx.language) : typedModel(models, words);
  if (isPrivate(ctx) && field?.kind !== "text" && isValue === undefined && isSaid(ctx, words, deps))
    return { kind: "passed" };
  const answer = await takeText(ctx, { draftId, models, model, asked, isLast }, deps);
  return answer.kind === "gone" ? gone(ctx, draftId, deps) : answer;
}

/** Tells whether a message answers the card. In a group it has to be a reply to the question or to the card. */
function isAddressed(ctx: BotContext, { messageId }: Draft, questionId: number | undefined): boolean {
  if (isPrivate(ctx)) return true;
  const replied = ctx.message?.reply_to_message?.message_id;
  if (replied === undefined) return false;
  return replied === questionId || replied === messageId || isAnswerToQuestion(ctx);
}

/** Ends a question whose card is closed. In a group the words may reach nothing else. */
function gone(ctx: BotContext, draftId: number, deps: CardDeps): AnswerOutcome {
  if (isPrivate(ctx) || wordsOf(ctx) === undefined) return { kind: "gone" };
  return { kind: "over", reply: () => takeElsewhere(ctx, draftId, deps) };
}

/** True for words that mean something else than a value, such as thanks or a request. */
function isSaid(ctx: BotContext, words: string, { words: lists }: CardAnswersDeps): boolean {
  if (ctx.longText || words.startsWith("/")) return false;
  const said = readWords(cleanText(words), lists);
  return said !== undefined && !["wordless", "yes", "no"].includes(said.kind);
}

async function refuseWordless(ctx: BotContext, field: FormField, isLast: boolean): Promise<void> {
  const { language } = ctx;
  const wanted = field.kind === "pictures" ? wordsFor(field, language) : undefined;
  const refused = ctx.message?.voice ? "unreadable-voice" : "prompt-no-text";
  const words = wanted ?? language.t(refused);
  await (isLast ? ctx.reply(words) : askAgain(ctx, words, field));
}

/** Recognises a reply to a picture, which is not an answer. */
function isAboutPicture({ reply_to_message: replied }: Message): boolean {
  return replied !== undefined && showsPicture(replied as Message);
}
