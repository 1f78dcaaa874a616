import type { MiddlewareFn } from "grammy";
import type { Gateways } from "../../ports/gateway.js";
import type { BotContext } from "../context.js";

/** Sets `ctx.gateway`. The first update of a person opens their account. */
export function loadGateway(gateways: Gateways): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    ctx.gateway = await gateways.of(ctx.person);
    await next();
  };
}
