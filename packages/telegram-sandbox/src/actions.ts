import type {
  TelegramKeyboardButtonRequestUsers,
  TelegramMessage,
  TelegramSharedUser,
  TelegramUpdate,
  TelegramUser,
} from "@gramio/types";
import { botMember } from "./bot-member.js";
import type { Tap } from "./callbacks.js";
import type { BotStatus, Chat } from "./chat.js";
import { badRequest } from "./errors.js";
import type { FileKind } from "./file-kind.js";
import { type FileFacts, mimeTypeOf, type NewFile } from "./files.js";
import { CAPTION_LENGTH_MAX, lengthOf, readTypedText, TEXT_LENGTH_MAX } from "./formatted-text.js";
import { describeFile, mediaContent } from "./media-content.js";
import { newGroupId } from "./methods/media.js";
import { Params, present } from "./params.js";
import type { SandboxState } from "./state.js";
import { threadOf, withoutReply } from "./target.js";
import type { UpdateKind } from "./updates.js";
import type { Content, Person, World } from "./world.js";

/**
 * A message with another text, or with another caption where it has media.
 * @throws BotApiError for a sticker, an empty text and one that is too long
 */
function withWords(message: TelegramMessage, typed: string): TelegramMessage {
  const { text, entities } = readTypedText(typed);
  if (message.text !== undefined) {
    if (text === "") throw badRequest("message text is empty");
    if (lengthOf(text) > TEXT_LENGTH_MAX) throw badRequest("MESSAGE_TOO_LONG");
    const { entities: _, ...kept } = message;
    return { ...kept, text, ...(entities.length > 0 ? { entities } : {}) };
  }
  const { caption, caption_entities, ...kept } = message;
  const { photo, video, animation, audio, document, voice } = message;
  if (!(photo ?? video ?? animation ?? audio ?? document ?? voice)) {
    throw badRequest("message can't be edited");
  }
  if (lengthOf(text) > CAPTION_LENGTH_MAX) throw badRequest("MEDIA_CAPTION_TOO_LONG");
  if (text === "") return kept;
  return { ...kept, caption: text, ...(entities.length > 0 ? { caption_entities: entities } : {}) };
}

/** True where two versions of a message read the same. */
function isSameWording(one: TelegramMessage, other: TelegramMessage): boolean {
  return one.text === other.text && one.caption === other.caption;
}

/** Ends of a part from the best to the worst: after a paragraph, a line, a sentence, a word. */
const BREAKS: readonly RegExp[] = [/\n\n/g, /\n/g, /[.!?…]\s/g, /\s/g];

/**
 * The parts in which a client sends a text that is too long for one message: cut at the last best
 * place in the second half of what fits, and trimmed.
 */
function splitText(text: string): string[] {
  const parts: string[] = [];
  let rest = [...text.trim()];
  while (rest.length > TEXT_LENGTH_MAX) {
    const end = bestEnd(rest.slice(0, TEXT_LENGTH_MAX));
    parts.push(rest.slice(0, end).join("").trim());
    rest = [...rest.slice(end).join("").trimStart()];
  }
  return [...parts, rest.join("")];
}

/** How many code points of what fits belong to the part. */
function bestEnd(fitting: readonly string[]): number {
  const half = Math.floor(fitting.length / 2);
  const second = fitting.slice(half).join("");
  for (const pattern of BREAKS) {
    const found = [...second.matchAll(pattern)].at(-1);
    if (found) return half + [...second.slice(0, found.index + found[0].length)].length;
  }
  return fitting.length;
}

/** Returns the button of the keyboard that was shown last and asks for people under this id. */
function requestedUsers(chat: Chat, requestId: number): TelegramKeyboardButtonRequestUsers | undefined {
  const shown = [...chat.entries.values()].map((entry) => entry.shown).findLast((keyboard) => keyboard);
  const buttons = shown && "keyboard" in shown ? shown.keyboard.flat() : [];
  return buttons
    .map((button) => (typeof button === "string" ? undefined : button.request_users))
    .find((asked) => asked?.request_id === requestId);
}

/**
 * True when the bot gets to see a message. In a group with privacy mode these are commands that name
 * this bot, bare commands while this bot was the last one to write, replies to it, messages sent via it,
 * and service messages (https://core.telegram.org/bots/features#privacy-mode). A mention is not enough,
 * nor a command in a caption. A bot never sees another bot.
 */
function isSeenByBot(world: World, chat: Chat, message: TelegramMessage): boolean {
  if (message.from?.is_bot && !message.sender_chat) return false;
  if (chat.isPrivate || !chat.hasPrivacy || chat.botStatus === "administrator") return true;
  if (message.text === undefined && message.caption === undefined && !hasMedia(message)) return true;
  const { bot } = world;
  if (message.reply_to_message?.from?.id === bot.id || message.via_bot?.id === bot.id) return true;
  const text = message.text ?? "";
  const name = `@${bot.username}`.toLowerCase();
  return (message.entities ?? []).some(({ type, offset, length }) => {
    if (type !== "bot_command") return false;
    const value = text.slice(offset, offset + length).toLowerCase();
    return value.includes("@") ? value.endsWith(name) : chat.lastBotId === bot.id;
  });
}

