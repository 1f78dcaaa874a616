import { Composer } from "grammy";
import type { GenerationType, Model } from "../../../contract/model.js";
import { type CardAction, type CardData, cardData } from "../../card/callback-data.js";
import { type Draft, modelOf } from "../../card/draft/draft.js";
import type { DraftChange } from "../../card/draft/draft-store.js";
import { askedOn } from "../../card/form/asked.js";
import { asWay, toModel, toWay } from "../../card/form/change-model.js";
import { settingChange } from "../../card/form/change-setting.js";
import { type FormState, formOf } from "../../card/form/evaluate-form.js";
import { fieldsOf } from "../../card/form/fields.js";
import { leftOutBy } from "../../card/form/left-out.js";
import { mainTextOf, withMainText } from "../../card/form/main-text.js";
import { allPictures } from "../../card/form/picture-fields.js";
import { leftOutText } from "../../card/left-out-text.js";
import { modelOffText } from "../../card/model-off-text.js";
import { modelByToken } from "../../card/render-card.js";
import type { BotContext } from "../../context.js";
import { isAsked, leaveQuestion } from "../../dialogs/ask.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware/taps.js";
import type { OrderStore } from "../../orders/store/order-store.js";
import { isPrivate } from "../../telegram/place.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { type CardAnswersDeps, cardAnswers } from "./card-answers.js";
import { askOnCard, CARD_QUESTION } from "./card-question.js";
import { openingOf } from "./open-kind.js";
import { type PayDeps, payDraft } from "./pay.js";

interface CardFeatureDeps extends PayDeps, CardAnswersDeps {
  orders: OrderStore;
}

export function cardFeature(deps: CardFeatureDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.use(taps(cardData, (ctx, data) => handle(ctx, data, deps)));
  return { name: "card", callbackPrefixes: [cardData.prefix], questions: [cardAnswers(deps)], composer };
}

async function handle(ctx: BotContext, data: CardData, deps: CardFeatureDeps): Promise<void> {
  const { t } = ctx.language;
  const draft = deps.drafts.find(data.draftId);
  if (!draft) return answerTap(ctx, t("tap-old-card"));
  if (draft.userId !== ctx.person.id) return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
  if (data.action.kind === "show") return showAgain(ctx, draft, deps);
  if (draft.state !== "composing") return explainClosed(ctx, draft, deps);
  if (draft.revision === data.revision) return act(ctx, draft, data.action, deps);
  // A double tap, or a card whose last edit failed: the card is redrawn.
  if (!isCurrent(ctx, draft)) return answerTap(ctx, t("tap-old-card"));
  await draw(ctx, draft, deps);
  await askAnew(ctx, draft, deps);
}

/** Asks again if needed: the process may have ended after a card was changed and before its question was stored. */
async function askAnew(ctx: BotContext, draft: Draft, { cards }: CardFeatureDeps): Promise<void> {
  if (isAsked(ctx, CARD_QUESTION)) return;
  const model = modelOf(draft, await cards.models(ctx, draft.type));
  if (askedOn(draft, model)) await askOnCard(ctx, draft, model);
}

async function draw(
  ctx: BotContext,
  draft: Draft,
  { cards }: CardFeatureDeps,
  words?: string,
  options?: { isAlert: boolean },
): Promise<void> {
  await Promise.all([answerTap(ctx, words, options), cards.refresh(draft, ctx)]);
}

/** True on the message that shows the draft. After a crash its id may be unknown. */
function isCurrent(ctx: BotContext, draft: Draft): boolean {
  if (ctx.chatId !== draft.chatId) return false;
  return draft.messageId === null || ctx.msgId === draft.messageId;
}

async function act(ctx: BotContext, draft: Draft, action: CardAction, deps: CardFeatureDeps): Promise<void> {
  const models = await deps.cards.models(ctx, draft.type);
  const form = formOf(draft, models);
  if (action.kind === "cancel") return cancel(ctx, draft, deps);
  if (action.kind === "pay" && form) return payDraft(ctx, draft, form, action.kopecks, deps);
  if (action.kind === "type") return openAs(ctx, draft, form, action.type, deps);
  const change = changeOf(ctx, draft, action, { models, form }, deps);
  // The catalogue may have changed since the card was drawn.
  if (!change) {
    const off = modelOffText(draft, models, ctx.language);
    return draw(ctx, draft, deps, off ?? ctx.language.t("tap-old-card"), { isAlert: off !== undefined });
  }
  const changed = await deps.drafts.change(draft, change);
  if (!changed) return answerTap(ctx);
  const drawn = () => draw(ctx, changed, deps, leftOutWords(ctx, draft, changed, models));
  const model = modelOf(changed, models);
  if (isPrivate(ctx)) {
    await askOnCard(ctx, changed, model);
    return drawn();
  }
  await drawn();
  // In a group only replies are sure to reach the bot.
  const isTextMissing =
    action.kind === "model" && mainTextOf(changed.parameters, model && fieldsOf(model)) === undefined;
  await askOnCard(ctx, changed, model, isTextMissing ? { kind: "text" } : undefined);
}

