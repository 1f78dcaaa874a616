import { Composer, InlineKeyboard, type MiddlewareFn } from "grammy";
import { Unavailable } from "../../contract/errors.js";
import { kopecksOf } from "../../contract/price.js";
import { BoundedMap } from "../../platform/bounded-map.js";
import { MINUTE_MS } from "../../platform/units.js";
import { NOT_CONNECTED } from "../../ports/gateway.js";
import type { ConnectOutcome, DisconnectOutcome } from "../../service/accounts.js";
import { goOnKeyboard } from "../card/card-messages.js";
import { type BotContext, textOf } from "../context.js";
import { ask, isAsked, type Question, questionDialog } from "../dialogs.js";
import type { Feature } from "../feature.js";
import { privateOnly, taps } from "../middleware.js";
import type { ConnectedBot } from "../modules.js";
import { sendScreen } from "../screens.js";
import { actionData, natural } from "../telegram/button-data.js";
import { telegramFailure } from "../telegram/failure.js";
import { isCommand, readConnect } from "../telegram/message-content.js";
import { isPrivate } from "../telegram/place.js";
import { answerTap, editOrIgnore } from "../telegram/tap-answers.js";
import type { Language } from "../texts/texts.js";

/** Matches what may be a key, which travels in a header. */
const KEY_FORM = /^[\x21-\x7e]{8,512}$/;
/** Matches a word that is longer than those of other texts, links aside. */
const LONG_WORD = /^[\x21-\x7e]{20,512}$/;
const LINK = /^(?:https?:|\/)/i;

/** Reads the key from what a person sent as one: the only word, or the only long one. */
export function readKey(text: string): string | undefined {
  const words = text.trim().split(/\s+/);
  const [only = ""] = words;
  if (words.length === 1) return KEY_FORM.test(only) && !LINK.test(only) ? only : undefined;
  return findKey(text);
}

/** Finds the word of a text that can only be a key. */
export function findKey(text: string): string | undefined {
  const long = text.split(/\s+/).filter((word) => LONG_WORD.test(word) && !LINK.test(word));
  return long.length === 1 ? long[0] : undefined;
}

const KEPT_MS = 10 * MINUTE_MS;

/**
 * Keys of messages that people were asked about, until a time of the monotonic clock. In memory only: none may stand in a
 * file.
 */
type OfferedKeys = BoundedMap<number, { key: string; message: number; until: number }>;
const OFFERS_REMEMBERED = 1000;

/** The buttons under the question for the key, and under the one whether to take the key of a message of this chat. */
const connectData = actionData("a", { leave: ["l"], take: ["t", natural("message")] });

const KEY: Question<null> = { name: "connect" };

/** Handles `/connect KEY`, `/connect` followed by the key, and `/disconnect`, in private chats only. */
export function connectFeature(bot: ConnectedBot): Feature {
  const offered: OfferedKeys = new BoundedMap(OFFERS_REMEMBERED);
  const composer = new Composer<BotContext>();
  composer.on(["message", "edited_message"], async (ctx, next) => {
    const command = readConnect(ctx.msg, ctx.me.username);
    await (command ? answerCommand(ctx, command.key, bot) : next());
  });
  composer.command("disconnect", privateOnly("connect-private-only"), async (ctx) => {
    await ctx.reply(disconnectedText(await bot.accounts.connections.disconnect(ctx.person), ctx.language));
  });
  composer.use(
    taps(connectData, (ctx, data) =>
      data.action === "leave" ? leave(ctx, offered) : takeOffered(ctx, data.message, offered, bot),
    ),
  );
  const key = questionDialog(KEY, {
    async take(one) {
      if (one.message?.text === undefined) return { kind: "passed" };
      return { kind: (await takeAnswer(one, bot)) ? "over" : "refused" };
    },
  });
  return { commands: ["connect", "disconnect"], questions: [keyGuard(bot, offered), key], composer };
}

/** Takes messages with a key before all that takes texts: no other feature may store one. */
function keyGuard(bot: ConnectedBot, offered: OfferedKeys): MiddlewareFn<BotContext> {
  const composer = new Composer<BotContext>();
  // Else it would stand in the clear in the draft of a card.
  composer.on(["message", "edited_message"], async (ctx, next) => {
    const words = ctx.msg.text ?? ctx.msg.caption ?? "";
    const isAnswer = isAsked(ctx, KEY) && ctx.message?.text !== undefined && !isCommand(ctx.message);
    if (isAnswer || readConnect(ctx.msg, ctx.me.username)) return next();
    const like = bot.accounts.connections.findKey(ctx.person, words);
    const isAny = ctx.gateway === NOT_CONNECTED && findKey(words) !== undefined;
    if (!isPrivate(ctx)) {
      // Such as the answer to a refused `/connect`.
      const isBareReply = ctx.msg.reply_to_message?.from?.id === ctx.me.id && !/\s/.test(words.trim());
      if (like === undefined && !(isAny && isBareReply)) return next();
      await removeMessage(ctx, bot);
      return void (await ctx.reply(ctx.language.t("connect-in-group")));
    }
    if (ctx.gateway === NOT_CONNECTED) return isAny || like ? takeAnswer(ctx, bot) : next();
    return like === undefined ? next() : offer(ctx, like, offered, bot);
  });
  // A tap elsewhere leaves the question: what is written next belongs there.
  composer.on("callback_query:data", async (ctx, next) => {
    await ctx.conversation.exit(KEY.name);
    await next();
  });
  return composer.middleware();
}

