import { createConversation } from "@grammyjs/conversations";
import type { Model } from "../../contract/model.js";
import { type BotContext, isPrivate } from "../context.js";
import { modelByToken } from "../create/card.js";
import { type CardAction, type CardData, readCardData } from "../create/card-data.js";
import { toModel } from "../create/change-model.js";
import { settingChange } from "../create/change-setting.js";
import type { Draft } from "../create/draft.js";
import type { DraftChange } from "../create/drafts.js";
import { formOf } from "../create/form.js";
import { PROMPT_DIALOG, promptDialog } from "../create/prompt-dialog.js";
import { modelOf } from "../create/take-message.js";
import { answerTap } from "../tap-answers.js";
import { answerText } from "./answer.js";
import { askFor, isAskedInWords } from "./ask.js";
import type { Feature, FeatureParts } from "./feature.js";
import { payDraft } from "./pay.js";

/** The taps on cards: what is set, asked for, paid and cancelled with them. */
export const card: Feature = {
  name: "card",
  build(parts) {
    const prompt = promptDialog((ctx, draftId) => answerText(ctx, draftId, parts));
    parts.dialogs.add(createConversation(prompt, PROMPT_DIALOG));
    return {
      tap(ctx, words) {
        const data = readCardData(words);
        return data && handle(ctx, data, parts);
      },
    };
  },
};

function handle(ctx: BotContext, data: CardData, parts: FeatureParts): Promise<unknown> {
  const { t } = ctx.language;
  const draft = parts.drafts.find(data.draftId);
  if (!draft) return answerTap(ctx, t("tap-old-card"));
  if (draft.userId !== ctx.person.id) return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
  if (data.action.kind === "show") return showAgain(ctx, draft, parts);
  if (draft.state !== "composing") return explainClosed(ctx, draft, parts);
  if (draft.revision === data.revision) return act(ctx, draft, data.action, parts);
  // The second tap of an impatient finger, or a tap on a card whose last edit was lost: either way the card is
  // shown as it is.
  if (!isCurrent(ctx, draft)) return answerTap(ctx, t("tap-old-card"));
  return draw(ctx, draft, parts);
}

/** Answers the tap and shows the draft in its card as it is now. */
function draw(ctx: BotContext, draft: Draft, { cards }: FeatureParts, words?: string): Promise<unknown> {
  return Promise.all([answerTap(ctx, words), cards.refresh(draft, ctx.person)]);
}

/** True on the message that shows the draft; which one it is may not have been written down before a crash. */
function isCurrent(ctx: BotContext, draft: Draft): boolean {
  if (ctx.chatId !== draft.chatId) return false;
  return draft.messageId === null || ctx.msgId === draft.messageId;
}

async function act(ctx: BotContext, draft: Draft, action: CardAction, parts: FeatureParts): Promise<void> {
  const models = await parts.cards.models(ctx.person, draft.type);
  const shown = modelOf(draft, models);
  if (action.kind === "cancel") return cancel(ctx, draft, parts);
  if (action.kind === "pay" && shown) return payDraft(ctx, draft, shown, action.kopecks, parts);
  if (action.kind === "write" && shown) return askFor(ctx, draft, shown, parts.dialogs);
  const change = changeOf(ctx, draft, action, models, parts);
  // What was tapped is offered no more, such as a model that has left the catalogue: the card shows what is.
  if (!change) return void (await draw(ctx, draft, parts, ctx.language.t("tap-old-card")));
  const changed = await parts.drafts.change(draft, change);
  if (!changed) return answerTap(ctx);
  await draw(ctx, changed, parts);
  if (isPrivate(ctx)) return;
  const model = modelOf(changed, models);
  const isTextMissing = action.kind === "model" && changed.prompt === null;
  if (isTextMissing || isAskedInWords(changed, model)) await askFor(ctx, changed, model, parts.dialogs);
}

/** What a tap changes in the draft; `undefined` when the model no longer offers it. */
function changeOf(
  ctx: BotContext,
  draft: Draft,
  action: CardAction,
  models: readonly Model[],
  { drafts }: FeatureParts,
): DraftChange | undefined {
  switch (action.kind) {
    case "page":
      return { view: { kind: "models", page: action.page } };
    case "models":
      return { view: { kind: "models", page: 0 } };
    case "card":
      return { view: { kind: "card" } };
    case "model": {
      const model = modelByToken(models, action.token);
      const lastOf = ({ model_key }: Model) => drafts.lastParameters(ctx.person.id, model_key);
      return model && toModel(draft, modelOf(draft, models), model, lastOf);
    }
    case "parameter":
    case "value":
    case "toggle":
    case "clear":
    case "remove": {
      const model = modelOf(draft, models);
      const control = model && formOf(model).byToken.get(action.token);
      return model && control && settingChange(draft, model, control, action);
    }
    default:
      return undefined;
  }
}

async function cancel(
  ctx: BotContext,
  draft: Draft,
  { drafts, cards, dialogs }: FeatureParts,
): Promise<void> {
  const cancelled = await drafts.change(draft, { state: "cancelled" });
  if (!cancelled) return answerTap(ctx);
  await dialogs.within(ctx, ({ exitAll }) => exitAll());
  await Promise.all([answerTap(ctx), cards.close(draft, ctx.language.t("cancelled"))]);
}

async function showAgain(ctx: BotContext, draft: Draft, parts: FeatureParts): Promise<void> {
  if (draft.state !== "composing") return explainClosed(ctx, draft, parts);
  await Promise.all([answerTap(ctx), parts.cards.repost(draft, ctx.person)]);
}

/** Says why a card that can be changed no more does nothing; an ordered one is not always a paid one. */
function explainClosed(ctx: BotContext, { id, state }: Draft, { orders }: FeatureParts): Promise<void> {
  const isUncertain = state === "ordered" && orders.orders.isUncertain(id);
  return answerTap(ctx, ctx.language.t(isUncertain ? "pay-uncertain" : `tap-draft-${state}`));
}
