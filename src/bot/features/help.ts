import { type BotContext, isPrivate } from "../context.js";
import { escapeHtml } from "../html.js";
import type { Feature } from "./feature.js";

/** `/help`: how to use the bot and whom to ask. */
export const help: Feature = {
  name: "help",
  commands: ["help"],
  build({ supportContact, refundsFailedJobs, admin, adminIds }) {
    const explain = async (ctx: BotContext) => {
      const { t } = ctx.language;
      const isAlone = isPrivate(ctx);
      const parts = [isAlone ? t("help-text") : t("help-text-group", { bot: ctx.me.username })];
      if (refundsFailedJobs) parts.push(t("help-refund"));
      parts.push(t(isAlone ? "help-commands" : "help-commands-group"));
      // In a group everybody would see them.
      if (isAlone && admin && adminIds.has(ctx.person.id)) parts.push(t("help-admins"));
      if (supportContact) parts.push(t("help-contact", { contact: escapeHtml(supportContact) }));
      await ctx.reply(parts.join("\n\n"), { parse_mode: "HTML" });
    };
    return { commands: { help: explain } };
  },
};
