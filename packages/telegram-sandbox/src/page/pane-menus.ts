import type { TelegramMessage } from "@gramio/types";
import type { Chat } from "./chat.js";
import { isEditable } from "./editable.js";
import { fullName } from "./format.js";
import type { MenuItem } from "./menu.js";
import { PURSE_STARS } from "./purse.js";
import type { Person } from "./store.js";
import { wordsIn } from "./words/words.js";

/** What a person may do with a message. */
export interface MessageDeeds {
  reply(message: TelegramMessage): void;
  edit(message: TelegramMessage): void;
  copy(text: string): void;
  remove(ids: readonly number[]): void;
}

/** The menu of a message or an album; the reply is to `pointed`, one of them. */
export function messageItems(
  messages: readonly TelegramMessage[],
  pointed: TelegramMessage,
  { user }: Person,
  chat: Chat,
  deeds: MessageDeeds,
): MenuItem[] {
  const words = wordsIn(user.language_code);
  const worded = messages.find(({ text, caption }) => text ?? caption) ?? pointed;
  const text = worded.text ?? worded.caption;
  const isDeletable = chat.type === "private" || pointed.from?.id === user.id;
  const ids = messages.map(({ message_id }) => message_id);
  const items: (MenuItem | false)[] = [
    { label: words.reply, icon: "reply", choose: () => deeds.reply(pointed) },
    text !== undefined && { label: words.copyText, icon: "copy", choose: () => deeds.copy(text) },
    isEditable(worded, user.id) && { label: words.edit, icon: "edit", choose: () => deeds.edit(worded) },
    isDeletable && { label: words.delete, icon: "trash", isDanger: true, choose: () => deeds.remove(ids) },
  ];
  return items.filter((item) => item !== false);
}

/** The menu of a person: who they are to the bot, and whether it may write to them. */
export function personMenu(
  user: Person["user"],
  deeds: { copy(text: string): void; setBlocked(isBlocked: boolean): void; fillPurse(): void },
): { head: string[]; items: MenuItem[] } {
  const words = wordsIn(user.language_code);
  const name = user.username === undefined ? "" : ` · @${user.username}`;
  const rest = `${user.language_code ?? words.noLanguage}${user.is_admin ? ` · ${words.admin}` : ""}`;
  const block: MenuItem = user.has_blocked_bot
    ? { label: words.unblockBot, icon: "check", choose: () => deeds.setBlocked(false) }
    : { label: words.blockBot, icon: "close", isDanger: true, choose: () => deeds.setBlocked(true) };
  const copy: MenuItem = {
    label: words.copyUserId,
    icon: "copy",
    choose: () => deeds.copy(String(user.id)),
  };
  const fill: MenuItem = {
    label: words.fillPurse(PURSE_STARS),
    icon: "star",
    choose: deeds.fillPurse,
  };
  const head = [`${fullName(user)}${name}`, `id ${user.id} · ${rest}`, words.purse(user.stars)];
  return { head, items: [copy, fill, block] };
}
