import { Composer } from "grammy";
import type { Admins } from "../../../ports/admins.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { isAdmin, ownWordsOnly } from "../../middleware/admin-only.js";

/** Tells an admin where `/credit` and `/debit` are when accounts are managed elsewhere. Not in the menu. */
export function correctionsElsewhereFeature({ adminIds }: { adminIds: Admins }): Feature {
  const composer = new Composer<BotContext>();
  composer
    .filter(isAdmin(adminIds))
    .command(["credit", "debit"], ownWordsOnly, (ctx) => ctx.reply(ctx.language.t("corrections-elsewhere")));
  return { name: "corrections", composer };
}
