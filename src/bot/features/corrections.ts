import { type CommandContext, Composer, GrammyError } from "grammy";
import type { User } from "grammy/types";
import type { Generated, Selectable } from "kysely";
import type { MadeCorrection } from "../../accounts/ledger-store.js";
import { type Kopecks, parseRubles, rublesOf } from "../../contract/price.js";
import { lessThan, table } from "../../database/table.js";
import type { Integer } from "../../platform/integer.js";
import { DAY_MS, MINUTE_MS } from "../../platform/units.js";
import { goOnKeyboard } from "../card/card-messages.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { isAdmin, ownWordsOnly, taps } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import { personText } from "../people/balance-words.js";
import type { OwnData, People, Person } from "../people/people.js";
import { findPerson, type PersonRef, readPersonRef } from "../people/person-ref.js";
import { confirmScreen, replyUsage, sendScreen, shownAs } from "../screens.js";
import { buttonData, type DataOf, marked, natural } from "../telegram/button-data.js";
import { telegramFailure } from "../telegram/failure.js";
import { isPrivate } from "../telegram/place.js";
import { alertTap, answerTap, editOrIgnore } from "../telegram/tap-answers.js";
import { cleanText, cutText, escapeHtml, quotedWord } from "../texts/html.js";
import type { Translate } from "../texts/texts.js";

interface AskedCorrectionTable {
  id: Generated<number>;
  /** The command's own key: the correction is applied once whatever happens. */
  idempotency_key: string;
  admin_id: number;
  kind: CorrectionKind;
  user_id: number;
  kopecks: Kopecks;
  reason: string | null;
  asked_at: Integer;
}

declare module "../../database/prepared.js" {
  interface Schema {
    asked_correction: AskedCorrectionTable;
  }
}

interface ReadSum {
  kopecks: Kopecks;
  reason: string | null;
}

/**
 * `amount_split`: an amount with a space in it. `amount_twice`: a second number, which is no reason. `two_meanings`: a
 * number in a reply that may be an id or an amount.
 */
interface CorrectionFault {
  fault: "empty" | "person" | "amount_missing" | "amount" | "amount_split" | "amount_twice" | "two_meanings";
  word: string;
}

const REASON_MAX = 200;
const NUMBER = /^[-+]?\d[\d\s.,]*(?:₽|rub|руб\.?)?$/i;

/** Reads `USER RUB [reason]`, or `RUB [reason]` in a reply to the person. */
export function readCorrection(
  text: string,
  replied: PersonRef | undefined,
  people: Pick<People, "find" | "findByUsername">,
): (ReadSum & { person: PersonRef }) | CorrectionFault {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const [first = "", second = ""] = words;
  if (first === "") return { fault: "empty", word: "" };
  const named = readPersonRef(first, people);
  const isNamed = first.startsWith("@") || (named && "username" in named && /^\d/.test(second));
  const isToReplied = replied !== undefined && !isNamed;
  // "/credit 5 7" in a reply has two meanings: neither is executed.
  if (isToReplied && (/^\d/.test(second) || people.find(Number(first))))
    return { fault: "two_meanings", word: first };
  const person = isToReplied ? replied : named;
  if (!person) return { fault: "person", word: first };
  const sum = readSum(words.slice(isToReplied ? 0 : 1));
  return "fault" in sum ? sum : { person, ...sum };
}

/** Reads `RUB [reason]`. */
export function readSum([amount, ...reasonWords]: readonly string[]): ReadSum | CorrectionFault {
  if (amount === undefined) return { fault: "amount_missing", word: "" };
  const [next = ""] = reasonWords;
  // "1 000" means a thousand, not one ruble with the reason "000".
  if (/^\d{1,3}$/.test(amount) && /^\d{3}(?!\d)/.test(next))
    return { fault: "amount_split", word: `${amount} ${next}` };
  const kopecks = parseRubles(amount);
  if (!kopecks) return { fault: "amount", word: amount };
  const reason = cutText(cleanText(reasonWords.join(" ")), REASON_MAX);
  return NUMBER.test(reason) ? { fault: "amount_twice", word: reason } : { kopecks, reason: reason || null };
}

/** Tells what is wrong, as plain text. */
export function faultText({ fault, word }: CorrectionFault, t: Translate): string {
  return t(`fault-${fault}`, { word: quotedWord(word) });
}

/** `m:<question>:<y or n>`. The row of the question has everything else. */
export const correctionData = buttonData("m", [natural("askedId"), marked("answer", { yes: "y", no: "n" })]);

const ASKED_MS = 10 * MINUTE_MS;
/** Rows are kept longer than they may be confirmed, so that a late tap is told why. */
const KEPT_MS = 7 * DAY_MS;

const CORRECTION_KINDS = ["credit", "debit"] as const;
export type CorrectionKind = (typeof CORRECTION_KINDS)[number];

const questions = table("asked_correction");

/** A correction that waits for its admin's confirmation, exactly as it was understood. */
type AskedCorrection = Omit<Selectable<AskedCorrectionTable>, "id" | "asked_at">;

