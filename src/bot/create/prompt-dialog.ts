import type { Conversation } from "@grammyjs/conversations";
import type { Context } from "grammy";
import type { BotContext } from "../context.js";
import { pictureIn } from "./picture-in.js";

/** A dialog that was asked this often without an answer it can use ends. */
const MOST_TURNS = 5;

export const PROMPT_DIALOG = "prompt";

/** What the dialog is about; kept with its state, so plain JSON. */
export interface PromptDialogArguments {
  draftId: number;
  /** The bot's question: in a group only answers to it count. */
  questionId: number;
  isGroup: boolean;
}

/** Tries a message as the answer that a card asks for and answers its person; true when the dialog is over. */
export type TryAnswer = (ctx: BotContext, draftId: number) => Promise<boolean>;

/**
 * The dialog that begins with the bot's question for a text, a number or links. It only waits: what is asked
 * for stands in the draft, and everything that it does happens outside, so that a replay has nothing to repeat.
 * Commands never reach it, they end it; pictures go their own way.
 */
export function promptDialog(tryAnswer: TryAnswer) {
  return async (
    conversation: Conversation<BotContext, Context>,
    _entered: Context,
    { draftId, questionId, isGroup }: PromptDialogArguments,
  ): Promise<void> => {
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      await conversation.waitUntil(
        ({ message }) =>
          message !== undefined &&
          pictureIn(message).kind === "none" &&
          (!isGroup || message.reply_to_message?.message_id === questionId),
        { next: true },
      );
      const isOver = await conversation.external((ctx) => tryAnswer(ctx, draftId));
      if (isOver) return;
    }
  };
}
