import { type CommandContext, Composer } from "grammy";
import type { User } from "grammy/types";
import { type Kopecks, rublesOf } from "../../../contract/money.js";
import type { AccountAdmin } from "../../../ports/admin.js";
import type { Admins } from "../../../ports/admins.js";
import type { BotContext } from "../../context.js";
import { moneyQuestion } from "../../dialogs/money-question.js";
import type { Feature } from "../../feature.js";
import { isAdmin, ownWordsOnly } from "../../middleware/admin-only.js";
import { taps } from "../../middleware/taps.js";
import { personText, tooLargeText } from "../../people/balance-words.js";
import type { People } from "../../people/people.js";
import { findPerson, knownNames, notFoundText } from "../../people/person-ref.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { isPrivate } from "../../telegram/place.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { cutText, usageHtml } from "../../texts/html.js";
import { type AnnounceDeps, announceCorrection } from "./announce-correction.js";
import {
  type AskedCorrection,
  type AskedCorrections,
  CORRECTION_KINDS,
  type CorrectionKind,
  eraseAskedCorrections,
} from "./asked-corrections.js";
import { type CorrectionData, correctionData } from "./correction-data.js";
import { faultText, readCorrection } from "./correction-request.js";

/** Maximum length of a quoted command. */
const COMMAND_SHOWN = 1000;

export interface CorrectionDeps extends AnnounceDeps {
  people: People;
  admin: AccountAdmin;
  adminIds: Admins;
  askedCorrections: AskedCorrections;
  /** The largest correction that is not asked about once more. */
  correctionAskKopecks: Kopecks;
}

/** Handles `/credit` and `/debit`, for admins only. */
export function correctionsFeature(deps: CorrectionDeps): Feature {
  const composer = new Composer<BotContext>();
  const forAdmins = composer.filter(isAdmin(deps.adminIds));
  for (const kind of CORRECTION_KINDS)
    forAdmins.command(kind, ownWordsOnly, (ctx) => correct(ctx, kind, deps));
  composer.use(taps(correctionData, (ctx, data) => answerQuestion(ctx, data, deps)));
  const callbackPrefixes = [correctionData.prefix];
  const ownData = { eraseIn: eraseAskedCorrections };
  return { name: "corrections", adminCommands: CORRECTION_KINDS, callbackPrefixes, ownData, composer };
}

async function correct(
  ctx: CommandContext<BotContext>,
  kind: CorrectionKind,
  deps: CorrectionDeps,
): Promise<void> {
  const { admin, people } = deps;
  const { t } = ctx.language;
  // An admin who is told to try again may credit twice.
  ctx.faultText = t("correction-given-up", { commands: cutText(ctx.msg.text, COMMAND_SHOWN) });
  // Another bot on the same data has its own message ids in the same chats.
  const idempotencyKey = `telegram:${ctx.me.id}:${ctx.chatId}:${ctx.msgId}`;
  // An update that runs again after a crash keeps its first result: the @name may have moved since.
  const made = await admin.correctionMade(idempotencyKey);
  const corrected = made && people.find(made.userId);
  if (made && corrected)
    return announceCorrection(ctx, kind, { ...made, person: corrected, outcome: "repeated" }, deps);

  const request = readCorrection(ctx.match, {
    replied: repliedPerson(ctx),
    isKnownId: (id) => people.find(id) !== undefined,
    isKnownName: knownNames(people),
  });
  if ("fault" in request) {
    const html = usageHtml(faultText(request, t), t(`usage-${kind}`));
    return void (await ctx.reply(html, { parse_mode: "HTML" }));
  }
  const found = await findPerson(request.person, deps);
  if (found.kind !== "found") return void (await ctx.reply(notFoundText(found, t)));
  const { kopecks, reason } = request;
  const { id: userId } = found.person;
  const correction = { adminId: ctx.person.id, kind, userId, kopecks, reason, idempotencyKey };
  await makeCorrection(ctx, correction, deps);
}

/** Applies a correction that was typed whole, or asks about a large one. The same key is applied once. */
export async function makeCorrection(
  ctx: BotContext,
  correction: AskedCorrection,
  deps: CorrectionDeps,
): Promise<void> {
  const isLarge = correction.kopecks > deps.correctionAskKopecks;
  await (isLarge ? askCorrection(ctx, correction, deps) : apply(ctx, correction, deps));
}

