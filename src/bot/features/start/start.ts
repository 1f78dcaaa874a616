import { Composer } from "grammy";
import { kopecksOf } from "../../../contract/money.js";
import { NOT_CONNECTED } from "../../../ports/gateway.js";
import { type BotContext, isPrivate } from "../../context.js";
import type { Feature } from "../../feature.js";
import { escapeHtml } from "../../html.js";

export function startFeature(): Feature {
  const composer = new Composer<BotContext>();
  composer.command("start", greet);
  return { name: "start", commands: ["start"], composer };
}

async function greet(ctx: BotContext): Promise<void> {
  const { t, money } = ctx.language;
  const how = t(isPrivate(ctx) ? "start-how" : "start-how-group");
  const lines = [t("start-hello", { name: escapeHtml(ctx.person.name) }), how];
  if (ctx.gateway !== NOT_CONNECTED && isPrivate(ctx)) {
    const { amount } = await ctx.gateway.balance();
    lines.push(t("start-balance", { balance: money(kopecksOf(amount)) }));
  }
  await ctx.reply(lines.join("\n\n"), { parse_mode: "HTML" });
}
