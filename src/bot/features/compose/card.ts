import { Composer, type MiddlewareFn } from "grammy";
import type { Message } from "grammy/types";
import { type GenerationType, type Model, versionTitle } from "../../../contract/model.js";
import { asKopecks, type Kopecks } from "../../../contract/price.js";
import { type CardData, cardData } from "../../card/callback-data.js";
import { leftOutText, modelOffText, wordsFor } from "../../card/card-words.js";
import { type Draft, type DraftChange, modelOf } from "../../card/draft-store.js";
import { type Asked, askedOn, isWritten, mayAsk } from "../../card/form/apply-message.js";
import { asWay, settingChange, toCard, toWay } from "../../card/form/change-model.js";
import { type FormState, formOf, leftOutBy, pagesOf } from "../../card/form/evaluate-form.js";
import { fieldsOf, isVerse, mainTextOf, withMainText } from "../../card/form/fields.js";
import { allPictures } from "../../card/form/picture-fields.js";
import { typedModel, typedSetting } from "../../card/parameter-names.js";
import { pictureIn } from "../../card/pictures.js";
import { modelByToken } from "../../card/render-card.js";
import type { BotContext } from "../../context.js";
import { type AnswerOutcome, isAsked } from "../../dialogs.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware.js";
import type { BotModules } from "../../modules.js";
import type { LimitExceeded } from "../../orders/checkout.js";
import { type Payment, paymentText } from "../../orders/pay.js";
import { type Audience, connectedGateway } from "../../people/balance-words.js";
import { limitExceededText } from "../../people/spending.js";
import { isCommand, SeenAlbums } from "../../telegram/message-content.js";
import { isPrivate } from "../../telegram/place.js";
import { alertOrReply, alertTap, answerTap } from "../../telegram/tap-answers.js";
import { cleanText } from "../../texts/html.js";
import {
  askAgain,
  askOnCard,
  changeToModel,
  isAnswerToQuestion,
  leavingPage,
  openingOf,
} from "./open-kind.js";
import { saidIn, takeText, wordsOf } from "./text.js";

/** Handles the buttons of a card, of which ✅ pays. */
export function cardFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  composer.use(taps(cardData, (ctx, data) => handle(ctx, data, bot)));
  return { questions: [cardAnswers(bot)], composer };
}

async function handle(ctx: BotContext, data: CardData, bot: BotModules): Promise<void> {
  const { t } = ctx.language;
  const draft = bot.drafts.find(data.draftId);
  if (!draft) return answerTap(ctx, t("tap-old-card"));
  if (draft.userId !== ctx.person.id) return alertTap(ctx, t("tap-not-yours"));
  if (data.action === "show") return showAgain(ctx, draft, bot);
  if (draft.state !== "composing") return explainClosed(ctx, draft, bot);
  if (draft.revision === data.revision) return act(ctx, draft, data, bot);
  // After a crash the id of the message that shows the draft may be unknown.
  const isShownHere = draft.messageId === null || ctx.msgId === draft.messageId;
  if (ctx.chatId !== draft.chatId || !isShownHere) return answerTap(ctx, t("tap-old-card"));
  // A double tap, or a card whose last edit failed: the card is redrawn.
  await draw(ctx, draft, bot);
  await askAnew(ctx, draft, bot);
}

/** Asks again if needed: the process may have ended between the change of a card and its question. */
async function askAnew(ctx: BotContext, draft: Draft, { cards, drafts }: BotModules): Promise<void> {
  await askOnCard(ctx, draft, modelOf(draft, await cards.models(ctx, draft.type)), drafts);
}

async function draw(ctx: BotContext, draft: Draft, { cards }: BotModules, words?: string): Promise<void> {
  await Promise.all([answerTap(ctx, words), cards.refresh(draft, ctx)]);
}