/** Resolves to the number of the question. A command that is handled again keeps its question. */
function keepQuestion(asked: AskedCorrection, { database, clock }: ManagedBot): Promise<number> {
  const now = clock.now();
  return database.write("correction-asked", (tx) => {
    questions.delete(tx, { asked_at: lessThan(now - KEPT_MS) });
    questions.insertOnce(tx, { ...asked, asked_at: now });
    const row = questions.get(tx, { idempotency_key: asked.idempotency_key });
    if (!row) throw new Error("a question about a correction was not written");
    return row.id;
  });
}

/** Maximum length of a quoted command. */
const COMMAND_SHOWN = 1000;

/** Handles `/credit` and `/debit`, for admins only. */
export function correctionsFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(isAdmin(bot.adminIds));
  for (const kind of CORRECTION_KINDS)
    forAdmins.command(kind, ownWordsOnly, (ctx) => correct(ctx, kind, bot));
  composer.use(taps(correctionData, (ctx, data) => answerQuestion(ctx, data, bot)));
  const ownData: OwnData = {
    // The reasons of questions about a person may be words about them.
    eraseIn: (tx, userId) => void questions.delete(tx, { user_id: userId }),
  };
  return { adminCommands: CORRECTION_KINDS, ownData, composer };
}

async function correct(
  ctx: CommandContext<BotContext>,
  kind: CorrectionKind,
  bot: ManagedBot,
): Promise<void> {
  const { people } = bot;
  const { t } = ctx.language;
  // An admin who is told to try again may credit twice.
  ctx.faultText = t("correction-given-up", { commands: cutText(ctx.msg.text, COMMAND_SHOWN) });
  // Another bot on the same data has its own message ids in the same chats.
  const idempotencyKey = `telegram:${ctx.me.id}:${ctx.chatId}:${ctx.msgId}`;
  // An update that runs again after a crash keeps its first result: the @name may have moved since.
  const made = await bot.accounts.users.correctionMade(idempotencyKey);
  const corrected = made && people.find(made.userId);
  if (made && corrected)
    return announceCorrection(ctx, kind, { ...made, person: corrected, outcome: "repeated" }, bot);

  const request = readCorrection(ctx.match, repliedPerson(ctx), people);
  if ("fault" in request)
    return replyUsage(ctx, kind, request.fault === "empty" ? undefined : faultText(request, t));
  const found = await findPerson(request.person, bot, t);
  if ("fault" in found) return void (await ctx.reply(found.fault));
  const { kopecks, reason } = request;
  const of = { admin_id: ctx.person.id, user_id: found.person.id, idempotency_key: idempotencyKey };
  const correction = { ...of, kind, kopecks, reason };
  const isLarge = kopecks > bot.correctionAskKopecks;
  await (isLarge ? askCorrection(ctx, correction, bot) : apply(ctx, correction, bot));
}

/** Applies a correction. The same key is applied once. */
async function apply(ctx: BotContext, correction: AskedCorrection, bot: ManagedBot): Promise<void> {
  const { admin_id, kind, user_id: userId, kopecks, reason, idempotency_key: idempotencyKey } = correction;
  const person = bot.people.find(userId);
  if (!person) throw new Error("the person of a correction is unknown");
  await bot.accounts.users.idOf(person);
  const actor = `telegram:${admin_id}`;
  const made = await bot.accounts.users[kind]({ userId, kopecks, reason, actor, idempotencyKey });
  if (made.outcome !== "too_large")
    return announceCorrection(ctx, kind, { ...made, person, kopecks, reason }, bot);
  const { t, money } = ctx.language;
  const whose = { person: personText(person), balance: money(made.balanceKopecks) };
  const words = isPrivate(ctx) ? "correction-too-large" : "correction-too-large-group";
  await ctx.reply(t(words, whose), { parse_mode: "HTML" });
}

/** Asks the admin. Nothing is changed until they confirm. */
export async function askCorrection(
  ctx: BotContext,
  correction: AskedCorrection,
  bot: ManagedBot,
): Promise<void> {
  const { t, money } = ctx.language;
  const { kind, kopecks } = correction;
  const person = bot.people.find(correction.user_id);
  if (!person) throw new Error("the person of a correction is unknown");
  const askedId = await keepQuestion(correction, bot);
  const sum = money(kopecks);
  const yes = {
    label: t(`button-correct-${kind}`, { sum }),
    data: correctionData.encode({ askedId, answer: "yes" }),
  };
  const back = { label: t("button-cancel"), data: correctionData.encode({ askedId, answer: "no" }) };
  const text = t(`correction-ask-${kind}`, { sum, person: personText(person) });
  await sendScreen(ctx, confirmScreen(text, { yes, back }, t));
}

