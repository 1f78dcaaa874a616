import type { Moderation } from "../../../moderation/moderation.js";

/** Judges words as they are sent, before a price is shown. Nothing of refused ones is kept. */
export async function areWordsAllowed(
  words: string | undefined,
  { moderation }: { moderation: Moderation },
): Promise<boolean> {
  return words === undefined || (await moderation.allows([words], "chat"));
}