async function answerCommand(ctx: BotContext, key: string, bot: ConnectedBot): Promise<void> {
  const { t } = ctx.language;
  // The message itself is deleted by `removeKeyMessages`.
  if (!isPrivate(ctx)) return void (await ctx.reply(t(key ? "connect-in-group" : "connect-private-only")));
  if (key) return void (await takeKey(ctx, key, bot));
  const keyboard = new InlineKeyboard()
    .text(t("button-cancel"), connectData.encode({ action: "leave" }))
    .danger();
  await ctx.reply(t("connect-ask"), { reply_markup: keyboard });
  await ask(ctx, KEY, null);
}

/** Offers to connect a key. A person with an account may have meant it for another place. */
async function offer(ctx: BotContext, key: string, offered: OfferedKeys, bot: ConnectedBot): Promise<void> {
  const { t } = ctx.language;
  const message = ctx.msgId ?? 0;
  await removeMessage(ctx, bot);
  offered.set(ctx.person.id, { key, message, until: bot.clock.monotonic() + KEPT_MS });
  const keyboard = new InlineKeyboard()
    .text(t("button-connect-key"), connectData.encode({ action: "take", message }))
    .row()
    .text(t("button-cancel"), connectData.encode({ action: "leave" }));
  await ctx.reply(t("connect-offer"), { reply_markup: keyboard });
}

async function takeOffered(
  ctx: BotContext,
  message: number,
  offered: OfferedKeys,
  bot: ConnectedBot,
): Promise<void> {
  const one = offered.get(ctx.person.id);
  if (one?.message === message) offered.delete(ctx.person.id);
  // Another one may have been offered since.
  const key = one?.message === message && bot.clock.monotonic() < one.until ? one.key : undefined;
  const { t } = ctx.language;
  await answerTap(ctx);
  const words = t(key === undefined ? "connect-offer-over" : "connect-offer-taken");
  await editOrIgnore(ctx.editMessageText(words));
  if (key !== undefined) await takeKey(ctx, key, bot);
}

async function removeMessage({ chatId, msgId }: BotContext, { removals }: ConnectedBot): Promise<void> {
  if (chatId !== undefined && msgId !== undefined) await removals.schedule(chatId, msgId, 0);
}

/** Takes the answer to the question for the key. Resolves to true when the question is answered. */
async function takeAnswer(ctx: BotContext, bot: ConnectedBot): Promise<boolean> {
  await removeMessage(ctx, bot);
  return takeKey(ctx, textOf(ctx) ?? ctx.msg?.caption ?? "", bot);
}

/** Resolves to true when the key was connected. */
async function takeKey(ctx: BotContext, words: string, bot: ConnectedBot): Promise<boolean> {
  const { language, person } = ctx;
  const key = readKey(words);
  const outcome =
    key === undefined ? "no-key" : await bot.accounts.connections.connect(person, key).catch(orUnavailable);
  if (typeof outcome === "string") {
    await ctx.reply(language.t(`connect-${outcome}`));
    return false;
  }
  const isConnected = outcome.outcome === "connected";
  const keyboard = isConnected ? goOnKeyboard(bot.drafts, person, language) : undefined;
  await sendScreen(ctx, { text: connectedText(outcome, language), keyboard });
  return isConnected;
}

function orUnavailable(error: unknown): "unavailable" {
  if (error instanceof Unavailable) return "unavailable";
  throw error;
}

async function leave(ctx: BotContext, offered: OfferedKeys): Promise<void> {
  const { t } = ctx.language;
  offered.delete(ctx.person.id);
  const edit = editOrIgnore(ctx.editMessageText(t("connect-left")));
  await Promise.all([ctx.conversation.exit(KEY.name), answerTap(ctx), edit]);
}

/** Tells the outcome of connecting a key, as HTML. */
function connectedText(outcome: ConnectOutcome, { t, money }: Language): string {
  if (outcome.outcome === "refused") return t("connect-key-refused");
  if (outcome.outcome === "too_many") return t("connect-too-many");
  const { balance, resumed, earlier } = outcome;
  const lines = [t("connected", { balance: money(kopecksOf(balance.amount)) })];
  if (resumed > 0) lines.push(t("connected-resumed", { count: resumed }));
  if (earlier.followed > 0) lines.push(t("connected-earlier-followed", { count: earlier.followed }));
  if (earlier.waiting > 0) lines.push(t("connected-earlier-waiting", { count: earlier.waiting }));
  return lines.join("\n\n");
}

function disconnectedText(outcome: DisconnectOutcome, { t }: Language): string {
  if (outcome.outcome === "not_connected") return t("disconnect-nothing");
  if (outcome.openOrders === 0) return t("disconnected");
  return t("disconnected-open", { count: outcome.openOrders });
}

/** Tells people whose key stops working. One who cannot be written to is told by their next command. */
export function tellRefusedKeys({ api, languageOf, logger, accounts }: ConnectedBot): void {
  accounts.connections.onKeyRefused(async ({ userId, isCurrent, openOrders: count }) => {
    const { t } = languageOf(userId);
    const open = count > 0 ? ` ${t("key-stopped-open", { count })}` : "";
    try {
      const words = isCurrent ? `${t("key-stopped")}${open}` : t("key-stopped-earlier", { count });
      await api.sendMessage(userId, words);
    } catch (error) {
      const { kind } = telegramFailure(error);
      if (kind === "again" || kind === "wait") throw error;
      logger.info({ user_id: userId, err: error }, "person not told of a refused key");
    }
  });
}
