import { Composer, Keyboard } from "grammy";
import type { Admins } from "../../../ports/admins.js";
import type { BotContext } from "../../context.js";
import type { Feature } from "../../feature.js";
import { forAdminsAlone } from "../../middleware/admin-only.js";
import type { Translate } from "../../texts/texts.js";
import { type AccountDeps, showFound } from "./show-account.js";

/** The number under which Telegram's picker tells whom an admin chose. */
const PICK_ID = 1;

/** Offers Telegram's own list of people. */
export function pickKeyboard(t: Translate): Keyboard {
  return new Keyboard()
    .requestUsers(t("button-pick-person"), PICK_ID, { max_quantity: 1, user_is_bot: false })
    .oneTime()
    .resized();
}

/** Recognises the message that says whom an admin chose. */
export function isPickOfAdmin(ctx: BotContext, adminIds: Admins): boolean {
  return ctx.message?.users_shared?.request_id === PICK_ID && forAdminsAlone(adminIds)(ctx);
}

/** Shows the account of the person whom an admin chose from Telegram's list. Comes before every question. */
export function pickPersonFeature(deps: AccountDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.on("message:users_shared", async (ctx) => {
    const [shared] = ctx.message.users_shared.users;
    if (shared && isPickOfAdmin(ctx, deps.adminIds)) await showFound(ctx, { id: shared.user_id }, deps);
  });
  return { name: "pick-person", composer };
}
