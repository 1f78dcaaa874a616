import type { Conversation } from "@grammyjs/conversations";
import type { Context } from "grammy";
import type { BotContext } from "../../context.js";

/** The dialog ends after this many unusable answers. */
const MOST_TURNS = 5;

export const CONNECT_DIALOG = "connect";

/** Waits for the key. Effects happen in `external`, since a replay repeats the rest. */
export function connectDialog(take: (ctx: BotContext) => Promise<boolean>) {
  return async (conversation: Conversation<BotContext, Context>): Promise<void> => {
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      await conversation.waitUntil(({ message }) => message?.text !== undefined, { next: true });
      const isOver = await conversation.external((ctx) => take(ctx));
      if (isOver) return;
    }
  };
}
