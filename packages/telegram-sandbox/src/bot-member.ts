import type { TelegramChatMember, TelegramUser } from "@gramio/types";
import type { BotStatus } from "./chat.js";

const ADMIN_RIGHTS = {
  can_be_edited: false,
  is_anonymous: false,
  can_manage_chat: true,
  can_delete_messages: true,
  can_manage_video_chats: true,
  can_restrict_members: true,
  can_promote_members: false,
  can_change_info: true,
  can_invite_users: true,
  can_post_stories: false,
  can_edit_stories: false,
  can_delete_stories: false,
  can_pin_messages: true,
  can_manage_topics: true,
  can_send_welcome_messages: false,
};

/** The bot as a member of a chat. */
export function botMember(user: TelegramUser, status: BotStatus): TelegramChatMember {
  if (status === "kicked") return { status, user, until_date: 0 };
  return status === "administrator" ? { ...ADMIN_RIGHTS, status, user } : { status, user };
}
