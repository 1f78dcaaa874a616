import { type CommandContext, Composer } from "grammy";
import { type Kopecks, parseRubles } from "../../contract/price.js";
import type { Logger } from "../../platform/logger.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { isAdmin, ownWordsOnly, privateOnly } from "../middleware.js";
import type { BotModules } from "../modules.js";
import { personText } from "../people/balance-words.js";
import type { Person } from "../people/people.js";
import { findPerson, readPersonRef, wrongPersonText } from "../people/person-ref.js";
import { type Spending, spentText } from "../people/spending.js";
import { replyUsage } from "../screens.js";
import { cutText } from "../texts/html.js";
import type { Translate } from "../texts/texts.js";

type LimitChange = { kind: "show" } | { kind: "remove" } | { kind: "set"; kopecks: Kopecks };

const WORD_SHOWN = 60;

/** Reads nothing, `off` or a sum in rubles. Zero rubles are a limit too. */
function readChange(words: string): LimitChange | undefined {
  if (words === "") return { kind: "show" };
  if (words.toLowerCase() === "off") return { kind: "remove" };
  const kopecks = parseRubles(words);
  return kopecks === undefined ? undefined : { kind: "set", kopecks };
}

/** Tells what is wrong with a sum, such as a space in it, as plain text. */
function sumFaultText(words: string, t: Translate): string {
  const isSplit = /^\d[\d ]*(?:[.,]\d+)?$/.test(words) && words.includes(" ");
  return t(isSplit ? "fault-amount_split" : "fault-amount", { word: cutText(words, WORD_SHOWN) });
}

/** Handles `/limit USER [RUB | off]`: what a person may spend of the shared account in a month, for admins only. */
export function limitFeature(bot: BotModules): Feature {
  const { adminIds, spending } = bot;
  const composer = new Composer<BotContext>();
  const command = composer.filter(isAdmin(adminIds)).command("limit", ownWordsOnly);
  // A group must not see what a person spends.
  if (spending) command.use(privateOnly("limit-private-only"), (ctx) => answer(ctx, spending, bot));
  else command.use((ctx) => ctx.reply(ctx.language.t("limit-shared-only")));
  return { name: "limit", adminCommands: spending ? ["limit"] : [], composer };
}

async function answer(
  ctx: CommandContext<BotContext>,
  spending: Spending,
  bot: BotModules,
): Promise<unknown> {
  const { t } = ctx.language;
  const [first = "", ...rest] = ctx.match.trim().split(/\s+/);
  const words = rest.join(" ");
  const person = readPersonRef(first, bot.people);
  const change = readChange(words);
  if (first === "") return replyUsage(ctx, "limit");
  if (!person) return replyUsage(ctx, "limit", wrongPersonText(first, t));
  if (!change) return replyUsage(ctx, "limit", sumFaultText(words, t));
  const found = await findPerson(person, bot, t);
  if ("fault" in found) return ctx.reply(found.fault);
  await apply(ctx, found.person, change, spending, bot.logger);
  return ctx.reply(shownText(ctx, found.person, change, spending), { parse_mode: "HTML" });
}

async function apply(
  ctx: BotContext,
  person: Person,
  change: LimitChange,
  spending: Spending,
  logger: Logger,
): Promise<void> {
  if (change.kind === "show") return;
  const kopecks = change.kind === "set" ? change.kopecks : undefined;
  await spending.setLimit(person.id, kopecks, ctx.person.id);
  logger.info({ admin_id: ctx.person.id, user_id: person.id, kopecks: kopecks ?? null }, "limit set");
}

function shownText(ctx: BotContext, person: Person, change: LimitChange, spending: Spending): string {
  const { t, money } = ctx.language;
  const allowance = spending.allowanceOf(person.id);
  const whose = { person: personText(person) };
  const { limitKopecks } = allowance;
  const line =
    limitKopecks === undefined
      ? t(change.kind === "remove" ? "limit-removed" : "limit-none", whose)
      : t("limit-of", { ...whose, limit: money(limitKopecks) });
  return `${line}\n${spentText(allowance, ctx.language)}`;
}
