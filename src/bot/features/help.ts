import { Composer } from "grammy";
import type { BotContext } from "../context.js";
import { escapeHtml } from "../html.js";
import type { Feature } from "./feature.js";

/** `/help`: how to use the bot and whom to ask. */
export const help: Feature = {
  name: "help",
  commands: ["help"],
  build({ supportContact, refundsFailedJobs }) {
    const composer = new Composer<BotContext>();
    composer.command("help", async (ctx) => {
      const { t } = ctx.language;
      const parts = [t("help-text")];
      if (refundsFailedJobs) parts.push(t("help-refund"));
      parts.push(t("help-commands"));
      if (supportContact) parts.push(t("help-contact", { contact: escapeHtml(supportContact) }));
      await ctx.reply(parts.join("\n\n"), { parse_mode: "HTML" });
    });
    return composer;
  },
};
