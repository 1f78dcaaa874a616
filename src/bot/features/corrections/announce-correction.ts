import { type Api, GrammyError } from "grammy";
import type { Kopecks } from "../../../contract/money.js";
import type { Logger } from "../../../platform/logger.js";
import type { MadeCorrection } from "../../../ports/admin.js";
import type { Drafts } from "../../card/draft/draft-store.js";
import { goOnKeyboard } from "../../card/go-on-keyboard.js";
import type { GoOnNotices } from "../../card/go-on-notices.js";
import type { BotContext } from "../../context.js";
import { correctedText } from "../../people/balance-words.js";
import type { Person } from "../../people/people.js";
import { telegramFailure } from "../../telegram/failure.js";
import { isPrivate } from "../../telegram/place.js";
import { escapeHtml } from "../../texts/html.js";
import type { Texts } from "../../texts/texts.js";
import type { CorrectionKind } from "./asked-corrections.js";

export interface AnnounceDeps {
  api: Api;
  texts: Texts;
  drafts: Drafts;
  goOnNotices: GoOnNotices;
  logger: Logger;
}

export interface DoneCorrection extends Omit<MadeCorrection, "userId"> {
  person: Person;
  outcome: "done" | "repeated";
  /** The part of a credit that paid a debt; absent where it was told before. */
  debtPaidKopecks?: Kopecks;
}

/** Tells the person and the admin. Runs again after a crash, so they may be told twice. */
export async function announceCorrection(
  ctx: BotContext,
  kind: CorrectionKind,
  done: DoneCorrection,
  deps: AnnounceDeps,
): Promise<void> {
  const { person, kopecks, outcome } = done;
  const ids = { admin_id: ctx.person.id, user_id: person.id };
  deps.logger.info({ ...ids, kind, kopecks, outcome }, "balance corrected");
  const isTold = await tell(kind, done, deps);
  const html = (isGroup: boolean) => {
    const text = correctedText({ ...done, kind }, { language: ctx.language, isGroup });
    return isTold ? text : `${text}\n${ctx.language.t("correction-untold")}`;
  };
  await answer(ctx, html, deps);
}

/** Logs a refusal by Telegram: the correction is done and must not be tried again. */
async function answer(
  ctx: BotContext,
  html: (isGroup: boolean) => string,
  { api, logger }: AnnounceDeps,
): Promise<void> {
  const isGroup = !isPrivate(ctx);
  const onFault = (error: unknown) => {
    if (!(error instanceof GrammyError)) throw error;
    logger.warn({ admin_id: ctx.person.id, err: error }, "correction notice to the admin not sent");
  };
  try {
    await ctx.reply(html(isGroup), { parse_mode: "HTML" });
  } catch (error) {
    if (!isGroup || telegramFailure(error).kind !== "wait") return onFault(error);
    // An admin who hears nothing from a flooded group may correct twice.
    await api.sendMessage(ctx.person.id, html(false), { parse_mode: "HTML" }).catch(onFault);
  }
}

async function tell(
  kind: CorrectionKind,
  { person, kopecks, reason, balanceKopecks, debtPaidKopecks }: DoneCorrection,
  { api, texts, drafts, goOnNotices, logger }: AnnounceDeps,
): Promise<boolean> {
  const language = texts.in(person.locale);
  const { t, money } = language;
  const lines = [t(`told-${kind}`, { sum: money(kopecks), balance: money(balanceKopecks) })];
  if (debtPaidKopecks) lines.push(t("payment-debt", { debt: money(debtPaidKopecks) }));
  if (reason) lines.push(t("told-reason", { reason: escapeHtml(reason) }));
  const keyboard = kind === "credit" ? goOnKeyboard(drafts, person, language) : undefined;
  try {
    const { message_id } = await api.sendMessage(person.id, lines.join("\n"), {
      parse_mode: "HTML",
      ...(keyboard && { reply_markup: keyboard }),
    });
    await goOnNotices.sent(person.id, message_id, keyboard !== undefined);
    return true;
  } catch (error) {
    logger.info({ user_id: person.id, err: error }, "correction notice to the person not sent");
    return false;
  }
}