async function apply(ctx: BotContext, correction: AskedCorrection, deps: CorrectionDeps): Promise<void> {
  const { adminId, kind, userId, kopecks, reason, idempotencyKey } = correction;
  const person = deps.people.find(userId);
  if (!person) throw new Error("the person of a correction is unknown");
  await deps.admin.ensure(person);
  const actor = `telegram:${adminId}`;
  const made = await deps.admin[kind]({ userId, kopecks, reason, actor, idempotencyKey });
  const { balanceKopecks } = made;
  if (made.outcome !== "too_large")
    return announceCorrection(ctx, kind, { ...made, person, kopecks, reason }, deps);
  const audience = { language: ctx.language, isGroup: !isPrivate(ctx) };
  await ctx.reply(tooLargeText({ person, balanceKopecks }, audience), { parse_mode: "HTML" });
}

/** Asks the admin. Nothing is changed until they confirm. */
export async function askCorrection(
  ctx: BotContext,
  correction: AskedCorrection,
  deps: CorrectionDeps,
): Promise<void> {
  const { t, money } = ctx.language;
  const { kind, kopecks } = correction;
  const person = deps.people.find(correction.userId);
  if (!person) throw new Error("the person of a correction is unknown");
  const askedId = await deps.askedCorrections.ask(correction);
  const sum = money(kopecks);
  const { text, keyboard } = moneyQuestion(
    t(`correction-ask-${kind}`, { sum, person: personText(person) }),
    {
      yes: {
        label: t(`button-correct-${kind}`, { sum }),
        data: correctionData.encode({ askedId, isConfirmed: true }),
      },
      back: { label: t("button-cancel"), data: correctionData.encode({ askedId, isConfirmed: false }) },
    },
    t,
  );
  await ctx.reply(text, { parse_mode: "HTML", reply_markup: keyboard });
}

/** Takes the answer of the admin who was asked, once and in time. */
async function answerQuestion(
  ctx: BotContext,
  { askedId, isConfirmed }: CorrectionData,
  deps: CorrectionDeps,
): Promise<void> {
  const { t } = ctx.language;
  const { askedCorrections, adminIds } = deps;
  const asked = askedCorrections.find(askedId);
  if (!asked) return answerTap(ctx, t("tap-unknown"));
  if (asked.adminId !== ctx.person.id || !adminIds.has(ctx.person.id))
    return answerTap(ctx, t("tap-not-yours"), { isAlert: true });
  // An earlier tap may have applied it before the process ended: then neither answer takes it back.
  const isMade = (await deps.admin.correctionMade(asked.idempotencyKey)) !== undefined;
  const isApplied = isMade || (isConfirmed && !asked.isOver);
  if (isApplied) {
    ctx.faultText = t("correction-given-up", { commands: commandOf(asked) });
    await apply(ctx, asked, deps);
  }
  const words = asked.isOver ? "correction-ask-over" : "correction-cancelled";
  await askedCorrections.answered(askedId);
  await Promise.all([answerTap(ctx), close(ctx, isApplied ? undefined : t(words))]);
}

/** Writes the command that asks for the same correction. */
function commandOf({ kind, userId, kopecks }: AskedCorrection): string {
  return `/${kind} ${userId} ${rublesOf(kopecks)}`;
}

/** Takes the buttons away. @param words in place of the question */
function close(ctx: BotContext, words: string | undefined): Promise<void> {
  return editOrIgnore(words === undefined ? ctx.editMessageReplyMarkup() : ctx.editMessageText(words));
}

/** Returns the replied-to person. Undefined for forwards, anonymous senders and a topic's first message. */
function repliedPerson(ctx: CommandContext<BotContext>): User | undefined {
  const replied = ctx.msg.reply_to_message;
  if (!replied || replied.forum_topic_created || replied.forward_origin || replied.sender_chat)
    return undefined;
  if (ctx.msg.is_topic_message && replied.message_id === ctx.msg.message_thread_id) return undefined;
  return replied.from?.is_bot ? undefined : replied.from;
}
