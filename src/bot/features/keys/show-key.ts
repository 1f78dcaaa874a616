import { GrammyError, InlineKeyboard } from "grammy";
import type { BotContext } from "../../context.js";
import type { Removals } from "../../telegram/removals/removals.js";
import { keyData } from "./key-data.js";

/** Milliseconds for which a new key is shown. */
const SHOWN_MS = 5 * 60 * 1000;

/**
 * Schedules the removal before the message shows the key, so that no retry or crash leaves a key in the chat.
 * @throws when it is unknown whether the person has seen the key; the message is then removed
 */
export async function showKey(
  ctx: BotContext,
  chatId: number,
  key: string,
  removals: Removals,
): Promise<void> {
  const { t } = ctx.language;
  const { message_id: messageId } = await ctx.reply(t("key-coming"));
  await removals.schedule(chatId, messageId, SHOWN_MS);
  const reply_markup = new InlineKeyboard()
    .copyText(t("button-copy-key"), key)
    .row()
    .text(t("button-key-saved"), keyData.encode({ action: "remove" }));
  const text = t("key-created", { key, minutes: SHOWN_MS / 60_000 });
  try {
    await ctx.api.editMessageText(chatId, messageId, text, { parse_mode: "HTML", reply_markup });
  } catch (error) {
    if (isShownAlready(error)) return;
    await removals.now(chatId, messageId);
    throw error;
  }
}

/** True when an earlier attempt of the same edit succeeded but its response was lost. */
function isShownAlready(error: unknown): boolean {
  return error instanceof GrammyError && error.description.includes("message is not modified");
}