async function act(ctx: BotContext, draft: Draft, data: CardData, bot: BotModules): Promise<void> {
  const models = await bot.cards.models(ctx, draft.type);
  const form = formOf(draft, models);
  if (data.action === "cancel") {
    if (!(await bot.drafts.change(draft, { state: "cancelled" }))) return answerTap(ctx);
    const closed = bot.cards.close(draft, ctx.language.t("cancelled"));
    return void (await Promise.all([answerTap(ctx), closed]));
  }
  if (data.action === "pay" && form) return payDraft(ctx, draft, form, data.kopecks, bot);
  if (data.action === "type") return openAs(ctx, draft, form, data.type, bot);
  if (data.action === "fresh") return openFresh(ctx, draft, form, bot);
  const change = changeOf(ctx, draft, data, { models, form }, bot);
  // The catalogue may have changed since the card was drawn.
  if (!change) {
    const off = modelOffText(draft, models, ctx.language);
    if (off === undefined) return draw(ctx, draft, bot, ctx.language.t("tap-old-card"));
    return void (await Promise.all([alertTap(ctx, off), bot.cards.refresh(draft, ctx)]));
  }
  const changed = await bot.drafts.change(draft, change);
  if (!changed) return answerTap(ctx);
  const model = modelOf(changed, models);
  const to = draft.modelKey === changed.modelKey ? undefined : model;
  const leftOut = to && leftOutBy(draft, form?.model, to, changed.parameters);
  await draw(ctx, changed, bot, leftOut && leftOutText(leftOut, ctx.language));
  const isTextMissing =
    data.action === "model" && mainTextOf(changed.parameters, model && fieldsOf(model)) === undefined;
  await askOnCard(ctx, changed, model, bot.drafts, isTextMissing);
}

function changeOf(
  ctx: BotContext,
  draft: Draft,
  data: CardData,
  { models, form }: { models: readonly Model[]; form: FormState | undefined },
  bot: BotModules,
): DraftChange | undefined {
  switch (data.action) {
    case "page":
      return { view: { kind: "models", page: data.page } };
    case "models":
      return { view: { kind: "models", page: 0 } };
    case "card":
      return toCard(draft, form?.fields);
    case "write":
      return { view: { kind: "text" } };
    case "write_way":
    case "retake": {
      const field = form?.fields.all.find(({ token }) => token === data.token);
      const way = form?.ways.find(({ text }) => text === field?.name);
      if (!form || !way) return undefined;
      return data.action === "write_way" ? toWay(draft, form.fields, way) : asWay(draft, form.fields, way);
    }
    case "replace": {
      const { view, parameters } = draft;
      if (view.kind !== "replace") return undefined;
      const replaced = withMainText(parameters, form?.fields, view.text);
      return { parameters: replaced, promptMessageId: view.messageId, view: { kind: "card" } };
    }
    case "more":
      return { view: { kind: "more" } };
    case "model": {
      const model = modelByToken(models, data.token);
      return model && changeToModel(ctx.person, draft, form?.model, model, bot);
    }
    case "parameter":
    case "value":
    case "toggle":
    case "clear":
    case "remove": {
      const field = form?.fields.all.find(({ token }) => token === data.token);
      if (!form || !field) return undefined;
      const change = settingChange(draft, form, field, data);
      if (change?.view?.kind !== "card" || !pagesOf(form).rare.includes(field)) return change;
      // The second page stays open after a change, since others may follow.
      return { ...change, view: { kind: "more" } };
    }
    default:
      return undefined;
  }
}

/** Opens a card of another type with the pictures and texts of this one. */
async function openAs(
  ctx: BotContext,
  draft: Draft,
  form: FormState | undefined,
  type: GenerationType,
  bot: BotModules,
): Promise<void> {
  const { chatId, threadId, parameters, pictureMessages } = draft;
  const text = mainTextOf(parameters, form?.fields) ?? "";
  const given = { type, text, pictures: allPictures(parameters), pictureMessages };
  const [opening] = await Promise.all([openingOf(ctx, given, bot), answerTap(ctx)]);
  const opened = await bot.cards.open(ctx, { chatId, threadId }, opening);
  await askOnCard(ctx, opened, opening.model, bot.drafts, opening.text === undefined);
}

/** Opens a card for a new picture with the words of this one. */
async function openFresh(
  ctx: BotContext,
  { chatId, threadId, type, parameters, promptMessageId }: Draft,
  form: FormState | undefined,
  bot: BotModules,
): Promise<void> {
  const text = mainTextOf(parameters, form?.fields) ?? "";
  const [opening] = await Promise.all([openingOf(ctx, { type, text }, bot), answerTap(ctx)]);
  await bot.cards.open(ctx, { chatId, threadId }, { ...opening, messageId: promptMessageId ?? undefined });
}

