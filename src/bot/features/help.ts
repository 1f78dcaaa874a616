import { Composer } from "grammy";
import type { BotContext } from "../context.js";
import { escapeHtml } from "../html.js";
import type { Feature } from "./feature.js";

/** `/help`: how to use the bot and whom to ask. */
export const help: Feature = {
  name: "help",
  commands: ["help"],
  build({ supportContact }) {
    const composer = new Composer<BotContext>();
    composer.command("help", async (ctx) => {
      const { t } = ctx.language;
      const lines = [t("help-text")];
      if (supportContact) lines.push(t("help-contact", { contact: escapeHtml(supportContact) }));
      await ctx.reply(lines.join("\n\n"), { parse_mode: "HTML" });
    });
    return composer;
  },
};
