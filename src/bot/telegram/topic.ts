import { isTopicGone } from "./failure.js";

/** Sends to a topic, or to the group itself when the topic is deleted or closed. */
export async function inTopicOrGroup<T>(
  threadId: number | null,
  send: (place: { message_thread_id?: number }) => Promise<T>,
): Promise<T> {
  if (threadId === null) return send({});
  try {
    return await send({ message_thread_id: threadId });
  } catch (error) {
    if (!isTopicGone(error)) throw error;
    return send({});
  }
}
