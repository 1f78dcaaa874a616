import type { CommandContext, Context, MiddlewareFn, MiddlewareObj, NextFunction } from "grammy";
import type { Message } from "grammy/types";
import type { Admins } from "../accounts/admin-store.js";
import { BoundedMap } from "../platform/bounded-map.js";
import type { Logger } from "../platform/logger.js";
import type { Gateways } from "../ports/gateway.js";
import type { Drafts } from "./card/draft-store.js";
import { readCommand } from "./card/form/typed-value.js";
import type { CommandMenu } from "./command-menu.js";
import type { BotContext } from "./context.js";
import type { People } from "./people/people.js";
import type { CallbackData } from "./telegram/button-data.js";
import { hasContent, isOwnWords, readConnect } from "./telegram/message-content.js";
import { isForBot, isFromPerson, isPrivate, queuesOf, replyTo } from "./telegram/place.js";
import type { Removals } from "./telegram/removals.js";
import { alertTap } from "./telegram/tap-answers.js";
import type { Texts } from "./texts/texts.js";

/**
 * Ends updates that no person sent, such as channel posts: there is no account to charge. A command of an anonymous group
 * admin is answered.
 */
export function peopleOnly(texts: Texts): MiddlewareFn<Context> {
  return async (ctx, next) => {
    if (isFromPerson(ctx)) return next();
    const { message } = ctx;
    // Anonymous admins send on behalf of the group itself (core.telegram.org/bots/api#message).
    if (!message || !ctx.from?.is_bot || message.sender_chat?.id !== message.chat.id) return;
    if (!/^\/\w/.test(message.text ?? "") || !isForBot(message, ctx.me)) return;
    await ctx.reply(texts.in(undefined).t("anonymous-admin"), replyTo(message.message_id));
  };
}

/** The least length of each part but the last: clients split a long text in the second half of a message's limit. */
const PART_MIN = 2048;
const TOGETHER_SEC = 2;
/** The longest text of the contract has 20 000 characters, each of up to two units: what follows is not kept. */
const LENGTH_KEPT = 40_000;
const REMEMBERED = 1000;

type TextMessage = Message & { text: string };

interface LongText {
  /** Texts without a leading command. */
  parts: readonly { messageId: number; text: string }[];
  /** The newest message, which may be none of the parts. */
  newest: { messageId: number; length: number };
  /** The ids of the messages before it: of the parts, and of the one right before. */
  before: readonly number[];
  /** Seconds since the epoch at which its last part was sent. */
  date: number;
}

/** Sets `ctx.longText` on the later parts of a text that its client split, and on an edit of any part. */
export function joinLongTexts(): MiddlewareFn<BotContext> {
  const known = new BoundedMap<number, LongText>(REMEMBERED);
  return async (ctx, next) => {
    const longText = longTextOf(ctx, known);
    if (longText) {
      const { parts, newest, before } = longText;
      // Clients split at a space or a line break, which is lost.
      const text = parts.map((part) => part.text).join("\n");
      ctx.longText = { text, messageId: newest.messageId, before };
    }
    await next();
  };
}

function longTextOf(ctx: BotContext, known: BoundedMap<number, LongText>): LongText | undefined {
  const { message, editedMessage, person } = ctx;
  const before = known.get(person.id);
  // A tap ends the text: the next message starts a new one.
  if (before && ctx.callbackQuery) known.set(person.id, { ...before, date: 0 });
  if (!isPrivate(ctx)) return undefined;
  if (isText(message)) return join(message, person.id, known);
  const place = before?.parts.findIndex(({ messageId }) => messageId === editedMessage?.message_id) ?? -1;
  if (!isText(editedMessage) || !before || place < 0 || before.parts.length === 1) return undefined;
  const edited = { messageId: editedMessage.message_id, text: readCommand(editedMessage.text).words };
  const whole = { ...before, parts: before.parts.with(place, edited) };
  known.set(person.id, whole);
  return whole;
}

function isText(message: Message | undefined): message is TextMessage {
  return message?.text !== undefined;
}

