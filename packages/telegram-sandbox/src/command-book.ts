import type { TelegramBotCommand } from "@gramio/types";
import type { Chat } from "./chat.js";
import { badRequest } from "./errors.js";
import { isRecord, type Json } from "./params.js";

const COMMANDS_MAX = 100;
/** Limits all names and descriptions together, as reports say. */
const COMMANDS_BYTES_MAX = 4096;

/** The commands of the bot by scope and language, and which of them completion offers. */
export class CommandBook {
  readonly #lists = new Map<string, readonly TelegramBotCommand[]>();

  /** @throws BotApiError for a name, description, count, scope or language the server refuses */
  set(commands: readonly unknown[], scope: Json | undefined, language: string): void {
    if (commands.length > COMMANDS_MAX) throw badRequest("BOT_COMMANDS_TOO_MUCH");
    const list = commands.map(readCommand);
    const bytes = list.reduce((sum, each) => sum + Buffer.byteLength(each.command + each.description), 0);
    if (bytes > COMMANDS_BYTES_MAX) throw badRequest("BOT_COMMANDS_TOO_MUCH");
    const key = keyOf(scope, language);
    if (list.length > 0) this.#lists.set(key, list);
    else this.#lists.delete(key);
  }

  /** All lists with their keys, to be restored. */
  entries(): [string, readonly TelegramBotCommand[]][] {
    return [...this.#lists];
  }

  restore(lists: Iterable<readonly [string, readonly TelegramBotCommand[]]>): void {
    for (const [key, list] of lists) this.#lists.set(key, list);
  }

  /**
   * The commands that a person's client offers in a chat: the first list that is set, in the order
   * of the Bot API's text ("Determining list of commands"), each with the language first.
   */
  offeredTo(person: number, language: string | undefined, chat: Chat): readonly TelegramBotCommand[] {
    for (const scope of scopesFor(person, chat)) {
      const list = this.#lists.get(`${scope}/${language ?? ""}`) ?? this.#lists.get(`${scope}/`);
      if (list) return list;
    }
    return [];
  }
}

/** Lists scopes from the narrowest to the widest. People of the sandbox are no admins of its group. */
function scopesFor(person: number, chat: Chat): string[] {
  if (chat.isPrivate) return [`chat:${chat.id}`, "all_private_chats", "default"];
  return [`chat_member:${chat.id}:${person}`, `chat:${chat.id}`, "all_group_chats", "default"];
}

function readCommand(value: unknown): TelegramBotCommand {
  if (!isRecord(value)) throw badRequest("can't parse BotCommand: expected an Object");
  const { command: name, description } = value;
  if (typeof name !== "string" || typeof description !== "string") {
    throw badRequest("can't parse BotCommand: wrong fields");
  }
  const command = name.replace(/^\//, "");
  if (command === "") throw badRequest("command must be non-empty");
  if ([...command].length > 32) throw badRequest("command length must not exceed 32");
  if (description.trim() === "") throw badRequest("command description must be non-empty");
  if ([...description].length > 256) throw badRequest("command description length must not exceed 256");
  if (!/^[a-z0-9_]+$/.test(command)) throw badRequest("BOT_COMMAND_INVALID");
  return { command, description };
}

function keyOf(scope: Json | undefined, language: string): string {
  if (language !== "" && !/^[a-z]{2}$/.test(language)) throw badRequest("invalid language code specified");
  return `${scopeKey(scope)}/${language}`;
}

function scopeKey(scope: Json | undefined): string {
  const type: unknown = scope?.type ?? "default";
  const chat = scope?.chat_id;
  switch (type) {
    case "default":
    case "all_private_chats":
    case "all_group_chats":
    case "all_chat_administrators":
      return type;
    case "chat":
    case "chat_administrators":
      if (chat === undefined || chat === "") throw badRequest("chat_id is empty");
      return `${type}:${chat}`;
    case "chat_member":
      if (chat === undefined || chat === "") throw badRequest("chat_id is empty");
      return `${type}:${chat}:${scope?.user_id}`;
    default:
      throw badRequest("can't parse BotCommandScope: Unsupported type specified");
  }
}
