import type { Message, Update } from "grammy/types";
import type { Admins } from "../../accounts/admin-store.js";
import type { BotGround } from "../bot-ground.js";
import { ToldLimits } from "../orders/pay.js";
import { type ChatPlace, inTopicOrGroup, originOf, topicOf } from "../telegram/place.js";
import { cutText } from "../texts/html.js";
import type { Language } from "../texts/texts.js";

/** Commands that move money: repeating one blindly moves it twice. */
const CORRECTION = /^\/(?:credit|debit)(?:@\w+)?(?:\s|$)/;
const QUOTE_MAX = 1000;

/** `fault`: handling them ended the process; `flood`: too many of them waited. */
export type GivenUpReason = "fault" | "flood";

export function isCorrection({ message }: Update, adminIds: Admins): boolean {
  return message?.from !== undefined && adminIds.has(message.from.id) && CORRECTION.test(message.text ?? "");
}

type GivenUpParts = Pick<BotGround, "api" | "people" | "texts" | "access" | "adminIds" | "logger">;

interface Answer extends ChatPlace {
  language: Language;
  corrections: string[];
  /** Taps, whose buttons spin until they are answered. */
  taps: string[];
}

/** Tells each chat at most once a minute that updates of a flood were dropped. */
export function tellFloods(bot: GivenUpParts & Pick<BotGround, "clock">): (update: Update) => void {
  const told = new ToldLimits(bot.clock);
  return (update) => {
    const { chatId } = originOf(update);
    if (chatId !== undefined && !told.note(chatId)) void answerGivenUp(bot, [update], "flood");
  };
}

/** Tells each chat once, and answers the taps. Call it after the updates have left the inbox. Never rejects. */
export async function answerGivenUp(
  parts: GivenUpParts,
  updates: readonly Update[],
  reason: GivenUpReason = "fault",
): Promise<void> {
  const { api, logger } = parts;
  for (const answer of answersTo(parts, updates)) {
    const { chatId, threadId, taps } = answer;
    await inTopicOrGroup(threadId, (place) => api.sendMessage(chatId, textOf(answer, reason), place)).catch(
      (error: unknown) => logger.warn({ chat_id: chatId, err: error }, "dropped update not answered"),
    );
    for (const id of taps)
      await api
        .answerCallbackQuery(id)
        .catch((error: unknown) => logger.debug({ chat_id: chatId, err: error }, "dropped tap not answered"));
  }
}

function answersTo({ people, texts, access, adminIds }: GivenUpParts, updates: readonly Update[]): Answer[] {
  const answers = new Map<number, Answer>();
  for (const update of updates) {
    const { chatId, from } = originOf(update);
    // Membership changes and messages sent on behalf of a chat need no answer.
    const said = update.message ?? update.edited_message;
    const isWaitedFor = !update.my_chat_member && !said?.sender_chat;
    if (chatId === undefined || !from || from.is_bot || !isWaitedFor || !access.isFor(from.id)) continue;
    const answer = answers.get(chatId) ?? {
      chatId,
      threadId: topicOf((said ?? update.callback_query?.message) as Message | undefined),
      language: texts.in(people.find(from.id)?.locale ?? from.language_code),
      corrections: [],
      taps: [],
    };
    answers.set(chatId, answer);
    if (update.callback_query) answer.taps.push(update.callback_query.id);
    if (isCorrection(update, adminIds)) answer.corrections.push(update.message?.text ?? "");
  }
  return [...answers.values()];
}

function textOf({ corrections, language: { t } }: Answer, reason: GivenUpReason): string {
  if (corrections.length === 0) return t(reason === "flood" ? "update-flood" : "update-given-up");
  return t("correction-given-up", { commands: cutText(corrections.join("\n"), QUOTE_MAX) });
}
