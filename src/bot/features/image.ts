import { createConversation } from "@grammyjs/conversations";
import { Composer } from "grammy";
import type { Model } from "../../contract/model.js";
import { type BotContext, inTopic, isPrivate, placeOf } from "../context.js";
import { chosenValue } from "../create/card.js";
import { type CardAction, readCardData } from "../create/card-data.js";
import type { Draft } from "../create/draft.js";
import type { DraftChange } from "../create/drafts.js";
import { PROMPT_DIALOG, type PromptDialogArguments, promptDialog } from "../create/prompt-dialog.js";
import { cleanText, escapeHtml } from "../html.js";
import { paymentText } from "../orders/payment-text.js";
import { answerTap } from "../tap-answers.js";
import type { Feature, FeatureParts } from "./feature.js";
import { answerPrompt } from "./prompt.js";

/** `/image`: the image models, then one card on which everything is set, written and paid. */
export const image: Feature = {
  name: "image",
  commands: ["image"],
  build(parts) {
    const composer = new Composer<BotContext>();
    composer.command("image", async (ctx) => {
      const place = placeOf(ctx);
      const prompt = cleanText(ctx.match);
      const opening = { type: "image" as const, promptMessageId: ctx.msgId };
      if (place) await parts.cards.open(ctx.person, place, prompt ? { ...opening, prompt } : opening);
    });
    composer.use(
      createConversation(
        promptDialog((ctx, draftId) => answerPrompt(ctx, draftId, parts)),
        PROMPT_DIALOG,
      ),
    );
    composer.on("callback_query:data", async (ctx, next) => {
      const data = readCardData(ctx.callbackQuery.data);
      if (!data) return next();
      const { t } = ctx.language;
      const draft = parts.drafts.find(data.draftId);
      if (!draft) return answerTap(ctx, t("tap-old-card"));
      if (draft.userId !== ctx.person.id) return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
      if (data.action.kind === "show") return showAgain(ctx, draft, parts);
      if (draft.state !== "composing") return answerTap(ctx, t(`tap-draft-${draft.state}`));
      // The second tap of an impatient finger, or a tap on a card whose last edit was lost: either way the
      // card is shown as it is.
      if (draft.revision !== data.revision) {
        if (!isCurrent(ctx, draft)) return answerTap(ctx, t("tap-old-card"));
        await Promise.all([answerTap(ctx), parts.cards.refresh(draft, ctx.person)]);
        return;
      }
      await act(ctx, draft, data.action, parts);
    });
    return composer;
  },
};

/** True on the message that shows the draft; which one it is may not have been written down before a crash. */
function isCurrent(ctx: BotContext, draft: Draft): boolean {
  if (ctx.chatId !== draft.chatId) return false;
  return draft.messageId === null || ctx.msgId === draft.messageId;
}

async function act(ctx: BotContext, draft: Draft, action: CardAction, parts: FeatureParts): Promise<void> {
  const models = await parts.cards.models(ctx.person, "image");
  if (action.kind === "pay") return pay(ctx, draft, models, action.kopecks, parts);
  if (action.kind === "cancel") return cancel(ctx, draft, parts);
  if (action.kind === "write") return askPrompt(ctx, draft, parts);
  const change = changeOf(ctx, draft, action, models, parts);
  if (!change) return answerTap(ctx, ctx.language.t("tap-old-card"));
  const changed = await parts.drafts.change(draft, change);
  if (!changed) return answerTap(ctx);
  await Promise.all([answerTap(ctx), parts.cards.refresh(changed, ctx.person)]);
  const isWaitingForPrompt = action.kind === "model" && changed.prompt === null;
  if (isWaitingForPrompt && !isPrivate(ctx)) await askPrompt(ctx, changed, parts);
}

/** What a tap changes in the draft; `undefined` when the model no longer offers it. */
function changeOf(
  ctx: BotContext,
  draft: Draft,
  action: CardAction,
  models: readonly Model[],
  { cards }: FeatureParts,
): DraftChange | undefined {
  switch (action.kind) {
    case "page":
      return { view: { kind: "models", page: action.page } };
    case "models":
      return { view: { kind: "models", page: 0 } };
    case "card":
      return { view: { kind: "card" } };
    case "parameter":
      return { view: { kind: "parameter", name: action.name } };
    case "model": {
      const model = models.find(({ model_key }) => model_key === action.key);
      if (!model) return undefined;
      const parameters = cards.startingParameters(ctx.person, model);
      return { modelKey: model.model_key, parameters, view: { kind: "card" } };
    }
    case "value": {
      const model = models.find(({ model_key }) => model_key === draft.modelKey);
      const value = model && chosenValue(model, action.name, action.index);
      if (value === undefined) return undefined;
      return { parameters: { ...draft.parameters, [action.name]: value }, view: { kind: "card" } };
    }
    default:
      return undefined;
  }
}

async function pay(
  ctx: BotContext,
  draft: Draft,
  models: readonly Model[],
  kopecks: number,
  { orders, cards, supportContact }: FeatureParts,
): Promise<void> {
  const model = models.find(({ model_key }) => model_key === draft.modelKey);
  if (!model || draft.prompt === null) return answerTap(ctx, ctx.language.t("tap-old-card"));
  const payment = await orders.pay(draft, model, ctx.person, kopecks);
  if (payment.kind === "accepted") return answerTap(ctx, ctx.language.t("pay-accepted"));
  if (payment.kind === "stale") return answerTap(ctx);
  const text = plain(paymentText(payment, ctx.language, supportContact));
  await answerTap(ctx, text, { isAlert: true });
  if (payment.kind === "uncertain") await cards.close(draft, text);
  else if (payment.draft) await cards.refresh(payment.draft, ctx.person);
}

async function cancel(ctx: BotContext, draft: Draft, { drafts, cards }: FeatureParts): Promise<void> {
  const cancelled = await drafts.change(draft, { state: "cancelled" });
  if (!cancelled) return answerTap(ctx);
  await ctx.conversation.exitAll();
  await Promise.all([answerTap(ctx), cards.close(draft, ctx.language.t("cancelled"))]);
}

/** Asks for the prompt in a message of its own, which a group needs and a private chat may use. */
async function askPrompt(ctx: BotContext, draft: Draft, { cards }: FeatureParts): Promise<void> {
  const { t } = ctx.language;
  await answerTap(ctx);
  if (draft.view.kind !== "card") await cards.refresh(draft, ctx.person);
  const isGroup = !isPrivate(ctx);
  const mention = isGroup
    ? `<a href="tg://user?id=${ctx.person.id}">${escapeHtml(ctx.person.name)}</a>: `
    : "";
  const question = await ctx.reply(`${mention}${t(isGroup ? "ask-prompt-group" : "ask-prompt")}`, {
    ...inTopic(draft),
    parse_mode: "HTML",
    reply_markup: {
      force_reply: true,
      selective: isGroup,
      input_field_placeholder: t("ask-prompt-placeholder"),
    },
  });
  await ctx.conversation.exitAll();
  const dialog: PromptDialogArguments = { draftId: draft.id, questionId: question.message_id, isGroup };
  await ctx.conversation.enter(PROMPT_DIALOG, dialog);
}

async function showAgain(ctx: BotContext, draft: Draft, { cards }: FeatureParts): Promise<void> {
  if (draft.state !== "composing") return answerTap(ctx, ctx.language.t(`tap-draft-${draft.state}`));
  await Promise.all([answerTap(ctx), cards.repost(draft, ctx.person)]);
}

/** Alerts show no HTML. */
function plain(html: string): string {
  return html
    .replace(/<[^>]+>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, "&");
}
