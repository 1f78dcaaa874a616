import { type CommandContext, Composer } from "grammy";
import { parseRubles } from "../../contract/price.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { isAdmin, ownWordsOnly, privateOnly } from "../middleware.js";
import type { BotModules } from "../modules.js";
import { personText } from "../people/balance-words.js";
import { findPerson, readPersonRef, wrongPersonText } from "../people/person-ref.js";
import { type Spending, spentText } from "../people/spending.js";
import { replyUsage } from "../screens.js";
import { quotedWord } from "../texts/html.js";

/** Handles `/limit USER [RUB | off]`: what a person may spend of the shared account in a month, for admins only. */
export function limitFeature(bot: BotModules): Feature {
  const { adminIds, spending } = bot;
  const composer = new Composer<BotContext>();
  const command = composer.filter(isAdmin(adminIds)).command("limit", ownWordsOnly);
  // A group must not see what a person spends.
  if (spending) command.use(privateOnly("admin-private-only"), (ctx) => answer(ctx, spending, bot));
  else command.use((ctx) => ctx.reply(ctx.language.t("limit-shared-only")));
  return { adminCommands: spending ? ["limit"] : [], composer };
}

async function answer(
  ctx: CommandContext<BotContext>,
  spending: Spending,
  bot: BotModules,
): Promise<unknown> {
  const { t, money } = ctx.language;
  const [first = "", ...rest] = ctx.match.trim().split(/\s+/);
  const words = rest.join(" ");
  const person = readPersonRef(first, bot.people);
  const isOff = words.toLowerCase() === "off";
  // Zero rubles are a limit too.
  const kopecks = parseRubles(words);
  if (first === "") return replyUsage(ctx, "limit");
  if (!person) return replyUsage(ctx, "limit", wrongPersonText(first, t));
  if (words !== "" && !isOff && kopecks === undefined) {
    const isSplit = /^\d[\d ]*(?:[.,]\d+)?$/.test(words) && words.includes(" ");
    const fault = isSplit ? "fault-amount_split" : "fault-amount";
    return replyUsage(ctx, "limit", t(fault, { word: quotedWord(words) }));
  }
  const found = await findPerson(person, bot, t);
  if ("fault" in found) return ctx.reply(found.fault);
  const { id: user_id } = found.person;
  if (words !== "") {
    await spending.setLimit(user_id, kopecks, ctx.person.id);
    bot.logger.info({ admin_id: ctx.person.id, user_id, kopecks: kopecks ?? null }, "limit set");
  }
  const allowance = spending.allowanceOf(user_id);
  const whose = { person: personText(found.person) };
  const { limitKopecks } = allowance;
  const line =
    limitKopecks === undefined
      ? t(isOff ? "limit-removed" : "limit-none", whose)
      : t("limit-of", { ...whose, limit: money(limitKopecks) });
  return ctx.reply(`${line}\n${spentText(allowance, ctx.language)}`, { parse_mode: "HTML" });
}
