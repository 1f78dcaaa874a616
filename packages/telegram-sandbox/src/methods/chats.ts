import type { TelegramChatFullInfo, TelegramChatMember, TelegramUser } from "@gramio/types";
import { botMember } from "../bot-member.js";
import type { Chat } from "../chat.js";
import { badRequest } from "../errors.js";
import type { Call, Methods } from "../state.js";
import { readChat, readMessage, requireWritable } from "../target.js";

const ACTIONS: ReadonlySet<string> = new Set([
  "cancel",
  "typing",
  "upload_photo",
  "record_video",
  "upload_video",
  "record_voice",
  "upload_voice",
  "record_audio",
  "upload_audio",
  "upload_document",
  "choose_sticker",
  "find_location",
  "record_video_note",
  "upload_video_note",
]);

/** The bot itself, chats, their members, and small gestures in them. */
export const chatMethods: Methods = {
  getMe: ({ state }) => state.world.bot,
  getChat,
  getChatMember,
  getChatMemberCount: ({ params, state }) => readChat(params, state.world).members.size + 1,
  getChatAdministrators,
  leaveChat,
  sendChatAction,
  setMessageReaction,
  pinChatMessage: pin,
  unpinChatMessage: ({ params, state }) => Boolean(readChat(params, state.world)),
  unpinAllChatMessages: ({ params, state }) => Boolean(readChat(params, state.world)),
};

function getChat({ params, state }: Call): TelegramChatFullInfo {
  const chat = readChat(params, state.world);
  const gifts = {
    unlimited_gifts: true,
    limited_gifts: true,
    unique_gifts: true,
    premium_subscription: true,
    gifts_from_channels: true,
  };
  return { ...chat.about, accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: gifts };
}

function memberOf(chat: Chat, user: TelegramUser, state: Call["state"]): TelegramChatMember {
  if (user.id !== state.world.bot.id) {
    return chat.members.has(user.id) ? { status: "member", user } : { status: "left", user };
  }
  return botMember(user, chat.botStatus);
}

function getChatMember({ params, state }: Call): TelegramChatMember {
  const chat = readChat(params, state.world);
  const id = params.integer("user_id");
  const { bot, people } = state.world;
  const user = id === bot.id ? bot : people.get(id ?? 0)?.user;
  if (!user) throw badRequest("user not found");
  return memberOf(chat, user, state);
}

function getChatAdministrators({ params, state }: Call): TelegramChatMember[] {
  const chat = readChat(params, state.world);
  if (chat.isPrivate) throw badRequest("there are no administrators in the private chat");
  return chat.botStatus === "administrator" ? [memberOf(chat, state.world.bot, state)] : [];
}

function leaveChat({ params, state }: Call): true {
  const chat = readChat(params, state.world);
  if (chat.isPrivate) throw badRequest("chat member status can't be changed in private chats");
  chat.botStatus = "left";
  return true;
}

function sendChatAction({ params, state }: Call): true {
  const action = params.text("action")?.toLowerCase() ?? "";
  if (!ACTIONS.has(action)) throw badRequest("wrong parameter action in request");
  const chat = readChat(params, state.world);
  requireWritable(state.world, chat);
  state.world.emit({ type: "action", chat, action });
  return true;
}

function setMessageReaction({ params, state }: Call): true {
  readMessage(params, readChat(params, state.world), "message to react not found");
  return true;
}

function pin({ params, state }: Call): true {
  const chat = readChat(params, state.world);
  readMessage(params, chat, "message to pin not found");
  if (!chat.isPrivate && chat.botStatus !== "administrator") {
    throw badRequest("not enough rights to manage pinned messages in the chat");
  }
  return true;
}
