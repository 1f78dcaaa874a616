import type { CommandContext } from "grammy";
import type { BotContext } from "../context.js";
import type { Feature } from "./feature.js";

/** `/cancel`: leaves whatever is being composed. What was paid goes on. */
export const cancel: Feature = {
  name: "cancel",
  commands: ["cancel"],
  build({ drafts, orders, api }) {
    const leave = async (ctx: CommandContext<BotContext>) => {
      const { t } = ctx.language;
      const draft = drafts.composing(ctx.person.id, ctx.chatId);
      const cancelled = draft && (await drafts.change(draft, { state: "cancelled" }));
      if (cancelled) await ctx.reply(t("cancelled"));
      else if (orders.orders.isUnderWay(ctx.person.id, ctx.chatId)) await ctx.reply(t("cancel-too-late"));
      else await ctx.reply(t("nothing-to-cancel"));
      if (cancelled?.messageId)
        await api.deleteMessage(cancelled.chatId, cancelled.messageId).catch(() => {});
    };
    return { commands: { cancel: leave } };
  },
};
