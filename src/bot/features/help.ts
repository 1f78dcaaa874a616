import { Composer } from "grammy";
import type { Admins } from "../../accounts/admin-store.js";
import { areLinksOnly, type ServiceAccounts } from "../../service/accounts.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { isPrivate } from "../telegram/place.js";
import { escapeHtml } from "../texts/html.js";

interface HelpDeps {
  accounts: ServiceAccounts;
  supportContact: string | undefined;
  topUps: { readonly isOn: boolean };
  adminIds: Admins;
}

export function helpFeature(deps: HelpDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.command("help", async (ctx) => {
    await ctx.reply(helpText(ctx, deps), { parse_mode: "HTML" });
  });
  return { name: "help", commands: ["help"], composer };
}

function helpText(ctx: BotContext, deps: HelpDeps): string {
  const { supportContact, accounts, adminIds } = deps;
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
  if (isAlone && accounts.kind === "managed" && deps.topUps.isOn) parts.push(t("help-topup"));
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