function join(
  message: TextMessage,
  personId: number,
  known: BoundedMap<number, LongText>,
): LongText | undefined {
  const { date, text, message_id: messageId } = message;
  const before = known.get(personId);
  known.delete(personId);
  const isInTime = before && date >= before.date && date - before.date <= TOGETHER_SEC;
  const isNew = message.forward_origin || text.startsWith("/");
  const isRest = before && before.newest.length >= PART_MIN && isInTime && !isNew;
  if (!isRest && text.length < PART_MIN) return undefined;
  const own = { messageId, text: isRest ? text : readCommand(text).words };
  const parts = isRest ? before.parts : [];
  const whole = {
    parts: parts.reduce((sum, part) => sum + part.text.length, 0) > LENGTH_KEPT ? parts : [...parts, own],
    newest: { messageId, length: own.text.length },
    before: isRest ? [...parts.map((part) => part.messageId), before.newest.messageId] : [],
    date,
  };
  known.set(personId, whole);
  return isRest ? whole : undefined;
}

/** Returns a predicate for `composer.filter`: updates of other people go on to the next feature. */
export function isAdmin(adminIds: Admins): (ctx: BotContext) => boolean {
  return (ctx) => adminIds.has(ctx.person.id);
}

/** Returns a predicate for commands of admins that are unknown to others, and in every chat but their private ones. */
export function forAdminsAlone(adminIds: Admins): (ctx: BotContext) => boolean {
  return (ctx) => adminIds.has(ctx.person.id) && isPrivate(ctx);
}

/** Refuses a command that its sender did not type: a forward, or a text of an inline or business bot. */
export const ownWordsOnly: MiddlewareFn<BotContext> = async (ctx, next) => {
  if (ctx.msg && isOwnWords(ctx.msg)) return next();
  await ctx.reply(ctx.language.t("admin-own-words"));
};

/** Refuses a command in a group. @param words the key of what is said there */
export function privateOnly(words: string): MiddlewareFn<CommandContext<BotContext>> {
  return async (ctx, next) => {
    if (isPrivate(ctx)) return next();
    await ctx.reply(ctx.language.t(words));
  };
}

/** Allows only the listed people, if there is a list. */
export class Access {
  readonly #allowed: ReadonlySet<number>;
  readonly #refused = new BoundedMap<number, true>(REMEMBERED);

  /** Allows `userIds` and admins, or everybody where `userIds` is empty. */
  constructor(
    userIds: readonly number[],
    private readonly adminIds: Admins,
  ) {
    this.#allowed = new Set(userIds);
  }

  isFor(userId: number): boolean {
    return this.#allowed.size === 0 || this.#allowed.has(userId) || this.adminIds.has(userId);
  }

  /** Answers every tap of a refused person, but only their first message. */
  async refuse(ctx: BotContext): Promise<void> {
    const words = ctx.language.t("not-allowed");
    if (ctx.callbackQuery) return alertTap(ctx, words);
    if (this.#refused.get(ctx.person.id) || !isPrivate(ctx)) return;
    this.#refused.set(ctx.person.id, true);
    await ctx.reply(words);
  }
}

/** @param open what everybody may ask. Nothing else of the bot, such as an account, is for people who are not let in */
export function allowedOnly(access: Access, open: MiddlewareObj<BotContext>): MiddlewareFn<BotContext> {
  const ofOthers = open.middleware();
  return (ctx, next) => (access.isFor(ctx.person.id) ? next() : ofOthers(ctx, () => access.refuse(ctx)));
}

/** Ends service messages and membership updates. @param isWanted tells which service messages go on */
export function contentOnly(isWanted: (ctx: BotContext) => boolean): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    if (ctx.myChatMember || (ctx.message && !hasContent(ctx.message) && !isWanted(ctx))) return;
    await next();
  };
}

/**
 * Ends what people of a group say to each other. Must be before `sequentialize`, where a message may wait.
 * @param isAwaited tells which messages of a group go on although they do not speak to the bot
 */
