import { Composer } from "grammy";
import { areLinksOnly } from "../../service/accounts.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { taps } from "../middleware.js";
import type { BotModules } from "../modules.js";
import { actionData } from "../telegram/button-data.js";
import { isPrivate } from "../telegram/place.js";
import { answerTap } from "../telegram/tap-answers.js";
import { escapeHtml } from "../texts/html.js";

export const helpTap = actionData("h", { show: ["s"] });

export function helpFeature(bot: BotModules): Feature {
  const composer = new Composer<BotContext>();
  const help = async (ctx: BotContext) => {
    await ctx.reply(helpText(ctx, bot), { parse_mode: "HTML" });
  };
  composer.command("help", help);
  composer.use(
    taps(helpTap, (ctx) => (ctx.tap?.isRepeated ? answerTap(ctx) : Promise.all([answerTap(ctx), help(ctx)]))),
  );
  return { commands: ["help"], composer };
}

function helpText(ctx: BotContext, bot: BotModules): string {
  const { supportContact, accounts, adminIds } = bot;
  const { t } = ctx.language;
  const isAlone = isPrivate(ctx);
  const isLinksOnly = areLinksOnly(accounts);
  const how = isAlone ? "help-text" : "help-text-group";
  const parts = [t(isLinksOnly ? `${how}-links` : how)];
  const mentions = isLinksOnly ? "help-group-mentions-links" : "help-group-mentions";
  if (!isAlone) parts.push(t(ctx.me.can_read_all_group_messages ? mentions : "help-group-privacy"));
  // Elsewhere that is the other service's to say.
  if (accounts.kind === "managed" && accounts.refundsFailedJobs) parts.push(t("help-refund"));
  parts.push(
    isAlone
      ? t("help-commands", { keys: accounts.kind === "managed" ? "here" : "elsewhere" })
      : t("help-commands-group"),
  );
  if (isAlone && accounts.kind === "managed" && bot.topUps.isOn) parts.push(t("help-topup"));
  if (isAlone && accounts.kind === "managed" && accounts.invites) parts.push(t("help-invite"));
  if (isAlone && accounts.kind === "connected") parts.push(t("help-connect"));
  // A group must not see the admin commands.
  if (isAlone && adminIds.has(ctx.person.id)) {
    if (accounts.kind === "managed") parts.push(t("help-admins"));
    if (accounts.kind === "shared") parts.push(t("help-admins-shared"));
  }
  if (supportContact) parts.push(t("help-contact", { contact: escapeHtml(supportContact) }));
  return parts.join("\n\n");
}
