import { type CommandContext, Composer } from "grammy";
import { type Kopecks, parseRubles } from "../../contract/price.js";
import type { Logger } from "../../platform/logger.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { isAdmin, ownWordsOnly } from "../middleware.js";
import type { BotModules } from "../modules.js";
import { spendingOf } from "../people/accounts.js";
import { personText } from "../people/balance-words.js";
import type { Person } from "../people/people.js";
import { findPerson, knownNames, notFoundText, type PersonRef, readPersonRef } from "../people/person-ref.js";
import { type Spending, spentText } from "../people/spending.js";
import { isPrivate } from "../telegram/place.js";
import { cutText, usageHtml } from "../texts/html.js";
import type { Translate } from "../texts/texts.js";

type LimitChange = { kind: "show" } | { kind: "remove" } | { kind: "set"; kopecks: Kopecks };

interface LimitRequest {
  person: PersonRef;
  change: LimitChange;
}

/** `amount_split`: an amount with a space in it. */
type LimitFault = { fault: "empty" } | { fault: "person" | "amount" | "amount_split"; word: string };

const WORD_SHOWN = 60;

/** Reads `USER`, `USER off` or `USER RUB`. Zero rubles are a limit too. */
function readLimit(text: string, isKnownName: (username: string) => boolean): LimitRequest | LimitFault {
  const [first, ...rest] = text.trim().split(/\s+/).filter(Boolean);
  if (first === undefined) return { fault: "empty" };
  const person = readPersonRef(first, isKnownName);
  if (!person) return { fault: "person", word: first };
  const word = rest.join(" ");
  if (word === "") return { person, change: { kind: "show" } };
  if (word.toLowerCase() === "off") return { person, change: { kind: "remove" } };
  const kopecks = parseRubles(word);
  if (kopecks !== undefined) return { person, change: { kind: "set", kopecks } };
  return { fault: /^\d[\d ]*(?:[.,]\d+)?$/.test(word) && rest.length > 1 ? "amount_split" : "amount", word };
}

/** Tells what is wrong, as plain text. Undefined for an empty command. */
function limitFaultText(problem: LimitFault, t: Translate): string | undefined {
  if (problem.fault === "empty") return undefined;
  return t(`fault-${problem.fault}`, { word: cutText(problem.word, WORD_SHOWN) });
}

/** Handles `/limit USER [RUB | off]`: what a person may spend of the shared account in a month, for admins only. */
export function limitFeature(bot: BotModules): Feature {
  const { adminIds } = bot;
  const spending = spendingOf(bot.accounts);
  const composer = new Composer<BotContext>();
  composer
    .filter(isAdmin(adminIds))
    .command("limit", ownWordsOnly, (ctx) =>
      spending ? answer(ctx, spending, bot) : ctx.reply(ctx.language.t("limit-shared-only")),
    );
  return { name: "limit", adminCommands: spending ? ["limit"] : [], composer };
}

async function answer(
  ctx: CommandContext<BotContext>,
  spending: Spending,
  bot: BotModules,
): Promise<unknown> {
  const { t } = ctx.language;
  // A group must not see what a person spends.
  if (!isPrivate(ctx)) return ctx.reply(t("limit-private-only"));
  const request = readLimit(ctx.match, knownNames(bot.people));
  if ("fault" in request) {
    return ctx.reply(usageHtml(limitFaultText(request, t), t("usage-limit")), { parse_mode: "HTML" });
  }
  const found = await findPerson(request.person, bot);
  if (found.kind !== "found") return ctx.reply(notFoundText(found, t));
  await apply(ctx, found.person, request.change, spending, bot.logger);
  return ctx.reply(shownText(ctx, found.person, request.change, spending), { parse_mode: "HTML" });
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
