import { type CommandContext, Composer } from "grammy";
import type { Clock } from "../../../platform/clock.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { forAdminsAlone, ownWordsOnly } from "../../middleware/admin-only.js";
import { findMeant } from "../../people/find-meant.js";
import { meantPerson } from "../../people/meant-person.js";
import type { Person } from "../../people/people.js";
import { usageHtml } from "../../texts/html.js";
import { readBanTerms } from "./ban-terms.js";
import { type BanDeps, liftBan, makeBan } from "./make-ban.js";

interface BansDeps extends BanDeps {
  clock: Clock;
}

/** Handles `/ban` and `/unban`, for admins in their private chats. */
export function bansFeature(deps: BansDeps): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(deps.adminIds));
  forAdmins.command("ban", ownWordsOnly, (ctx) => ban(ctx, deps));
  forAdmins.command("unban", ownWordsOnly, async (ctx) => {
    const found = await personOf(ctx, "unban", deps);
    if (found) await liftBan(ctx, found.person, deps);
  });
  return { name: "bans", adminCommands: ["ban", "unban"], composer };
}

async function ban(ctx: CommandContext<BotContext>, deps: BansDeps): Promise<void> {
  const found = await personOf(ctx, "ban", deps);
  if (!found) return;
  const terms = readBanTerms(found.words, { sentAt: ctx.msg.date * 1000, now: deps.clock.now() });
  if ("wrongUntil" in terms)
    return tellUsage(ctx, "ban", ctx.language.t("fault-until", { word: terms.wrongUntil }));
  await makeBan(ctx, found.person, terms, deps);
}

/** Finds the person of a command, and the words after them. Tells the admin where there is none. */
async function personOf(
  ctx: CommandContext<BotContext>,
  command: "ban" | "unban",
  deps: BansDeps,
): Promise<{ person: Person; words: string } | undefined> {
  const { t } = ctx.language;
  const request = meantPerson(ctx.match, ctx.msg.reply_to_message, deps.people);
  if (!request) {
    await tellUsage(ctx, command, undefined);
    return undefined;
  }
  const found = await findMeant(request.meant, deps, t);
  if ("fault" in found) {
    await tellUsage(ctx, command, found.fault);
    return undefined;
  }
  return { person: found.person, words: request.rest };
}

async function tellUsage(ctx: BotContext, command: string, fault: string | undefined): Promise<void> {
  await ctx.reply(usageHtml(fault, ctx.language.t(`usage-${command}`)), { parse_mode: "HTML" });
}