/** Takes the answer of the admin who was asked, once and in time. */
async function answerQuestion(
  ctx: BotContext,
  { askedId, answer }: DataOf<typeof correctionData>,
  bot: ManagedBot,
): Promise<void> {
  const { t } = ctx.language;
  const { database, clock, adminIds } = bot;
  // The first of a double tap does it.
  if (ctx.tap?.isRepeated) return answerTap(ctx);
  const asked = questions.get(database, { id: askedId });
  if (!asked) return answerTap(ctx, t("tap-unknown"));
  if (asked.admin_id !== ctx.person.id || !adminIds.has(ctx.person.id))
    return alertTap(ctx, t("tap-not-yours"));
  // An earlier tap may have applied it before the process ended: then neither answer takes it back.
  const isMade = (await bot.accounts.users.correctionMade(asked.idempotency_key)) !== undefined;
  // A clock that was set back must not prolong a question.
  const isOver = Math.abs(clock.now() - asked.asked_at) >= ASKED_MS;
  const isApplied = isMade || (answer === "yes" && !isOver);
  if (isApplied) {
    const commands = `/${asked.kind} ${asked.user_id} ${rublesOf(asked.kopecks)}`;
    ctx.faultText = t("correction-given-up", { commands });
    await apply(ctx, asked, bot);
  }
  await database.write("correction-answered", (tx) => questions.delete(tx, { id: askedId }));
  const words = t(isOver ? "correction-ask-over" : "correction-cancelled");
  const edit = () => (isApplied ? ctx.editMessageReplyMarkup() : ctx.editMessageText(words));
  await Promise.all([answerTap(ctx), editOrIgnore(edit())]);
}

/** Returns the replied-to person. Undefined for forwards, anonymous senders and a topic's first message. */
function repliedPerson(ctx: CommandContext<BotContext>): User | undefined {
  const replied = ctx.msg.reply_to_message;
  if (!replied || replied.forum_topic_created || replied.forward_origin || replied.sender_chat)
    return undefined;
  if (ctx.msg.is_topic_message && replied.message_id === ctx.msg.message_thread_id) return undefined;
  return replied.from?.is_bot ? undefined : replied.from;
}

interface DoneCorrection extends Omit<MadeCorrection, "userId"> {
  person: Person;
  outcome: "done" | "repeated";
  /** The part of a credit that paid a debt; absent where it was told before. */
  debtPaidKopecks?: Kopecks;
}

/** Tells the person and the admin. Runs again after a crash, so they may be told twice. */
async function announceCorrection(
  ctx: BotContext,
  kind: CorrectionKind,
  done: DoneCorrection,
  bot: ManagedBot,
): Promise<void> {
  const { person, kopecks, outcome, debtPaidKopecks } = done;
  const ids = { admin_id: ctx.person.id, user_id: person.id };
  bot.logger.info({ ...ids, kind, kopecks, outcome }, "balance corrected");
  const isTold = await tell(kind, done, bot);
  const { t, money } = ctx.language;
  const corrected = t(`corrected-${kind}`, { person: personText(person), sum: money(kopecks) });
  const debt = debtPaidKopecks ? ` ${t("corrected-debt", { debt: money(debtPaidKopecks) })}` : "";
  const balance = `${debt} ${t("corrected-balance", { balance: money(done.balanceKopecks) })}`;
  const untold = isTold ? "" : `\n${t("correction-untold")}`;
  const isGroup = !isPrivate(ctx);
  // A refusal by Telegram is logged alone: the correction is done and must not be tried again.
  const onFault = (error: unknown) => {
    if (!(error instanceof GrammyError)) throw error;
    bot.logger.warn({ admin_id: ctx.person.id, err: error }, "correction notice to the admin not sent");
  };
  try {
    // A group must not see a balance, or a debt.
    await ctx.reply(`${corrected}${isGroup ? "" : balance}${untold}`, { parse_mode: "HTML" });
  } catch (error) {
    if (!isGroup || telegramFailure(error).kind !== "wait") return onFault(error);
    // An admin who hears nothing from a flooded group may correct twice.
    const html = `${corrected}${balance}${untold}`;
    await bot.api.sendMessage(ctx.person.id, html, { parse_mode: "HTML" }).catch(onFault);
  }
}

async function tell(
  kind: CorrectionKind,
  { person, kopecks, reason, balanceKopecks, debtPaidKopecks }: DoneCorrection,
  { api, texts, drafts, goOnNotices, logger }: ManagedBot,
): Promise<boolean> {
  const language = texts.in(person.locale);
  const { t, money } = language;
  const lines = [t(`told-${kind}`, { sum: money(kopecks), balance: money(balanceKopecks) })];
  if (debtPaidKopecks) lines.push(t("payment-debt", { debt: money(debtPaidKopecks) }));
  if (reason) lines.push(t("told-reason", { reason: escapeHtml(reason) }));
  const keyboard = kind === "credit" ? goOnKeyboard(drafts, person, language) : undefined;
  try {
    const screen = { text: lines.join("\n"), keyboard };
    const { message_id } = await api.sendMessage(person.id, screen.text, shownAs(screen));
    await goOnNotices.sent(person.id, message_id, keyboard !== undefined);
    return true;
  } catch (error) {
    logger.info({ user_id: person.id, err: error }, "correction notice to the person not sent");
    return false;
  }
}
