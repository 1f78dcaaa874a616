import { type CommandContext, Composer, type MiddlewareFn } from "grammy";
import type { Logger } from "../../../platform/logger.js";
import type { KeptAdmins } from "../../../ports/admins.js";
import type { CommandMenu } from "../../command-menu.js";
import type { BotContext } from "../../context.js";
import { isOwnWords } from "../../telegram/message-content.js";
import { isPrivate } from "../../telegram/place.js";
import type { AdminCode } from "./admin-code.js";

/** Matches what `Ids.adminCode` makes; other words after /start are not its own. */
const CODE = /^[0-9a-f]{16}$/;

interface BecomeAdminDeps {
  adminIds: KeptAdmins;
  adminCode: AdminCode;
  commandMenu: Pick<CommandMenu, "onContact">;
  logger: Logger;
}

/** Makes an admin of the first who sends the code of the start. It comes before the list of people who may use the bot. */
export function becomeAdmin(deps: BecomeAdminDeps): MiddlewareFn<BotContext> {
  const composer = new Composer<BotContext>();
  composer.command("start", async (ctx, next) => {
    const given = ctx.match.trim().toLowerCase();
    if (!CODE.test(given) || !isOwnWords(ctx.msg)) return next();
    if (isPrivate(ctx)) return answer(ctx, given, deps);
    // All of the group have read it: nobody may use it any more, and nothing says that it was right.
    if (deps.adminCode.take(ctx.person.id, given))
      deps.logger.warn("the admin code was sent to a group and is void: a restart prints a new one");
  });
  return composer.middleware();
}

async function answer(
  ctx: CommandContext<BotContext>,
  given: string,
  { adminIds, adminCode, commandMenu, logger }: BecomeAdminDeps,
): Promise<void> {
  const { person, language } = ctx;
  // Also where the update is handled again.
  if (!adminIds.has(person.id)) {
    const taken = adminCode.take(person.id, given);
    if (!taken) return void (await ctx.reply(language.t("admin-code-wrong")));
    try {
      await adminIds.add({ userId: person.id, name: person.name, actor: `telegram:${person.id}` });
    } catch (error) {
      taken.giveBack();
      throw error;
    }
    logger.warn({ user_id: person.id, username: person.username }, "a person became an admin by the code");
  }
  commandMenu.onContact(person, language);
  await ctx.reply(language.t("admin-welcome"));
}
