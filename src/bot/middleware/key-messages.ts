import type { Context, MiddlewareFn } from "grammy";
import type { Logger } from "../../platform/logger.js";
import { readConnect } from "../telegram/connect-command.js";
import type { Removals } from "../telegram/removals/removals.js";

/**
 * Deletes each message that carries a key, whoever sent it and wherever. The removal is committed before anything
 * else happens, so that a crash leaves no key in the chat.
 */
export function removeKeyMessages(removals: Removals, logger: Logger): MiddlewareFn<Context> {
  return async (ctx, next) => {
    const message = ctx.message ?? ctx.editedMessage;
    if (message && readConnect(message, ctx.me.username)?.key) {
      const { chat, message_id } = message;
      await removals
        .schedule(chat.id, message_id, 0)
        .catch((error: unknown) => logger.error({ chat_id: chat.id, err: error }, "key message not removed"));
    }
    await next();
  };
}
