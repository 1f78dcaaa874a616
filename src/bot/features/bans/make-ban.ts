import type { Api } from "grammy";
import type { Logger } from "../../../platform/logger.js";
import type { AccountAdmin } from "../../../ports/admin.js";
import type { Admins } from "../../../ports/admins.js";
import type { Ban, Bans } from "../../../ports/bans.js";
import type { BotContext } from "../../context.js";
import { personText } from "../../people/balance-words.js";
import type { People, Person } from "../../people/people.js";
import { sendNotice } from "../../people/send-notice.js";
import { escapeHtml } from "../../texts/html.js";
import { localTimeHtml } from "../../texts/moment.js";
import type { Language, Texts } from "../../texts/texts.js";
import type { BanTerms } from "./ban-terms.js";

export interface BanDeps {
  api: Api;
  people: People;
  texts: Texts;
  admin: Pick<AccountAdmin, "ensure">;
  bans: Bans;
  adminIds: Admins;
  logger: Logger;
}

/** Bans a person and tells them and the admin. Runs again after a crash, so they may be told twice. */
export async function makeBan(
  ctx: BotContext,
  person: Person,
  terms: BanTerms,
  deps: BanDeps,
): Promise<void> {
  const { t } = ctx.language;
  if (deps.adminIds.has(person.id)) return void (await ctx.reply(t("ban-admin")));
  await deps.admin.ensure(person);
  const actor = `telegram:${ctx.person.id}`;
  const outcome = await deps.bans.ban({ ...terms, userId: person.id, actor });
  const isTold = await sendNotice(person, toldText(terms, deps.texts.in(person.locale)), deps);
  const done = t(outcome === "done" ? "banned" : "banned-before", { person: personText(person) });
  await answer(ctx, [done, ...termLines(terms, ctx.language)], isTold);
}

/** Lifts the ban of a person, and tells them. */
export async function liftBan(ctx: BotContext, person: Person, deps: BanDeps): Promise<void> {
  const { t } = ctx.language;
  await deps.admin.ensure(person);
  const whose = { person: personText(person) };
  if (!(await deps.bans.lift(person.id, `telegram:${ctx.person.id}`)))
    return void (await ctx.reply(t("not-banned", whose), { parse_mode: "HTML" }));
  const isTold = await sendNotice(person, deps.texts.in(person.locale).t("told-unban"), deps);
  await answer(ctx, [t("unbanned", whose)], isTold);
}

/** Tells until when and why, as lines of HTML. */
export function termLines({ until, reason }: Pick<Ban, "until" | "reason">, language: Language): string[] {
  const { t } = language;
  return [
    ...(until === null ? [] : [t("ban-until", { until: localTimeHtml(until, language) })]),
    ...(reason === null ? [] : [t("told-reason", { reason: escapeHtml(reason) })]),
  ];
}

function toldText(terms: BanTerms, language: Language): string {
  return [language.t("told-ban"), ...termLines(terms, language)].join("\n");
}

async function answer(ctx: BotContext, lines: readonly string[], isTold: boolean): Promise<void> {
  const untold = isTold ? [] : [ctx.language.t("correction-untold")];
  await ctx.reply([...lines, ...untold].join("\n"), { parse_mode: "HTML" });
}