/** Shows the card again and removes the notice whose button was tapped. */
async function showAgain(ctx: BotContext, draft: Draft, bot: BotModules): Promise<void> {
  if (ctx.msgId !== draft.messageId) await ctx.editMessageReplyMarkup().catch(() => {});
  if (draft.state !== "composing") return explainClosed(ctx, draft, bot);
  await Promise.all([answerTap(ctx), bot.cards.repost(draft, ctx)]);
  await askAnew(ctx, draft, bot);
}

/** Explains a closed card. An ordered one may still be unpaid. */
function explainClosed(ctx: BotContext, { id, state }: Draft, bot: BotModules): Promise<void> {
  const { orders, orderService } = bot;
  if (state === "ordered" && orderService.checkout.isUnanswered(({ draftId }) => draftId === id))
    return answerTap(ctx, ctx.language.t("pay-slow"));
  const isUncertain = state === "ordered" && orders.isUncertain(id);
  return answerTap(ctx, ctx.language.t(isUncertain ? "pay-uncertain" : `tap-draft-${state}`));
}

/** A card no longer asks after this many answers that cannot be used. */
const TRIES_MAX = 5;

/** Takes messages that answer what the open card asks for. A question of a feature goes before. */
function cardAnswers(bot: BotModules): MiddlewareFn<BotContext> {
  const seen = new SeenAlbums();
  return async (ctx, next) => {
    const { message } = ctx;
    if (!message || isCommand(message) || isAsked(ctx)) return next();
    const draft = bot.drafts.composing(ctx.person.id, message.chat.id);
    if (!draft || !mayAsk(draft) || !mayAnswer(ctx, message, draft)) return next();
    const answer = await take(ctx, message, draft, seen, bot);
    if (answer.kind === "gone") await next();
    else if (answer.kind === "refused") await refuse(ctx, draft, answer.reply, bot);
    else if (answer.kind === "over") await answer.reply?.();
  };
}

/** Tells whether a message may answer the card. In a group it has to be a reply to the question or to the card. */
function mayAnswer(ctx: BotContext, message: Message, { messageId, questionId }: Draft): boolean {
  const replied = message.reply_to_message as Message | undefined;
  const about = replied && pictureIn(replied);
  // A reply to a picture is about that.
  if (about?.kind === "picture" && about.isLikely) return false;
  if (pictureIn(message).kind !== "none") return false;
  if (isPrivate(ctx) || isAnswerToQuestion(ctx)) return true;
  const id = replied?.message_id;
  return id !== undefined && (id === questionId || id === messageId);
}

/** Applies an answer. `gone`: the message is for the features. */
async function take(
  ctx: BotContext,
  message: Message,
  draft: Draft,
  seen: SeenAlbums,
  bot: BotModules,
): Promise<AnswerOutcome> {
  const models = await bot.cards.models(ctx, draft.type);
  const model = modelOf(draft, models);
  const asked = askedOn(draft, model);
  if (!asked || (!asked.field && asked.kind !== "models")) return { kind: "gone" };
  const { field } = asked;
  const words = wordsOf(ctx);
  const isLast = isLastTry(draft);
  if (words === undefined) {
    if (!isWritten(field)) return { kind: "gone" };
    if (!seen.isFirst(message)) return { kind: "ignored" };
    const wanted = field.kind === "pictures" ? wordsFor(field, ctx.language) : undefined;
    const words = wanted ?? ctx.language.t(message.voice ? "unreadable-voice" : "prompt-no-text");
    return { kind: "refused", reply: () => (isLast ? ctx.reply(words) : askAgain(ctx, words, field)) };
  }
  const isValue = field ? typedSetting(field, words, ctx.language) : typedModel(models, words);
  if (isValue === undefined && (await isSaid(ctx, words, { ...asked, type: draft.type }, bot)))
    return { kind: "gone" };
  return takeText(ctx, saidIn(ctx), { draftId: draft.id, models, model, asked, isLast }, bot);
}

