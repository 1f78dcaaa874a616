import type { Update } from "grammy/types";
import { InboxSource } from "../../src/bot/inbox/inbox.js";
import { silentLogger } from "./log.js";

/** A message of a person, in the private chat unless it says otherwise. */
export function updateOf(update_id: number, user = 7, text = "hello", chatId = user): Update {
  const chat = { id: chatId, type: chatId < 0 ? "supergroup" : "private", first_name: "Ann" };
  const from = { id: user, is_bot: false, first_name: "Ann" };
  return { update_id, message: { message_id: update_id, date: 1, chat, from, text } } as never;
}

type SourceParts = ConstructorParameters<typeof InboxSource>[0];

/** A source of updates over a Telegram that only polls. */
export function sourceOver(
  getUpdates: (options: never, signal: never) => Promise<unknown>,
  parts: Pick<SourceParts, "inbox" | "clock"> & Partial<SourceParts>,
): InboxSource {
  return new InboxSource({
    api: { getUpdates } as never,
    logger: silentLogger(),
    onGivenUp() {},
    onSuspects() {},
    takeHeld: async () => {},
    onPreCheckout() {},
    onPolling() {},
    ...parts,
  });
}

/** Supplies the next updates. Returns their ids. */
export async function suppliedIds(
  source: InboxSource,
  signal: AbortSignal = new AbortController().signal,
): Promise<number[]> {
  return (await source.supply(100, signal as never)).map(({ update_id }) => update_id);
}
