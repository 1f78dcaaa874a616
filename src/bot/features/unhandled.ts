import { Composer } from "grammy";
import { type BotContext, isPrivate } from "../context.js";
import { answerTap } from "../tap-answers.js";
import type { Feature } from "./feature.js";

/** An answer to anything that no other feature handled. Stands last. */
export const unhandled: Feature = {
  name: "unhandled",
  build() {
    const composer = new Composer<BotContext>();
    composer.on("callback_query", (ctx) => answerTap(ctx, ctx.language.t("tap-unknown")));
    composer.on("message", async (ctx) => {
      const { t } = ctx.language;
      if (!isPrivate(ctx) || isServiceMessage(ctx)) return;
      const isCommand = ctx.message.text?.startsWith("/") ?? false;
      await ctx.reply(t(isCommand ? "unknown-command" : "unknown-message"));
    });
    return composer;
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
