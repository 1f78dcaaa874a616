import { type Api, type CommandContext, Composer, GrammyError } from "grammy";
import type { User } from "grammy/types";
import type { Logger } from "../../../platform/logger.js";
import type { AccountAdmin, MadeCorrection } from "../../../ports/admin.js";
import { correctedText, tooLargeText } from "../../balance-words.js";
import { goOnKeyboard } from "../../card/go-on-keyboard.js";
import { type BotContext, isPrivate } from "../../context.js";
import type { Drafts } from "../../draft/draft-store.js";
import type { Feature } from "../../feature.js";
import { cutText, escapeHtml } from "../../html.js";
import { isAdmin, ownWordsOnly } from "../../middleware/admin-only.js";
import type { People, Person } from "../../people/people.js";
import { findPerson, notFoundText } from "../../people/person-ref.js";
import type { Texts } from "../../texts.js";
import { faultText, readCorrection } from "./correction-request.js";

const KINDS = ["credit", "debit"] as const;
/** Maximum length of a quoted command. */
const COMMAND_SHOWN = 1000;

type Kind = (typeof KINDS)[number];

interface CorrectionDeps {
  /** With retries. */
  api: Api;
  people: People;
  texts: Texts;
  drafts: Drafts;
  admin: AccountAdmin;
  adminIds: ReadonlySet<number>;
  logger: Logger;
}

interface Done extends Omit<MadeCorrection, "userId"> {
  person: Person;
  outcome: "done" | "repeated";
}

/** `/credit` and `/debit`, for admins only. */
export function correctionsFeature(deps: CorrectionDeps): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(isAdmin(deps.adminIds));
  for (const kind of KINDS) forAdmins.command(kind, ownWordsOnly, (ctx) => correct(ctx, kind, deps));
  return { name: "corrections", adminCommands: KINDS, composer };
}

async function correct(ctx: CommandContext<BotContext>, kind: Kind, deps: CorrectionDeps): Promise<void> {
  const { admin, people } = deps;
  const { t } = ctx.language;
  // An admin who is told to try again may credit twice.
  ctx.faultText = t("correction-given-up", { commands: cutText(ctx.msg.text, COMMAND_SHOWN) });
  // Another bot on the same data has its own message ids in the same chats.
  const idempotencyKey = `telegram:${ctx.me.id}:${ctx.chatId}:${ctx.msgId}`;
  // An update that runs again after a crash keeps its first result: the @name may have moved since.
  const made = await admin.correctionMade(idempotencyKey);
  const corrected = made && people.find(made.userId);
  if (made && corrected) {
    return announce(ctx, kind, { ...made, person: corrected, outcome: "repeated" }, deps);
  }

  const request = readCorrection(ctx.match, {
    replied: repliedPerson(ctx),
    isKnownId: (id) => people.find(id) !== undefined,
  });
  if ("fault" in request) {
    const lines = [faultText(request, t), t(`usage-${kind}`)].filter(Boolean);
    return void (await ctx.reply(lines.join("\n\n")));
  }
  const found = await findPerson(request.person, deps);
  if (found.kind !== "found") return void (await ctx.reply(notFoundText(found, t)));
  const { person } = found;
  const { kopecks, reason } = request;
  await admin.ensure(person);
  const actor = `telegram:${ctx.person.id}`;
  const correction = { userId: person.id, kopecks, reason, actor, idempotencyKey };
  const { outcome, balanceKopecks } = await admin[kind](correction);
  if (outcome === "too_large") {
    const html = tooLargeText({ person, balanceKopecks }, readerOf(ctx));
    return void (await ctx.reply(html, { parse_mode: "HTML" }));
  }
  await announce(ctx, kind, { person, kopecks, reason, balanceKopecks, outcome }, deps);
}

/** Tells the person and the admin. Runs again after a crash, so they may be told twice. */
async function announce(ctx: BotContext, kind: Kind, done: Done, deps: CorrectionDeps): Promise<void> {
  const { person, kopecks, balanceKopecks, outcome } = done;
  const ids = { admin_id: ctx.person.id, user_id: person.id };
  deps.logger.info({ ...ids, kind, kopecks, outcome }, "balance corrected");
  const isTold = await tell(kind, done, deps);
  const lines = [correctedText({ kind, person, kopecks, balanceKopecks }, readerOf(ctx))];
  if (!isTold) lines.push(ctx.language.t("correction-untold"));
  await answer(ctx, lines.join("\n"), deps);
}

function readerOf(ctx: BotContext) {
  return { language: ctx.language, isGroup: !isPrivate(ctx) };
}

/** Logs a refusal by Telegram: the correction is done and must not be tried again. */
async function answer(ctx: BotContext, html: string, { logger }: CorrectionDeps): Promise<void> {
  try {
    await ctx.reply(html, { parse_mode: "HTML" });
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error;
    logger.warn({ admin_id: ctx.person.id, err: error }, "correction notice to the admin not sent");
  }
}

/** Undefined for forwards, anonymous senders and a topic's first message, to which all its messages reply. */
function repliedPerson(ctx: CommandContext<BotContext>): User | undefined {
  const replied = ctx.msg.reply_to_message;
  if (!replied || replied.forum_topic_created || replied.forward_origin || replied.sender_chat)
    return undefined;
  if (ctx.msg.is_topic_message && replied.message_id === ctx.msg.message_thread_id) return undefined;
  return replied.from?.is_bot ? undefined : replied.from;
}

async function tell(
  kind: Kind,
  { person, kopecks, reason, balanceKopecks }: Done,
  { api, texts, drafts, logger }: CorrectionDeps,
): Promise<boolean> {
  const language = texts.in(person.locale);
  const { t, money } = language;
  const lines = [t(`told-${kind}`, { sum: money(kopecks), balance: money(balanceKopecks) })];
  if (reason) lines.push(t("told-reason", { reason: escapeHtml(reason) }));
  const keyboard = kind === "credit" ? goOnKeyboard(drafts, person, language) : undefined;
  try {
    await api.sendMessage(person.id, lines.join("\n"), {
      parse_mode: "HTML",
      ...(keyboard && { reply_markup: keyboard }),
    });
    return true;
  } catch (error) {
    logger.info({ user_id: person.id, err: error }, "correction notice to the person not sent");
    return false;
  }
}
