import type { TelegramChatFullInfo } from "@gramio/types";
import { badRequest } from "../errors.js";
import type { Call, Methods } from "../state.js";
import { readChat, requireWritable } from "../target.js";

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

/** The bot itself, chats, and what it shows that it does there. */
export const chatMethods: Methods = {
  getMe: ({ state }) => state.world.bot,
  getChat,
  sendChatAction,
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

function sendChatAction({ params, state }: Call): true {
  const action = params.text("action")?.toLowerCase() ?? "";
  if (!ACTIONS.has(action)) throw badRequest("wrong parameter action in request");
  const chat = readChat(params, state.world);
  requireWritable(state.world, chat);
  state.world.emit({ type: "action", chat, action });
  return true;
}
