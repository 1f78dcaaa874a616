import { type BotContext, isPrivate } from "../context.js";
import { answerTap } from "../tap-answers.js";
import { AlbumsTold } from "./albums-told.js";
import type { Feature, MessageContext } from "./feature.js";

/** An answer to anything that no other feature handled. Stands last. */
export const unhandled: Feature = {
  name: "unhandled",
  build() {
    const told = new AlbumsTold();
    const answer = async (ctx: MessageContext) => {
      const { t } = ctx.language;
      const isCommand = ctx.message.text?.startsWith("/") ?? false;
      const isToBot = isCommand && ctx.message.text?.split(/\s/)[0]?.endsWith(`@${ctx.me.username}`);
      if (!(isPrivate(ctx) || isToBot) || isServiceMessage(ctx) || !told.isFirst(ctx.message)) return;
      await ctx.reply(t(isCommand ? "unknown-command" : "unknown-message"));
    };
    return { tap: (ctx) => answerTap(ctx, ctx.language.t("tap-unknown")), message: answer };
  },
};

/** Pins, titles and the like were said by nobody. */
function isServiceMessage(ctx: BotContext): boolean {
  const message = ctx.message;
  return Boolean(
    message?.pinned_message ??
      message?.new_chat_title ??
      message?.message_auto_delete_timer_changed ??
      message?.new_chat_members,
  );
}