function hasMedia({ photo, document, video, audio, voice, sticker, animation }: TelegramMessage): boolean {
  const media = photo ?? document ?? video ?? audio ?? voice ?? sticker ?? animation;
  return media !== undefined;
}

/** Place of a person's message. */
export interface Place {
  chat: number;
  replyTo?: number | undefined;
  thread?: number | undefined;
}

/** A file as a person gives it to a client. */
export interface GivenFile extends NewFile {
  kind: FileKind;
  /** What a sticker stands for. */
  emoji?: string | undefined;
}

/** How long the server lets people edit what they wrote. */
const EDITABLE_AGE_SEC = 48 * 3600;

/** What people do in the chats. Each deed makes the updates that the real server would make. */
export class Actions {
  constructor(private readonly state: SandboxState) {}

  /** Queues an update, checked against the schema. */
  push(kind: UpdateKind, payload: unknown): TelegramUpdate | undefined {
    const update = this.state.updates.push(kind, payload);
    if (!update) return undefined;
    for (const breach of this.state.schema.checkUpdate(update)) {
      this.state.breach(`own update ${kind}: ${breach}\n  ${JSON.stringify(update).slice(0, 600)}`);
    }
    return update;
  }

  person(id: number): Person {
    const person = this.state.world.people.get(id);
    if (!person) throw badRequest(`there is no person ${id} in the sandbox`);
    return person;
  }

  chat(id: number, person: number): Chat {
    const chat = this.state.world.chats.get(id);
    if (!chat?.members.has(person)) throw badRequest(`person ${person} has no chat ${id}`);
    return chat;
  }

  /** Sends a text, in several messages when it is too long for one; returns the last. */
  sendText(personId: number, text: string, place: Place): TelegramMessage {
    const sent = splitText(text).map((part) => this.#sendPart(personId, part, place));
    const last = sent.at(-1);
    if (!last) throw badRequest("a person cannot send an empty text");
    return last;
  }

  #sendPart(personId: number, part: string, place: Place): TelegramMessage {
    const { text, entities } = readTypedText(part);
    if (text === "") throw badRequest("a person cannot send an empty text");
    return this.#send(personId, place, entities.length > 0 ? { text, entities } : { text });
  }

  /** Sends files, an album when there are several. The caption stands on the first. */
  sendFiles(personId: number, files: readonly GivenFile[], caption: string, place: Place): TelegramMessage[] {
    const typed = readTypedText(caption);
    if (lengthOf(typed.text) > CAPTION_LENGTH_MAX) throw badRequest("message caption is too long");
    const group = files.length > 1 ? { media_group_id: newGroupId() } : {};
    const contents = files.map((file) => this.#contentOf(file));
    return contents.map((content, index) => {
      const isCaptioned = index === 0 && typed.text !== "";
      const words = isCaptioned ? { caption: typed.text, caption_entities: typed.entities } : {};
      return this.#send(personId, place, { ...group, ...content, ...words });
    });
  }

  #contentOf({ kind, bytes, fileName, mimeType, emoji }: GivenFile): Content {
    const given = { bytes, fileName, mimeType: mimeTypeOf(fileName, mimeType) };
    const none = new Params({ disable_content_type_detection: true });
    if (kind === "photo") return mediaContent(this.state, kind, { fresh: given }, none);
    return describeFile(this.state.files.add(kind, given, present<FileFacts>({ emoji })));
  }

