import type { TelegramUser } from "@gramio/types";
import type { GroupSpec } from "./world.js";

interface BotNames {
  botName?: string;
  botUsername?: string;
  group?: GroupSpec;
}

/** The bot as getMe answers it. Its id are the digits before the token's colon. */
export function botUser(token: string, { botName, botUsername, group }: BotNames): TelegramUser {
  return {
    id: Number(token.split(":")[0]) || 1,
    is_bot: true,
    first_name: botName ?? "Atelier",
    username: botUsername ?? "atelier_sandbox_bot",
    can_join_groups: true,
    can_read_all_group_messages: group?.privacy === false,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
  };
}