/** True for words that mean something else than what is asked for, such as thanks or a request. */
async function isSaid(
  ctx: BotContext,
  words: string,
  { kind, field, type }: Asked & Pick<Draft, "type">,
  { readIntent }: BotModules,
): Promise<boolean> {
  if (ctx.longText || words.startsWith("/")) return false;
  const said = cleanText(words);
  if (said === "") return false;
  const maySing = field?.name === "lyrics" || (type === "music" && isVerse(said));
  const intent = await readIntent(said, { card: { hasText: false, hasPictures: false, maySing } });
  if (kind === "text")
    return intent.kind !== "describe" || intent.text === "" || (intent.type ?? type) !== type;
  // A title may be any word.
  if (!isPrivate(ctx) || field?.kind === "text") return false;
  if (intent.kind === "talk") return !["wordless", "yes", "no"].includes(intent.about);
  // A word for the kind of the card itself, such as “rap”, is meant for a value.
  const isValue =
    kind === "parameter" && !/\s/.test(said) && intent.kind === "describe" && intent.type === type;
  if (isValue) return false;
  return intent.kind === "describe"
    ? intent.type !== undefined
    : intent.kind !== "edit" && intent.kind !== "unsure";
}

function isLastTry({ refusals }: Draft): boolean {
  return refusals + 1 >= TRIES_MAX;
}

/** Counts a refused answer and tells it. After the last one the card is shown whole. */
async function refuse(
  ctx: BotContext,
  draft: Draft,
  reply: (() => Promise<unknown>) | undefined,
  { drafts, cards }: BotModules,
): Promise<void> {
  if (!isLastTry(draft)) {
    await drafts.countRefusal(draft);
    return void (await reply?.());
  }
  const whole = await drafts.change(draft, await leavingPage(ctx, draft, cards));
  await reply?.();
  if (whole && draft.view.kind !== "card") await cards.repost(whole, ctx);
}

/** Pays the draft. Throws PictureRefusedError before anything is claimed. */
async function payDraft(
  ctx: BotContext,
  draft: Draft,
  form: FormState,
  kopecks: number,
  bot: BotModules,
): Promise<void> {
  if (form.payable === undefined) return draw(ctx, draft, bot, ctx.language.t("tap-old-card"));
  const gateway = connectedGateway(ctx);
  const request = await bot.pictures.published(ctx, form.request);
  const quotedKopecks = asKopecks(kopecks);
  const modelTitle = versionTitle(form.model, request);
  const wish = { draft, userName: ctx.person.name, modelTitle, request, quotedKopecks };
  const payment = await bot.orderService.pay(gateway, wish);
  await tellPayment(ctx, payment, quotedKopecks, bot);
}

/** Answers the tap with the outcome of the payment. A card that was not paid is shown. */
export async function tellPayment(
  ctx: BotContext,
  payment: Payment | LimitExceeded,
  kopecks: Kopecks,
  { cards, supportContact, topUps }: BotModules,
): Promise<void> {
  if (payment.kind === "limit_exceeded")
    return tell(ctx, (audience) => limitExceededText(payment.allowance, kopecks, audience));
  if (payment.kind === "accepted") return answerTap(ctx, ctx.language.t("pay-accepted"));
  // The person is told of an uncertain order in a message of its own.
  if (payment.kind === "stale" || payment.kind === "uncertain") return answerTap(ctx);
  const textFor = (audience: Audience) => plain(paymentText(payment, audience, { supportContact, topUps }));
  if (payment.kind === "too_many" && payment.isTold)
    await answerTap(ctx, textFor({ language: ctx.language, isGroup: false }));
  else await tell(ctx, textFor);
  if (payment.draft) await cards.refresh(payment.draft, ctx);
}

/** Tells it in an alert, which only the person sees, or else in a message. */
function tell(ctx: BotContext, textFor: (audience: Audience) => string): Promise<void> {
  const { language } = ctx;
  const alert = textFor({ language, isGroup: false });
  return alertOrReply(ctx, alert, textFor({ language, isGroup: !isPrivate(ctx) }));
}

/** Strips HTML, which alerts do not show. */
function plain(html: string): string {
  return html
    .replace(/<[^>]+>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&");
}
