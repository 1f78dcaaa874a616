import { Composer, InlineKeyboard } from "grammy";
import type { AuditDetail, AuditEntry } from "../../accounts/audit-log.js";
import { paymentName } from "../../tills/till.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { forAdminsAlone, ownWordsOnly, taps } from "../middleware.js";
import type { BotModules, ManagedBot } from "../modules.js";
import { actorName, findPerson, meantPerson } from "../people/person-ref.js";
import { sendScreen, turnTo } from "../screens.js";
import { buttonData, type DataOf, natural } from "../telegram/button-data.js";
import { cutText, escapeHtml } from "../texts/html.js";
import { localTimeHtml, utcText } from "../texts/moment.js";
import type { Language } from "../texts/texts.js";

const NAME_SHOWN = 100;

/** Says what an act concerned beside an account, as HTML. What has no words is shown as it is. */
export function subjectHtml(
  subject: string,
  { people, orders }: Pick<BotModules, "people" | "orders">,
  { t, has }: Language,
): string {
  const [, kind = subject, id = ""] = /^([a-z]+):(.*)$/s.exec(subject) ?? [];
  const key = `subject-${kind}`;
  if (!has(key)) return escapeHtml(cutText(subject, NAME_SHOWN));
  let name: string | undefined;
  if (kind === "payment" && /^\d+$/.test(id)) name = paymentName(Number(id));
  if (kind === "order") name = orders.find(id)?.number.toString();
  if (kind === "admin") name = people.find(Number(id))?.name;
  return t(key, { name: escapeHtml(cutText(name ?? id, NAME_SHOWN)) });
}

/**
 * `au:<account>:<number of an entry>`: the account whose acts are shown, 0 for all, and entries with a smaller number, 0 for
 * the newest.
 */
const auditData = buttonData("au", [natural("accountId"), natural("beforeId")]);

const PAGE_SIZE = 10;
/** Bounds an entry, so that a page is one message. */
const FIELD_SHOWN = 100;
/** Fields of acts that are kopecks. */
const SUMS: ReadonlySet<string> = new Set(["kopecks", "owed"]);

/** Handles `/audit [PERSON]`, for admins in their private chats: what admins and operators did, newest first. */
export function auditFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(forAdminsAlone(bot.adminIds));
  forAdmins.command("audit", ownWordsOnly, async (ctx) => {
    const request = meantPerson(ctx.match, ctx.msg.reply_to_message, bot.people);
    const found = request ? await findPerson(request.meant, bot, ctx.language.t) : undefined;
    if (found && "fault" in found) return void (await ctx.reply(found.fault));
    const accountId = found ? bot.accounts.users.find(found.person.id) : 0;
    if (accountId === undefined) return void (await ctx.reply(ctx.language.t("audit-none")));
    await sendScreen(ctx, pageOf({ accountId, beforeId: 0 }, bot, ctx.language));
  });
  forAdmins.use(taps(auditData, (ctx, place) => turnTo(ctx, pageOf(place, bot, ctx.language))));
  return { adminCommands: ["audit"], composer };
}

function pageOf({ accountId, beforeId }: DataOf<typeof auditData>, bot: ManagedBot, language: Language) {
  const { t } = language;
  const found = bot.accounts.audit.list({
    limit: PAGE_SIZE + 1,
    ...(accountId > 0 && { accountId }),
    ...(beforeId > 0 && { beforeId }),
  });
  const entries = found.slice(0, PAGE_SIZE);
  const keyboard = new InlineKeyboard();
  const to = (place: number) => auditData.encode({ accountId, beforeId: place });
  if (beforeId > 0) keyboard.text(t("button-newest"), to(0));
  const last = entries.at(-1);
  if (found.length > PAGE_SIZE && last) keyboard.text(t("button-older"), to(last.id));
  const lines = entries.map((entry) => entryLines(entry, bot, language));
  const text = lines.length === 0 ? t("audit-none") : [`<b>${t("audit-title")}</b>`, ...lines].join("\n\n");
  return { text, keyboard };
}

function entryLines(entry: AuditEntry, bot: ManagedBot, language: Language): string {
  const { people } = bot;
  const { accountId, actor, act, subject, before, after, reason } = entry;
  const userId = accountId === null ? undefined : bot.accounts.users.userOf(accountId);
  const whose =
    userId === undefined
      ? accountId !== null && language.t("audit-account", { number: String(accountId) })
      : `${escapeHtml(people.find(userId)?.name ?? "")} id <code>${userId}</code>`;
  const change = [before, after].map((detail) => {
    const fields = Object.entries(detail ?? {}).map(([name, value]) => fieldText(name, value, language));
    return escapeHtml(cutText(fields.filter(Boolean).join(", "), FIELD_SHOWN));
  });
  const head = [
    localTimeHtml(entry.at, language),
    actorName(actor, people, language),
    `<b>${escapeHtml(language.has(`act-${act}`) ? language.t(`act-${act}`) : act)}</b>`,
  ];
  const more = [
    whose,
    subject !== null && subjectHtml(subject, bot, language),
    change.filter(Boolean).join(" → "),
    escapeHtml(cutText(reason ?? "", FIELD_SHOWN)),
  ];
  return [head, more]
    .map((words) => words.filter(Boolean).join(" · "))
    .filter(Boolean)
    .join("\n");
}

/** Says what a field was or is; nothing for one that was not set. */
function fieldText(name: string, value: AuditDetail[string], language: Language): string {
  if (value === undefined || value === null) return "";
  const { t, has, money } = language;
  const key = `audit-field-${name}`;
  let shown = String(value);
  if (typeof value === "number" && SUMS.has(name)) shown = money(value);
  if (typeof value === "number" && name === "until") shown = utcText(value, language);
  if (name === "kopecks") return shown;
  return has(key) ? t(key, { value: shown }) : `${name} ${shown}`;
}
