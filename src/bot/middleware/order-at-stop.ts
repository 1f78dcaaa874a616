import type { MiddlewareFn } from "grammy";
import type { BotContext } from "../context.js";
import { queuesOf } from "../telegram/update-queues.js";

/**
 * Rejects updates that come after an interrupted one in its queues: all run again in order after the restart. Must be
 * directly inside `sequentialize`. `stopping` aborts when the service begins to stop.
 */
export function keepOrderAtStop(stopping: AbortSignal): MiddlewareFn<BotContext> {
  const cutOff = new Set<string>();
  return async (ctx, next) => {
    const queues = queuesOf(ctx);
    if (queues.some((queue) => cutOff.has(queue)))
      throw new Error("an earlier update of the chat was interrupted");
    try {
      await next();
    } catch (error) {
      if (stopping.aborted) for (const queue of queues) cutOff.add(queue);
      throw error;
    }
  };
}
