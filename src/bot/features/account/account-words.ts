import type { BotContext } from "../../context.js";
import { type AnswerOutcome, type Question, type QuestionDialog, questionDialog } from "../../dialogs/ask.js";
import type { Person } from "../../people/people.js";
import { sendNotice } from "../../people/send-notice.js";
import { isOwnWords } from "../../telegram/message-content.js";
import { cleanText, cutText, escapeHtml } from "../../texts/html.js";
import { readBanTerms } from "../bans/ban-terms.js";
import { makeBan } from "../bans/make-ban.js";
import type { CorrectionKind } from "../corrections/asked-corrections.js";
import { faultText, readCorrection } from "../corrections/correction-request.js";
import { askCorrection } from "../corrections/corrections.js";
import type { AccountAction } from "./account-data.js";
import type { AccountDeps } from "./show-account.js";

export type WordsFor = Exclude<AccountAction, "show" | "send" | "unban">;

/** Asks an admin for the words of an act: a sum, a message, a note, or the terms of a ban. */
export const ACCOUNT_WORDS: Question<{ userId: number; act: WordsFor }> = { name: "account-words" };

const MESSAGE_MAX = 3500;
const NOTE_MAX = 1000;

export interface WordsDeps extends AccountDeps {
  now: () => number;
}

export function accountWords(deps: WordsDeps): QuestionDialog {
  return questionDialog(ACCOUNT_WORDS, {
    endsOnCommand: true,
    async take(ctx, { userId, act }) {
      const person = deps.people.find(userId);
      if (!deps.adminIds.has(ctx.person.id) || !person) return { kind: "gone" };
      const { message } = ctx;
      if (message?.text === undefined) return { kind: "passed" };
      if (!isOwnWords(message)) return refuse(ctx, ctx.language.t("admin-own-words"));
      return take(ctx, person, act, message.text, deps);
    },
  });
}

async function take(
  ctx: BotContext,
  person: Person,
  act: WordsFor,
  words: string,
  deps: WordsDeps,
): Promise<AnswerOutcome> {
  const idempotencyKey = `telegram:${ctx.me.id}:${ctx.chatId}:${ctx.msgId}`;
  const actor = `telegram:${ctx.person.id}`;
  switch (act) {
    case "credit":
    case "debit":
      return correct(ctx, { person, kind: act, words, idempotencyKey }, deps);
    case "message":
      await send(ctx, person, words, deps);
      return { kind: "over" };
    case "note": {
      const text = cutText(cleanText(words), NOTE_MAX);
      if (text === "") return refuse(ctx, ctx.language.t("account-ask-note"));
      await deps.records.note({ userId: person.id, text, actor, idempotencyKey });
      return { kind: "over", reply: () => ctx.reply(ctx.language.t("account-noted")) };
    }
    case "ban": {
      const sentAt = (ctx.msg?.date ?? 0) * 1000;
      const terms = readBanTerms(words === "-" ? "" : words, { sentAt, now: deps.now() });
      if ("wrongUntil" in terms)
        return refuse(ctx, ctx.language.t("fault-until", { word: terms.wrongUntil }));
      await makeBan(ctx, person, terms, deps);
      return { kind: "over" };
    }
  }
}

async function correct(
  ctx: BotContext,
  asked: { person: Person; kind: CorrectionKind; words: string; idempotencyKey: string },
  deps: WordsDeps,
): Promise<AnswerOutcome> {
  const { person, kind, words, idempotencyKey } = asked;
  const known = { replied: undefined, isKnownId: () => true, isKnownName: () => false };
  const request = readCorrection(`${person.id} ${words}`, known);
  if ("fault" in request)
    return refuse(ctx, faultText(request, ctx.language.t) ?? ctx.language.t("fault-amount_missing"));
  const { kopecks, reason } = request;
  const correction = { adminId: ctx.person.id, kind, userId: person.id, kopecks, reason, idempotencyKey };
  // Buttons have led here: nothing moves before a question that names person and sum.
  await askCorrection(ctx, correction, deps);
  return { kind: "over" };
}

/** Sends the words of an admin to a person. The act is recorded first: what may have been sent is known. */
async function send(ctx: BotContext, person: Person, words: string, deps: WordsDeps): Promise<void> {
  const { t } = deps.texts.in(person.locale);
  const accountId = deps.records.of(person.id)?.accountId ?? null;
  const nothing = { subject: null, before: null, after: null, reason: null };
  await deps.audit.record({ actor: `telegram:${ctx.person.id}`, act: "message", accountId, ...nothing });
  const text = t("told-message", { text: escapeHtml(cutText(cleanText(words), MESSAGE_MAX)) });
  const isSent = await sendNotice(person, text, deps);
  await ctx.reply(ctx.language.t(isSent ? "account-message-sent" : "correction-untold"));
}

function refuse(ctx: BotContext, text: string): AnswerOutcome {
  return { kind: "refused", reply: () => ctx.reply(text) };
}
