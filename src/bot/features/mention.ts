/** The text of a message that names the bot, without the name; undefined when it does not. */
export function withoutMention(words: string, username: string): string | undefined {
  const mention = new RegExp(`(^|\\s)@${username}\\b`, "i");
  return mention.test(words) ? words.replace(mention, " ").trim() : undefined;
}
