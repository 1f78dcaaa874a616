import { Composer, type Filter } from "grammy";
import type { Admins } from "../../../ports/admins.js";
import { type BotContext, textOf } from "../../context.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware/taps.js";
import { isPrivate } from "../../telegram/place.js";
import { SeenAlbums } from "../../telegram/seen-albums.js";
import { answerTap } from "../../telegram/tap-answers.js";
import type { Texts } from "../../texts/texts.js";
import type { CardDeps } from "../compose/open-kind.js";
import { meantData } from "./meant-data.js";
import { similarCommand } from "./similar-command.js";
import { commandNames, openMeant, suggestCommand } from "./suggest-command.js";
import { unreadableKey } from "./unreadable.js";

interface UnhandledDeps extends CardDeps {
  texts: Texts;
  adminIds: Admins;
}

/** Replies to anything that no other feature handled. Must be last. `features`: all others. */
export function unhandledFeature(deps: UnhandledDeps, features: readonly Feature[]): Feature {
  const seen = new SeenAlbums();
  const names = commandNames(deps.texts);
  const everybody = features.flatMap(({ commands = [], keyCommands = [] }) => [...commands, ...keyCommands]);
  const admins = [...everybody, ...features.flatMap(({ adminCommands = [] }) => adminCommands)];
  const meant = (ctx: BotContext, word: string) => {
    // A group must not see the commands of admins.
    const isForAdmin = isPrivate(ctx) && deps.adminIds.has(ctx.person.id);
    return similarCommand(word, isForAdmin ? admins : everybody, names);
  };
  const composer = new Composer<BotContext>();
  composer.use(taps(meantData, (ctx, type) => openMeant(ctx, type, deps)));
  composer.on("callback_query", (ctx) => answerTap(ctx, ctx.language.t("tap-unknown")));
  composer.on("message", (ctx) => answer(ctx, seen, meant));
  return { name: "unhandled", callbackPrefixes: [meantData.prefix], composer };
}

async function answer(
  ctx: Filter<BotContext, "message">,
  seen: SeenAlbums,
  meant: (ctx: BotContext, word: string) => string | undefined,
): Promise<void> {
  const { t } = ctx.language;
  const text = textOf(ctx);
  const isCommand = text?.startsWith("/") ?? false;
  const isToBot = isCommand && text?.split(/\s/)[0]?.endsWith(`@${ctx.me.username}`);
  if (!(isPrivate(ctx) || isToBot) || !seen.isFirst(ctx.message)) return;
  if (!isCommand) return void (await ctx.reply(t(unreadableKey(ctx.message) ?? "unknown-message")));
  const [, word = ""] = /^\/([^\s@]*)/.exec(text ?? "") ?? [];
  const command = meant(ctx, word);
  if (command === undefined) await ctx.reply(t("unknown-command"));
  else await suggestCommand(ctx, command);
}
