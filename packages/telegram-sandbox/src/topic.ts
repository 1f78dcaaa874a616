import type { TelegramUser } from "@gramio/types";
import type { Chat, Topic } from "./chat.js";
import type { World } from "./world.js";

const ICON_COLOR = 0x6fb9f0;

/** Opens a topic; its id is the id of the service message that says so. */
export function openTopic(world: World, chat: Chat, by: TelegramUser, name: string): Topic {
  const message = world.post(chat, by, { forum_topic_created: { name, icon_color: ICON_COLOR } });
  const topic = { id: message.message_id, name, icon_color: ICON_COLOR };
  chat.topics.set(topic.id, topic);
  world.replace(chat, { ...message, message_thread_id: topic.id, is_topic_message: true });
  return topic;
}

/** Opens the topics that a group has from the start, in the name of its first member. */
export function openTopics(world: World, names: readonly string[]): void {
  const [first] = world.people.values();
  for (const name of names) if (first) openTopic(world, world.group, first.user, name);
}
