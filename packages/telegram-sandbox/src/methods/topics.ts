import type { TelegramForumTopic } from "@gramio/types";
import type { Chat, Topic } from "../chat.js";
import { badRequest } from "../errors.js";
import type { Call, Methods } from "../state.js";
import { readChat } from "../target.js";
import { openTopic } from "../topic.js";

const NAME_LENGTH_MAX = 128;

/** Topics of the group. */
export const topicMethods: Methods = {
  createForumTopic,
  reopenForumTopic,
  deleteForumTopic,
};

function readForum({ params, state }: Call): Chat {
  const chat = readChat(params, state.world);
  if (!chat.about.is_forum) throw badRequest("the chat is not a forum");
  return chat;
}

function requireAdmin(chat: Chat, deed: string): void {
  if (chat.botStatus !== "administrator") throw badRequest(`not enough rights to ${deed} a topic`);
}

function readTopic(call: Call, chat: Chat): Topic {
  const topic = chat.topics.get(call.params.integer("message_thread_id") ?? 0);
  if (!topic) throw badRequest("message thread not found");
  return topic;
}

function createForumTopic(call: Call): TelegramForumTopic {
  const chat = readForum(call);
  requireAdmin(chat, "create");
  const name = call.params.text("name")?.trim() ?? "";
  if (name === "" || [...name].length > NAME_LENGTH_MAX) throw badRequest("TOPIC_TITLE_EMPTY");
  const { world } = call.state;
  const { id, icon_color } = openTopic(world, chat, world.bot, name);
  return { message_thread_id: id, name, icon_color };
}

/** Nobody closes a topic of the sandbox. */
function reopenForumTopic(call: Call): never {
  const chat = readForum(call);
  readTopic(call, chat);
  requireAdmin(chat, "reopen");
  throw badRequest("TOPIC_NOT_MODIFIED");
}

function deleteForumTopic(call: Call): true {
  const chat = readForum(call);
  const topic = readTopic(call, chat);
  requireAdmin(chat, "delete");
  chat.topics.delete(topic.id);
  chat.deletedTopics.set(topic.id, call.state.clock.now());
  const inside = chat.messages().filter((message) => message.message_thread_id === topic.id);
  call.state.world.remove(chat, [topic.id, ...inside.map((message) => message.message_id)]);
  return true;
}
