import { badRequest } from "../errors.js";
import { lengthOf } from "../formatted-text.js";
import { present } from "../params.js";
import type { Call, Methods } from "../state.js";
import type { TapAnswer } from "../world.js";

const ANSWER_LENGTH_MAX = 200;

/** Answers to taps. */
export const callbackMethods: Methods = { answerCallbackQuery };

function answerCallbackQuery({ params, state }: Call): true {
  const text = params.text("text");
  if (text !== undefined && lengthOf(text) > ANSWER_LENGTH_MAX) throw badRequest("MESSAGE_TOO_LONG");
  const url = params.text("url");
  // Addresses open games and the bot itself; the sandbox knows no games.
  if (url !== undefined && !/^(https?:\/\/t\.me\/|tg:)/.test(url)) throw badRequest("URL_INVALID");
  const answer = present<TapAnswer>({ text: text || undefined, show_alert: params.flag("show_alert"), url });
  state.callbacks.answer(params.text("callback_query_id") ?? "", answer);
  return true;
}
