import { Composer } from "grammy";
import type { AccountAdmin } from "../../../ports/admin.js";
import type { Connections } from "../../../ports/connections.js";
import type { Gateways } from "../../../ports/gateway.js";
import type { AccountKeys } from "../../../ports/keys.js";
import { type BotContext, isPrivate } from "../../context.js";
import type { Feature } from "../../feature.js";
import { escapeHtml } from "../../html.js";
import type { Spending } from "../../spending/spending.js";

interface HelpDeps {
  gateways: Pick<Gateways, "isLinksOnly">;
  supportContact: string | undefined;
  refundsFailedJobs: boolean;
  /** Absent when accounts are managed elsewhere. */
  admin: AccountAdmin | undefined;
  /** Absent where everyone has a balance of their own. */
  spending: Spending | undefined;
  adminIds: ReadonlySet<number>;
  /** Absent when keys are managed elsewhere. */
  keys: AccountKeys | undefined;
  /** Present where people connect accounts of their own. */
  connections: Connections | undefined;
}

export function helpFeature(deps: HelpDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.command("help", async (ctx) => {
    await ctx.reply(helpText(ctx, deps), { parse_mode: "HTML" });
  });
  return { name: "help", commands: ["help"], composer };
}

function helpText(ctx: BotContext, deps: HelpDeps): string {
  const { supportContact, refundsFailedJobs, admin, spending, adminIds, keys, connections } = deps;
  const { t } = ctx.language;
  const isAlone = isPrivate(ctx);
  const { isLinksOnly } = deps.gateways;
  const how = isAlone ? "help-text" : "help-text-group";
  const parts = [t(isLinksOnly ? `${how}-links` : how)];
  const mentions = isLinksOnly ? "help-group-mentions-links" : "help-group-mentions";
  if (!isAlone) parts.push(t(ctx.me.can_read_all_group_messages ? mentions : "help-group-privacy"));
  if (refundsFailedJobs) parts.push(t("help-refund"));
  parts.push(isAlone ? t("help-commands", { keys: keys ? "here" : "elsewhere" }) : t("help-commands-group"));
  if (isAlone && connections) parts.push(t("help-connect"));
  // A group must not see the admin commands.
  if (isAlone && adminIds.has(ctx.person.id)) {
    if (admin) parts.push(t("help-admins"));
    if (spending) parts.push(t("help-admins-shared"));
  }
  if (supportContact) parts.push(t("help-contact", { contact: escapeHtml(supportContact) }));
  return parts.join("\n\n");
}