export function forBotOnly(
  drafts: Pick<Drafts, "composing">,
  isAwaited: (message: Message) => boolean,
): MiddlewareFn<Context> {
  /** Albums whose first item speaks to the bot, since the others have no words, and the messages that went on. */
  const albums = new BoundedMap<string, true>(REMEMBERED);
  return async (ctx, next) => {
    const { message, editedMessage, from, chatId } = ctx;
    if (isPrivate(ctx)) return next();
    if (message) {
      const { media_group_id: album = "", message_id: id } = message;
      // The process of before took the picture right before this one, and ended.
      const isCutOff = () =>
        album !== "" &&
        !albums.get(`${chatId}:${id - 1}`) &&
        from !== undefined &&
        drafts.composing(from.id, chatId)?.pictureMessages[id - 1] !== undefined;
      const isAddressed = isForBot(message, ctx.me);
      if (!isAddressed && !isAwaited(message) && !albums.get(album) && !isCutOff()) return;
      if (album !== "") albums.set(album, true);
      albums.set(`${chatId}:${id}`, true);
    }
    // An edited message may be the description of an open card.
    const hasCard = () => from !== undefined && drafts.composing(from.id, chatId);
    if (editedMessage && !isForBot(editedMessage, ctx.me) && !hasCard()) return;
    await next();
  };
}

/**
 * Deletes each message that carries a key, whoever sent it and wherever. The removal is committed before anything
 * else happens, so that a crash leaves no key in the chat.
 */
export function removeKeyMessages(removals: Removals, logger: Logger): MiddlewareFn<Context> {
  return async (ctx, next) => {
    const message = ctx.message ?? ctx.editedMessage;
    if (message && readConnect(message, ctx.me.username)?.key) {
      const { chat, message_id } = message;
      await removals
        .schedule(chat.id, message_id, 0)
        .catch((error: unknown) => logger.error({ chat_id: chat.id, err: error }, "key message not removed"));
    }
    await next();
  };
}

/** Sets `ctx.gateway`. The first update of a person opens their account. */
export function loadGateway(gateways: Gateways): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    ctx.gateway = await gateways.of(ctx.person);
    await next();
  };
}

/** Sets `ctx.person` and `ctx.language`, and stores a new person. */
export function loadUser(people: People, texts: Texts): MiddlewareFn<BotContext> {
  const localeOf = (code: string | undefined) => texts.in(code).code;
  const languageOf = (ctx: Context, code: string | undefined) =>
    isPrivate(ctx) ? texts.in(code) : texts.inGroup(code, ctx.me.username);
  return async (ctx, next) => {
    if (!ctx.from) return;
    // The error handler needs a language even when the person cannot be loaded.
    ctx.language = languageOf(ctx, ctx.from.language_code);
    const { person, isFirst } = await people.meet(ctx.from, localeOf);
    ctx.person = person;
    ctx.isNewcomer = isFirst;
    ctx.language = languageOf(ctx, ctx.person.locale);
    await next();
  };
}

/**
 * Rejects updates that come after an interrupted one in its queues: all run again in order after the restart. Must be
 * directly inside `sequentialize`. `stopping` aborts when the service begins to stop.
 */
export function keepOrderAtStop(stopping: AbortSignal): MiddlewareFn<BotContext> {
  const cutOff = new Set<string>();
  return async (ctx, next) => {
    const queues = queuesOf(ctx);
    if (queues.some((queue) => cutOff.has(queue)))
      throw new Error("an earlier update of the chat was interrupted");
    try {
      await next();
    } catch (error) {
      if (stopping.aborted) for (const queue of queues) cutOff.add(queue);
      throw error;
    }
  };
}

/** Sets a menu of the person's own and releases deliveries, which both wait for an update from the private chat. */
export function onPrivateContact(
  commandMenu: Pick<CommandMenu, "onContact">,
  orderService: { onContact(userId: number): Promise<void> | undefined },
): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    if (isPrivate(ctx)) {
      if (ctx.message) commandMenu.onContact(ctx.person, ctx.language);
      const isLeaving = ctx.myChatMember?.new_chat_member.status === "kicked";
      if (!isLeaving) await orderService.onContact(ctx.person.id);
    }
    await next();
  };
}

/** Passes taps on the buttons of a codec to their handler. A tap with other data goes on to the next middleware. */
export function taps<T>(
  codec: CallbackData<T>,
  handle: (ctx: BotContext, data: T, next: NextFunction) => Promise<unknown>,
): MiddlewareFn<BotContext> {
  return async (ctx, next) => {
    const data = codec.decode(ctx.callbackQuery?.data ?? "");
    await (data === undefined ? next() : handle(ctx, data, next));
  };
}