  #send(personId: number, place: Place, content: Content): TelegramMessage {
    const { world } = this.state;
    const person = this.person(personId);
    const chat = this.chat(place.chat, personId);
    // A client lets nobody write to a blocked bot without starting it again first.
    if (chat.isPrivate) this.setBlocked(personId, false);
    if (chat.isPrivate) person.hasStarted = true;
    const around = this.#surroundings(chat, place);
    const message = world.post(chat, person.user, { ...around, ...content });
    this.#deliver("message", chat, message);
    return message;
  }

  /** Queues a message that the bot gets to see, from which the server knows its sender. */
  #deliver(kind: "message" | "edited_message", chat: Chat, message: TelegramMessage): void {
    if (!isSeenByBot(this.state.world, chat, message)) return;
    this.push(kind, message);
    const sender = this.state.world.people.get(message.from?.id ?? 0);
    if (sender) sender.isKnown = true;
  }

  /** Puts a message into a chat as it is, with any sender and any fields, such as a service message. */
  post(chat: Chat, { from, ...content }: Content & { from: TelegramUser }): TelegramMessage {
    const message = this.state.world.post(chat, from, content);
    this.#deliver("message", chat, message);
    return message;
  }

  /** The reply and the topic; in a topic, every message that answers nothing answers its opening. */
  #surroundings(chat: Chat, { replyTo, thread }: Place): Content {
    const replied = replyTo === undefined ? undefined : chat.message(replyTo);
    if (replyTo !== undefined && !replied) throw badRequest("message to be replied not found");
    if (replied) return { ...threadOf(chat, replied), reply_to_message: withoutReply(replied) };
    if (thread === undefined) return {};
    const opening = chat.topics.has(thread) ? chat.message(thread) : undefined;
    if (!opening) throw badRequest("message thread not found");
    return { ...threadOf(chat, opening), reply_to_message: withoutReply(opening) };
  }

  /**
   * Changes the text or the caption of a message; without a change nothing happens.
   * @throws BotApiError for a message of somebody else, one without words, and one that is too old
   */
  editText(personId: number, chatId: number, messageId: number, text: string): TelegramMessage {
    const { world } = this.state;
    const chat = this.chat(chatId, personId);
    const message = chat.message(messageId);
    if (message?.from?.id !== personId) throw badRequest("a person can only edit messages of their own");
    const edited = { ...withWords(message, text), edit_date: world.date() };
    if (world.date() - message.date > EDITABLE_AGE_SEC) throw badRequest("MESSAGE_EDIT_TIME_EXPIRED");
    if (isSameWording(edited, message)) return message;
    world.replace(chat, edited);
    this.#deliver("edited_message", chat, edited);
    return edited;
  }

  /**
   * Deletes messages for everybody: in a private chat any, in a group a person's own. No bot hears of it.
   * @throws BotApiError for a message of somebody else in a group
   */
  deleteMessages(personId: number, chatId: number, messageIds: readonly number[]): void {
    const chat = this.chat(chatId, personId);
    const mayDelete = (id: number) => chat.isPrivate || chat.message(id)?.from?.id === personId;
    const known = messageIds.filter((id) => chat.message(id) !== undefined);
    if (known.some((id) => !mayDelete(id) || chat.topics.has(id))) {
      throw badRequest("a person can only delete messages of their own");
    }
    this.state.world.remove(chat, known);
  }

  /**
   * Shares people whom a person chose for a button with `request_users`.
   * @throws BotApiError where no button of the chat asks for that
   */
  shareUsers(
    personId: number,
    place: { chat: number; requestId: number },
    ids: readonly number[],
  ): TelegramMessage {
    const { chat: chatId, requestId: request_id } = place;
    const asked = requestedUsers(this.chat(chatId, personId), request_id);
    if (!asked || ids.length === 0 || ids.length > (asked.max_quantity ?? 1))
      throw badRequest("BUTTON_INVALID");
    const users = ids.map((id) => sharedUser(this.person(id).user, asked));
    return this.#send(personId, { chat: chatId }, { users_shared: { request_id, users } });
  }

  /** Taps a button by its callback data, which need not stand on the message: old clients do that. */
  tap(personId: number, chatId: number, messageId: number, data: string): Tap {
    const person = this.person(personId);
    const chat = this.chat(chatId, personId);
    const tap = this.state.callbacks.open({ person: personId, chat, messageId, data });
    this.#pushTap(tap, person.user);
    return tap;
  }

  /** The same tap again under a new update id, as a client that reconnects sends it. */
  resendTap(tap: Tap): void {
    this.#pushTap(tap, this.person(tap.person).user);
  }

  /** A message that is gone is inaccessible: its date is 0, and nothing else is known of it. */
  #pushTap({ id, data, chat, messageId }: Tap, from: TelegramUser): void {
    const message = chat.message(messageId) ?? { chat: chat.about, message_id: messageId, date: 0 };
    this.person(from.id).isKnown = true;
    this.push("callback_query", { id, from, message, chat_instance: chat.chatInstance, data });
  }

  /** Blocks or unblocks the bot; without a change nothing happens. */
  setBlocked(personId: number, isBlocked: boolean): void {
    const person = this.person(personId);
    if (person.hasBlockedBot === isBlocked) return;
    person.hasBlockedBot = isBlocked;
    const member = person.hasBlockedBot ? "kicked" : "member";
    const before = isBlocked ? "member" : "kicked";
    this.#pushMembership(this.chat(personId, personId), person.user, before, member);
  }

  #pushMembership(chat: Chat, from: TelegramUser, before: BotStatus, after: BotStatus): void {
    const { world } = this.state;
    this.push("my_chat_member", {
      chat: chat.about,
      from,
      date: world.date(),
      old_chat_member: botMember(world.bot, before),
      new_chat_member: botMember(world.bot, after),
    });
  }
}

/** What the bot is told of a chosen person: the id, and the names that the button asked for. */
function sharedUser(
  { id: user_id, first_name, last_name, username }: TelegramUser,
  asked: TelegramKeyboardButtonRequestUsers,
): TelegramSharedUser {
  return present<TelegramSharedUser>({
    user_id,
    first_name: asked.request_name ? first_name : undefined,
    last_name: asked.request_name ? last_name : undefined,
    username: asked.request_username ? username : undefined,
    photo: undefined,
  });
}
