import { type CommandContext, Composer } from "grammy";
import type { Draft } from "../card/draft-store.js";
import type { BotContext } from "../context.js";
import { hasLeftQuestion } from "../dialogs.js";
import type { Feature } from "../feature.js";
import type { BotModules } from "../modules.js";

/** Closes the open question of the chat, else cancels the draft. Paid orders continue. */
export function cancelFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  composer.command("cancel", (ctx) => cancel(ctx, bot));
  return { commands: ["cancel"], composer };
}

async function cancel(ctx: CommandContext<BotContext>, bot: BotModules): Promise<void> {
  const { api, drafts, orders, orderService } = bot;
  const { t } = ctx.language;
  if (hasLeftQuestion(ctx)) return void (await ctx.reply(t("question-left")));
  const draft = drafts.composing(ctx.person.id, ctx.chatId);
  if (draft && (await leavePage(ctx, draft, bot))) return;
  const cancelled = draft && (await drafts.change(draft, { state: "cancelled" }));
  if (cancelled) await ctx.reply(t("cancelled"));
  else if (
    orderService.checkout.isUnanswered((one) => one.userId === ctx.person.id && one.chatId === ctx.chatId)
  )
    await ctx.reply(t("pay-slow"));
  else if (orders.isUnderWay(ctx.person.id, ctx.chatId)) await ctx.reply(t("cancel-too-late"));
  else await ctx.reply(t("nothing-to-cancel"));
  if (cancelled?.messageId) await api.deleteMessage(cancelled.chatId, cancelled.messageId).catch(() => {});
}

/** Shows the card again unchanged. Returns false when no question is open. */
async function leavePage(
  ctx: CommandContext<BotContext>,
  draft: Draft,
  { drafts, cards }: BotModules,
): Promise<boolean> {
  // After a crash the update runs again: it must not cancel the card that it has shown.
  const { msgId } = ctx;
  const hasLeft = (draft.takenMessageId ?? 0) >= msgId;
  const { kind } = draft.view;
  const isPage = kind === "parameter" || kind === "text" || kind === "replace";
  const isAskedBeside = kind === "card" && draft.questionId !== null;
  if (!hasLeft && !isPage && !isAskedBeside) return false;
  const left = hasLeft
    ? draft
    : await drafts.change(draft, { view: { kind: "card" }, takenMessageId: msgId });
  if (left) await cards.repost(left, ctx);
  return true;
}
