import { type Api, type CommandContext, Composer } from "grammy";
import type { BotContext } from "../../context.js";
import type { Drafts } from "../../draft/draft-store.js";
import type { Feature } from "../../feature.js";
import type { OrderService } from "../../orders/order-service.js";

interface CancelDeps {
  api: Api;
  drafts: Drafts;
  orders: OrderService;
}

/** Cancels the draft of the chat. Paid orders continue. */
export function cancelFeature(deps: CancelDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.command("cancel", (ctx) => cancel(ctx, deps));
  return { name: "cancel", commands: ["cancel"], composer };
}

async function cancel(ctx: CommandContext<BotContext>, { api, drafts, orders }: CancelDeps): Promise<void> {
  const { t } = ctx.language;
  const draft = drafts.composing(ctx.person.id, ctx.chatId);
  const cancelled = draft && (await drafts.change(draft, { state: "cancelled" }));
  if (cancelled) await ctx.reply(t("cancelled"));
  else if (orders.orders.isUnderWay(ctx.person.id, ctx.chatId)) await ctx.reply(t("cancel-too-late"));
  else await ctx.reply(t("nothing-to-cancel"));
  if (cancelled?.messageId) await api.deleteMessage(cancelled.chatId, cancelled.messageId).catch(() => {});
}