/** Tells what the newly chosen model does not take. */
function leftOutWords(
  ctx: BotContext,
  before: Draft,
  after: Draft,
  models: readonly Model[],
): string | undefined {
  const to = modelOf(after, models);
  if (!to || before.modelKey === after.modelKey) return undefined;
  return leftOutText(leftOutBy(before, modelOf(before, models), to, after.parameters), ctx.language);
}

function changeOf(
  ctx: BotContext,
  draft: Draft,
  action: CardAction,
  { models, form }: { models: readonly Model[]; form: FormState | undefined },
  { drafts, shapes }: CardFeatureDeps,
): DraftChange | undefined {
  switch (action.kind) {
    case "page":
      return { view: { kind: "models", page: action.page } };
    case "models":
      return { view: { kind: "models", page: 0 } };
    case "card":
      return { view: { kind: "card" } };
    case "write":
      return action.token === undefined ? { view: { kind: "text" } } : wayChange(draft, form, action);
    case "retake":
      return wayChange(draft, form, action);
    case "replace":
      return replacement(draft, form);
    case "more":
      return { view: { kind: "more" } };
    case "model": {
      const model = modelByToken(models, action.token);
      const lastOf = ({ model_key }: Model) => drafts.lastParameters(ctx.person.id, model_key);
      const shape = shapes.ofFirst(draft.parameters);
      return model && toModel(draft, modelOf(draft, models), model, lastOf, shape);
    }
    case "parameter":
    case "value":
    case "toggle":
    case "clear":
    case "remove": {
      const field = form?.fields.all.find(({ token }) => token === action.token);
      const change = form && field && settingChange(draft, form, field, action);
      return change && form.pages.rare.includes(field) ? backToMore(change) : change;
    }
    default:
      return undefined;
  }
}

/** Changes the way. Undefined when the model has no such way. */
function wayChange(
  draft: Draft,
  form: FormState | undefined,
  { kind, token }: { kind: "write" | "retake"; token?: string },
): DraftChange | undefined {
  const field = form?.fields.all.find((one) => one.token === token);
  const way = form?.ways.find(({ text }) => text === field?.name);
  if (!form || !way) return undefined;
  return kind === "write" ? toWay(draft, form.fields, way) : asWay(draft, form.fields, way);
}

function replacement({ view, parameters }: Draft, form: FormState | undefined): DraftChange | undefined {
  if (view.kind !== "replace") return undefined;
  const replaced = withMainText(parameters, form?.fields, view.text);
  return { parameters: replaced, promptMessageId: view.messageId, view: { kind: "card" } };
}

/** Keeps the second page open after a change, since others may follow. */
function backToMore(change: DraftChange): DraftChange {
  return change.view?.kind === "card" ? { ...change, view: { kind: "more" } } : change;
}

/** Opens a card of another type with the pictures and texts of this one. */
async function openAs(
  ctx: BotContext,
  draft: Draft,
  form: FormState | undefined,
  type: GenerationType,
  deps: CardFeatureDeps,
): Promise<void> {
  const { chatId, threadId, parameters, pictureMessages } = draft;
  const text = mainTextOf(parameters, form?.fields) ?? "";
  const given = { type, text, pictures: allPictures(parameters), pictureMessages };
  const [opening] = await Promise.all([openingOf(ctx, given, deps), answerTap(ctx)]);
  await leaveQuestion(ctx, CARD_QUESTION);
  await deps.cards.open(ctx, { chatId, threadId }, opening);
}

async function cancel(ctx: BotContext, draft: Draft, { drafts, cards }: CardFeatureDeps): Promise<void> {
  const cancelled = await drafts.change(draft, { state: "cancelled" });
  if (!cancelled) return answerTap(ctx);
  await leaveQuestion(ctx, CARD_QUESTION);
  await Promise.all([answerTap(ctx), cards.close(draft, ctx.language.t("cancelled"))]);
}

/** Shows the card again and removes the notice whose button was tapped. */
async function showAgain(ctx: BotContext, draft: Draft, deps: CardFeatureDeps): Promise<void> {
  if (ctx.msgId !== draft.messageId) await ctx.editMessageReplyMarkup().catch(() => {});
  if (draft.state !== "composing") return explainClosed(ctx, draft, deps);
  await Promise.all([answerTap(ctx), deps.cards.repost(draft, ctx)]);
  await askAnew(ctx, draft, deps);
}

/** Explains a closed card. An ordered one may still be unpaid. */
function explainClosed(ctx: BotContext, { id, state }: Draft, deps: CardFeatureDeps): Promise<void> {
  const { orders, orderService } = deps;
  if (state === "ordered" && orderService.isUnanswered(({ draftId }) => draftId === id))
    return answerTap(ctx, ctx.language.t("pay-slow"));
  const isUncertain = state === "ordered" && orders.isUncertain(id);
  return answerTap(ctx, ctx.language.t(isUncertain ? "pay-uncertain" : `tap-draft-${state}`));
}
