import { Composer, type Filter } from "grammy";
import { type BotContext, isPrivate, textOf } from "../../context.js";
import type { Feature } from "../../feature.js";
import { answerTap } from "../../middleware/tap-answers.js";
import { SeenAlbums } from "../../telegram/seen-albums.js";

/** Replies to anything that no other feature handled. Must be last. */
export function unhandledFeature(): Feature {
  const seen = new SeenAlbums();
  const composer = new Composer<BotContext>();
  composer.on("callback_query", (ctx) => answerTap(ctx, ctx.language.t("tap-unknown")));
  composer.on("message", (ctx) => answer(ctx, seen));
  return { name: "unhandled", composer };
}

async function answer(ctx: Filter<BotContext, "message">, seen: SeenAlbums): Promise<void> {
  const { t } = ctx.language;
  const text = textOf(ctx);
  const isCommand = text?.startsWith("/") ?? false;
  const isToBot = isCommand && text?.split(/\s/)[0]?.endsWith(`@${ctx.me.username}`);
  if (!(isPrivate(ctx) || isToBot) || !seen.isFirst(ctx.message)) return;
  await ctx.reply(t(isCommand ? "unknown-command" : "unknown-message"));
}
