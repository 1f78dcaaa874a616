import type { Context, MiddlewareFn } from "grammy";
import type { CommandMenu } from "../command-menu.js";
import type { BotContext } from "../context.js";
import type { OrderService } from "../orders/order-service.js";
import { isPrivate } from "../telegram/place.js";

/** Sets a menu of the person's own and releases deliveries, which both wait for an update from the private chat. */
export function onPrivateContact(
  commandMenu: Pick<CommandMenu, "onContact">,
  orderService: Pick<OrderService, "onContact">,
): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    if (isPrivate(ctx)) {
      if (ctx.message) commandMenu.onContact(ctx.person, ctx.language);
      if (!isLeaving(ctx)) await orderService.onContact(ctx.person.id);
    }
    await next();
  };
}

function isLeaving({ myChatMember }: Context): boolean {
  return myChatMember?.new_chat_member.status === "kicked";
}
