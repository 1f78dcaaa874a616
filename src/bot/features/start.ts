import { NOT_CONNECTED } from "../../contract/gateway.js";
import { kopecksOf } from "../../platform/money.js";
import { type BotContext, isPrivate } from "../context.js";
import { escapeHtml } from "../html.js";
import type { Feature } from "./feature.js";

/** `/start`: says hello, what the bot does and what is on the balance. */
export const start: Feature = {
  name: "start",
  commands: ["start"],
  build({ gateways }) {
    const greet = async (ctx: BotContext) => {
      const { t, money } = ctx.language;
      const gateway = await gateways.of(ctx.person);
      const how = isPrivate(ctx) ? t("start-how") : t("start-how-group", { bot: ctx.me.username });
      const lines = [t("start-hello", { name: escapeHtml(ctx.person.name) }), how];
      if (gateway !== NOT_CONNECTED && isPrivate(ctx)) {
        const { amount } = await gateway.balance();
        lines.push(t("start-balance", { balance: money(kopecksOf(amount)) }));
      }
      await ctx.reply(lines.join("\n\n"), { parse_mode: "HTML" });
    };
    return { commands: { start: greet } };
  },
};
