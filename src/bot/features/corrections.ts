import { type CommandContext, GrammyError, InlineKeyboard } from "grammy";
import type { User } from "grammy/types";
import type { AccountAdmin } from "../../contract/admin.js";
import { type Kopecks, parseRubles } from "../../platform/money.js";
import { correctedText, tooLargeText } from "../balance-words.js";
import { type BotContext, isPrivate } from "../context.js";
import { writeCardData } from "../create/card-data.js";
import { cleanText, cutText, escapeHtml } from "../html.js";
import type { Person } from "../people/people.js";
import type { Feature, FeatureParts } from "./feature.js";

/** What an admin asked for. */
interface Wish {
  person: Person;
  kopecks: Kopecks;
  reason: string | null;
}

const REASON_MAX = 200;

/** `/credit` and `/debit`: corrections of balances by admins. To everybody else they do not exist. */
export const corrections: Feature = {
  name: "corrections",
  adminCommands: ["credit", "debit"],
  isOffered: ({ admin }) => admin !== undefined,
  build(parts) {
    const { admin, adminIds } = parts;
    if (!admin) return {};
    const command = (kind: "credit" | "debit") => (ctx: CommandContext<BotContext>) =>
      adminIds.has(ctx.person.id) ? correct(ctx, kind, admin, parts) : undefined;
    return { commands: { credit: command("credit"), debit: command("debit") } };
  },
};

async function correct(
  ctx: CommandContext<BotContext>,
  kind: "credit" | "debit",
  admin: AccountAdmin,
  parts: FeatureParts,
): Promise<void> {
  const { t } = ctx.language;
  const wish = readWish(ctx, parts);
  if (wish === "usage") return void (await ctx.reply(t(`usage-${kind}`)));
  if (wish === "stranger") return void (await ctx.reply(t("correction-stranger")));
  const { person, kopecks, reason } = wish;
  await admin.ensure(person);
  const outcome = await admin[kind]({
    userId: person.id,
    kopecks,
    reason,
    actor: `telegram:${ctx.person.id}`,
    // Another bot on the same data numbers the messages of the same chats anew.
    idempotencyKey: `telegram:${ctx.me.id}:${ctx.chatId}:${ctx.msgId}`,
  });
  const reader = { language: ctx.language, isGroup: !isPrivate(ctx) };
  const { balanceKopecks } = outcome;
  const correction = { kind, name: person.name, kopecks, balanceKopecks };
  if (outcome.outcome === "too_large") {
    return void (await ctx.reply(tooLargeText(correction, reader), { parse_mode: "HTML" }));
  }
  parts.logger.info(
    { admin_id: ctx.person.id, user_id: person.id, kind, kopecks, outcome: outcome.outcome },
    "balance corrected",
  );
  // Also when it is repeated behind a crash: whether they were told before it is not known.
  const isTold = await tell(kind, wish, balanceKopecks, parts);
  const lines = [correctedText(correction, reader), ...(isTold ? [] : [t("correction-untold")])];
  await answer(ctx, lines.join("\n"), parts);
}

/** It is done: where Telegram does not take the answer, nobody must be asked to try again. */
async function answer(ctx: BotContext, html: string, { logger }: FeatureParts): Promise<void> {
  try {
    await ctx.reply(html, { parse_mode: "HTML" });
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error;
    logger.warn({ admin_id: ctx.person.id, err: error }, "admin not told of a correction");
  }
}

/** USER RUB [reason], or RUB [reason] in reply to the person; anything else is answered by the usage. */
function readWish(ctx: CommandContext<BotContext>, { people }: FeatureParts): Wish | "usage" | "stranger" {
  // What an admin passes on was said by somebody else.
  if (ctx.msg.forward_origin) return "usage";
  const words = ctx.match.trim().split(/\s+/).filter(Boolean);
  const replied = repliedPerson(ctx);
  const [first = "", second = ""] = words;
  const isToReplied = replied !== undefined && !first.startsWith("@");
  // "/credit 5 7" in reply to somebody could mean two things: neither is done.
  if (isToReplied && (/^\d/.test(second) || people.find(Number(first)))) return "usage";
  const amount = isToReplied ? first : second;
  const reasonWords = words.slice(isToReplied ? 1 : 2);
  // "1 000" is a thousand to the one who writes it, not one ruble for the reason "000".
  if (/^\d{1,3}$/.test(amount) && /^\d{3}(?!\d)/.test(reasonWords[0] ?? "")) return "usage";
  const kopecks = parseRubles(amount);
  if (kopecks === undefined || kopecks === 0) return "usage";
  const person = isToReplied ? people.find(replied.id) : findPerson(first, people);
  if (person === "usage") return "usage";
  if (!person) return "stranger";
  const reason = cutText(cleanText(reasonWords.join(" ")), REASON_MAX);
  return { person, kopecks, reason: reason || null };
}

/**
 * The person whose own words the command answers. In a topic every message answers the one that opened it, and
 * a message that was passed on holds somebody else's words: neither names anybody.
 */
function repliedPerson(ctx: CommandContext<BotContext>): User | undefined {
  const replied = ctx.msg.reply_to_message;
  if (!replied || replied.forum_topic_created || replied.forward_origin) return undefined;
  if (ctx.msg.is_topic_message && replied.message_id === ctx.msg.message_thread_id) return undefined;
  return replied.from?.is_bot ? undefined : replied.from;
}

function findPerson(word: string, people: FeatureParts["people"]): Person | undefined | "usage" {
  if (/^@\w{3,32}$/.test(word)) return people.findByUsername(word);
  return /^\d{1,15}$/.test(word) ? people.find(Number(word)) : "usage";
}

/** Tells the person in their own language, and offers to go on with what waits in that chat for being paid. */
async function tell(
  kind: "credit" | "debit",
  { person, kopecks, reason }: Wish,
  balanceKopecks: Kopecks,
  { api, texts, drafts, logger }: FeatureParts,
): Promise<boolean> {
  const { t, money } = texts.in(person.locale);
  const lines = [t(`told-${kind}`, { sum: money(kopecks), balance: money(balanceKopecks) })];
  if (reason) lines.push(t("told-reason", { reason: escapeHtml(reason) }));
  const waiting = kind === "credit" ? drafts.composing(person.id, person.id) : undefined;
  const action = { kind: "show" } as const;
  const go =
    waiting?.prompt != null && writeCardData({ draftId: waiting.id, revision: waiting.revision, action });
  try {
    await api.sendMessage(person.id, lines.join("\n"), {
      parse_mode: "HTML",
      ...(go ? { reply_markup: new InlineKeyboard().text(t("button-go-on"), go) } : {}),
    });
    return true;
  } catch (error) {
    logger.info({ user_id: person.id, err: error }, "person not told of a correction");
    return false;
  }
}
