import { type CommandContext, Composer } from "grammy";
import type { Draft } from "../card/draft-store.js";
import type { BotContext } from "../context.js";
import { hasLeftQuestion } from "../dialogs.js";
import type { Feature } from "../feature.js";
import { type BotModules, isManaged } from "../modules.js";
import { isPrivate } from "../telegram/place.js";
import { cancelComposed } from "./broadcast/broadcast.js";
import { leavingPage } from "./compose/open-kind.js";

/** What follows the command where a person wrote “back”. */
export const BACK = "back";

/** Closes the open question of the chat, else cancels the draft, or a broadcast below it. Paid orders continue. */
export function cancelFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  const { api, drafts, orders, orderService } = bot;
  composer.command("cancel", async (ctx) => {
    const { t } = ctx.language;
    const { chatId } = ctx;
    const userId = ctx.person.id;
    if (hasLeftQuestion(ctx)) return void (await ctx.reply(t("question-left")));
    const draft = drafts.composing(userId, chatId);
    const isComposed = isManaged(bot) && isPrivate(ctx);
    if (isComposed && (await cancelComposed(userId, draft?.messageId ?? 0, bot)))
      return void (await ctx.reply(t("broadcast-cancelled")));
    if (draft && (await leavePage(ctx, draft, bot))) return;
    // A card is not lost for a word that may mean its last change.
    if (draft && ctx.match === BACK) return void (await ctx.reply(t("talk-other")));
    const cancelled = draft && (await drafts.change(draft, { state: "cancelled" }));
    const isUnanswered = () =>
      orderService.checkout.isUnanswered((one) => one.userId === userId && one.chatId === chatId);
    if (cancelled) await ctx.reply(t("cancelled"));
    else if (isUnanswered()) await ctx.reply(t("pay-slow"));
    else await ctx.reply(t(orders.isUnderWay(userId, chatId) ? "cancel-too-late" : "nothing-to-cancel"));
    if (cancelled?.messageId) await api.deleteMessage(chatId, cancelled.messageId).catch(() => {});
  });
  return { commands: ["cancel"], composer };
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
  const isBack = ctx.match === BACK && kind !== "card";
  const isPage = isBack || kind === "parameter" || kind === "text" || kind === "replace";
  const isAskedBeside = kind === "card" && draft.questionId !== null;
  if (!hasLeft && !isPage && !isAskedBeside) return false;
  const left = hasLeft
    ? draft
    : await drafts.change(draft, { ...(await leavingPage(ctx, draft, cards)), takenMessageId: msgId });
  if (left) await cards.repost(left, ctx);
  return true;
}
