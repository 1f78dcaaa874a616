import type {
  TelegramForceReply,
  TelegramReplyKeyboardMarkup,
  TelegramReplyKeyboardRemove,
} from "@gramio/types";

/** Markup that a client shows below the input field; it is no part of a Message. */
export type ShownKeyboard = TelegramReplyKeyboardMarkup | TelegramReplyKeyboardRemove | TelegramForceReply;
