import { NOT_CONNECTED } from "../../contract/gateway.js";
import { kopecksOf } from "../../platform/money.js";
import { type BotContext, isPrivate } from "../context.js";
import { escapeHtml } from "../html.js";
import type { Feature } from "./feature.js";

/** `/balance`: what is left, and how to get more. */
export const balance: Feature = {
  name: "balance",
  commands: ["balance"],
  build({ gateways, supportContact }) {
    const showBalance = async (ctx: BotContext) => {
      const { t, money } = ctx.language;
      // What somebody has is nobody else's business.
      if (!isPrivate(ctx)) return void (await ctx.reply(t("balance-private-only")));
      const gateway = await gateways.of(ctx.person);
      if (gateway === NOT_CONNECTED) return;
      const { amount } = await gateway.balance();
      const lines = [t("balance-now", { balance: money(kopecksOf(amount)) })];
      if (supportContact) lines.push(t("money-ask", { contact: escapeHtml(supportContact) }));
      await ctx.reply(lines.join("\n"), { parse_mode: "HTML" });
    };
    return { commands: { balance: showBalance } };
  },
};
