import type { Message } from "grammy/types";

const COMMAND = /^\/connect(?:@(\w+))?(?=\s|$)\s*/i;

/** Reads `/connect KEY` from a text or a caption. `key` is all that follows, and empty where nothing does. */
export function readConnect(
  { text, caption }: Pick<Message, "text" | "caption">,
  botName: string,
): { key: string } | undefined {
  const words = text ?? caption ?? "";
  const [command, addressee] = COMMAND.exec(words) ?? [];
  if (command === undefined) return undefined;
  if (addressee !== undefined && addressee.toLowerCase() !== botName.toLowerCase()) return undefined;
  return { key: words.slice(command.length).trim() };
}
