import { Composer } from "grammy";
import { DAY_MS, HOUR_MS } from "../../platform/units.js";
import { parseDay } from "../../platform/zoned-time.js";
import { goOnKeyboard } from "../card/card-messages.js";
import type { Drafts } from "../card/draft-store.js";
import { actorOf, type BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { forAdminsAlone, ownWordsOnly } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import { personText } from "../people/balance-words.js";
import { type NoticeLine, type Person, sendNotice } from "../people/people.js";
import { findPerson, meantPerson } from "../people/person-ref.js";
import { replyUsage } from "../screens.js";
import { cleanText, cutText, escapeHtml } from "../texts/html.js";
import { localTimeHtml } from "../texts/moment.js";
import type { Language } from "../texts/texts.js";

interface BanTerms {
  reason: string | null;
  /** Milliseconds since the epoch; null: until it is lifted. */
  until: number | null;
}

const REASON_MAX = 200;
/** Units of a time, by the letters that people type in English and in Russian. */
const UNITS: Readonly<Record<string, number>> = {
  h: HOUR_MS,
  ч: HOUR_MS,
  d: DAY_MS,
  д: DAY_MS,
  w: 7 * DAY_MS,
  н: 7 * DAY_MS,
};

/**
 * Reads `[reason] [until]`: the last word may be `12h`, `7d`, `2н` from when it was sent, or a date in UTC.
 * `wrongUntil`: one that is no date, or whose time is over.
 */
export function readBanTerms(
  words: string,
  { sentAt, now }: { sentAt: number; now: number },
): BanTerms | { wrongUntil: string } {
  const all = words.trim().split(/\s+/).filter(Boolean);
  const last = all.at(-1) ?? "";
  const until = readUntil(last, sentAt);
  if (until !== undefined && !(until > now)) return { wrongUntil: last };
  const reason = until === undefined ? all : all.slice(0, -1);
  return { reason: cutText(cleanText(reason.join(" ")), REASON_MAX) || null, until: until ?? null };
}

/** Returns NaN for a date that no calendar has; undefined for other words. */
function readUntil(word: string, sentAt: number): number | undefined {
  const [, count, unit = ""] = /^(\d{1,4})([hdwчдн])$/i.exec(word) ?? [];
  if (count !== undefined) return sentAt + Number(count) * (UNITS[unit.toLowerCase()] ?? 0);
  return /^\d{4}-\d\d-\d\d$/.test(word) ? (parseDay(word) ?? Number.NaN) : undefined;
}

/** Handles `/ban` and `/unban`, for admins in their private chats. */
export function bansFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(bot.adminIds));
  for (const command of ["ban", "unban"])
    forAdmins.command(command, ownWordsOnly, async (ctx) => {
      const { t } = ctx.language;
      const request = meantPerson(ctx.match, ctx.msg.reply_to_message, bot.people);
      if (!request) return replyUsage(ctx, command);
      const found = await findPerson(request.meant, bot, t);
      if ("fault" in found) return replyUsage(ctx, command, found.fault);
      if (command === "unban") return liftBan(ctx, found.person, bot);
      const terms = readBanTerms(request.rest, { sentAt: ctx.msg.date * 1000, now: bot.clock.now() });
      if ("wrongUntil" in terms)
        return replyUsage(ctx, command, t("fault-until", { word: terms.wrongUntil }));
      await makeBan(ctx, found.person, terms, bot);
    });
  return { adminCommands: ["ban", "unban"], composer };
}

/** Bans a person and tells them and the admin. Runs again after a crash, so they may be told twice. */
export async function makeBan(
  ctx: BotContext,
  person: Person,
  terms: BanTerms,
  bot: ManagedBot,
): Promise<void> {
  const { t } = ctx.language;
  if (bot.adminIds.has(person.id)) return void (await ctx.reply(t("ban-admin")));
  await bot.accounts.users.idOf(person);
  const { outcome, isTold } = await banPerson(person, { ...terms, actor: actorOf(ctx) }, bot);
  const done = t(outcome === "done" ? "banned" : "banned-before", { person: personText(person) });
  await answer(ctx, [done, ...termLines(terms, ctx.language)], isTold);
}

type BanDesk = Pick<ManagedBot, "texts"> & NoticeLine & { accounts: Pick<ManagedBot["accounts"], "users"> };

/** Bans a person who has an account, and tells them. */
export async function banPerson(
  person: Person,
  terms: BanTerms & { actor: string },
  { accounts, texts, ...line }: BanDesk,
) {
  const outcome = await accounts.users.ban({ ...terms, userId: person.id });
  const theirs = texts.in(person.locale);
  const told = [theirs.t("told-ban"), ...termLines(terms, theirs)].join("\n");
  return { outcome, isTold: await sendNotice(person, told, line) };
}

/** Lifts the ban of a person, and tells them. Runs again after a crash, so they may be told twice. */
export async function liftBan(ctx: BotContext, person: Person, bot: ManagedBot): Promise<void> {
  const { t } = ctx.language;
  const actor = actorOf(ctx);
  const accountId = await bot.accounts.users.idOf(person);
  const whose = { person: personText(person) };
  const [last] = bot.accounts.audit.list({ accountId, limit: 1 });
  const isOwn = last?.act === "unban" && last.actor === actor;
  const isAgain = isOwn && last.at >= (ctx.msg?.date ?? Number.POSITIVE_INFINITY) * 1000;
  const isTold = await unbanPerson(person, actor, bot, isAgain);
  if (isTold === undefined) return void (await ctx.reply(t("not-banned", whose), { parse_mode: "HTML" }));
  await answer(ctx, [t("unbanned", whose)], isTold);
}

/** Lifts the ban of a person who has an account, and tells them. Resolves to undefined where none holds. */
export async function unbanPerson(
  person: Person,
  actor: string,
  { accounts, texts, drafts, ...line }: BanDesk & { drafts?: Drafts },
  isAgain = false,
): Promise<boolean | undefined> {
  if (!(await accounts.users.liftBan(person.id, actor)) && !isAgain) return undefined;
  const language = texts.in(person.locale);
  // The open card has no paying button until it is drawn again.
  const keyboard = drafts && goOnKeyboard(drafts, person, language);
  return sendNotice(person, language.t("told-unban"), line, keyboard);
}

/** Tells until when and why, as lines of HTML. */
export function termLines(
  { until, reason }: { until: number | null; reason: string | null },
  language: Language,
): string[] {
  const { t } = language;
  return [
    ...(until === null ? [] : [t("ban-until", { until: localTimeHtml(until, language) })]),
    ...(reason === null ? [] : [t("told-reason", { reason: escapeHtml(reason) })]),
  ];
}

async function answer(ctx: BotContext, lines: readonly string[], isTold: boolean): Promise<void> {
  const untold = isTold ? [] : [ctx.language.t("correction-untold")];
  await ctx.reply([...lines, ...untold].join("\n"), { parse_mode: "HTML" });
}
