import type { Conversation } from "@grammyjs/conversations";
import type { Context } from "grammy";
import type { BotContext } from "../../context.js";

/** The dialog ends after this many unusable answers. */
const MOST_TURNS = 5;

export const JOB_ID_DIALOG = "job-id";

/** Stored with the dialog's state: plain JSON. */
export interface JobIdDialogArguments {
  number: number;
}

/** Waits for the job ids of an uncertain order. Effects happen in `external`, since a replay repeats the rest. */
export function jobIdDialog(take: (ctx: BotContext, number: number) => Promise<boolean>) {
  return async (
    conversation: Conversation<BotContext, Context>,
    _entered: Context,
    { number }: JobIdDialogArguments,
  ): Promise<void> => {
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      await conversation.waitUntil(({ message }) => message?.text !== undefined, { next: true });
      const isOver = await conversation.external((ctx) => take(ctx, number));
      if (isOver) return;
    }
  };
}
