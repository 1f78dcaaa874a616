import type { Conversation } from "@grammyjs/conversations";
import type { Context } from "grammy";
import type { Message } from "grammy/types";
import type { BotContext } from "../context.js";
import { pictureIn } from "../pictures/find-picture.js";

/** The dialog ends after this many unusable answers. */
const ANSWERS_MAX = 5;

export const PROMPT_DIALOG = "prompt";

/** Stored with the dialog's state: plain JSON. */
export interface PromptDialogArguments {
  draftId: number;
  questionId: number;
  isGroup: boolean;
}

/** Tries a message as the answer that a card asks for and replies. Returns true when the dialog is over. */
export type TryAnswer = (ctx: BotContext, draftId: number) => Promise<boolean>;

/** Effects happen in `conversation.external`, since a replay repeats the rest. */
export function promptDialog(tryAnswer: TryAnswer) {
  return async (
    conversation: Conversation<BotContext, Context>,
    _entered: Context,
    { draftId, questionId, isGroup }: PromptDialogArguments,
  ): Promise<void> => {
    for (let answers = 0; answers < ANSWERS_MAX; answers += 1) {
      await conversation.waitUntil(
        ({ message }) =>
          message !== undefined &&
          pictureIn(message).kind === "none" &&
          !isAboutPicture(message) &&
          (!isGroup || message.reply_to_message?.message_id === questionId),
        { next: true },
      );
      const isOver = await conversation.external((ctx) => tryAnswer(ctx, draftId));
      if (isOver) return;
    }
  };
}

/** A reply to a picture is not an answer. */
function isAboutPicture({ reply_to_message: replied }: Message): boolean {
  return replied !== undefined && pictureIn(replied as Message).kind === "picture";
}
