import { GrammyError, InlineKeyboard } from "grammy";
import type { BotContext } from "../context.js";
import type { FeatureParts } from "./feature.js";

/** How long a new key can be read in the chat, in ms. */
const SHOWN_MS = 5 * 60 * 1000;

/**
 * Shows a key in a message that is sure to go before the key is in it: sent without the key, put down for its
 * removal, and only then edited. However often the calls are repeated, and whenever the process ends, the key
 * stands in this one message; a message sent with the key might arrive twice, or be forgotten by a crash.
 *
 * Rejects where nobody can say that the person has seen the key; the message is then being removed.
 */
export async function showKey(
  ctx: BotContext,
  chatId: number,
  key: string,
  { removals }: FeatureParts,
): Promise<void> {
  const { t } = ctx.language;
  const { message_id: messageId } = await ctx.reply(t("key-coming"));
  await removals.schedule(chatId, messageId, SHOWN_MS);
  const reply_markup = new InlineKeyboard()
    .copyText(t("button-copy-key"), key)
    .row()
    .text(t("button-key-saved"), "k:g");
  const text = t("key-created", { key, minutes: SHOWN_MS / 60_000 });
  try {
    await ctx.api.editMessageText(chatId, messageId, text, { parse_mode: "HTML", reply_markup });
  } catch (error) {
    if (isShownAlready(error)) return;
    await removals.now(chatId, messageId);
    throw error;
  }
}

/** True when an earlier try of the same edit had arrived, whose answer was lost. */
function isShownAlready(error: unknown): boolean {
  return error instanceof GrammyError && error.description.includes("message is not modified");
}
