import type { BotContext } from "../../context.js";
import type { NumberedOrders } from "../../orders/store/numbered-orders.js";
import { escapeHtml } from "../../texts/html.js";
import { localTimeHtml } from "../../texts/moment.js";

const ORDERS_SHOWN = 3;

/** Lists the newest orders with their numbers, which admins can look up, as one paragraph of HTML. */
export function orderLines(ctx: BotContext, numbered: Pick<NumberedOrders, "newestOf">): string[] {
  const { t } = ctx.language;
  const lines = numbered.newestOf(ctx.person.id, ORDERS_SHOWN).map((order) => {
    const number = t("order-number", { number: String(order.number) });
    return [number, localTimeHtml(order.createdAt, ctx.language), escapeHtml(order.modelTitle)].join(" · ");
  });
  return lines.length === 0 ? [] : [[t("support-orders"), ...lines].join("\n")];
}
