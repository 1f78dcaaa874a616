/** Removes the mention of the bot; undefined when the text does not mention it. */
export function withoutMention(words: string, username: string): string | undefined {
  const mention = new RegExp(`(^|\\s)@${username}\\b`, "i");
  return mention.test(words) ? words.replace(mention, " ").trim() : undefined;
}
