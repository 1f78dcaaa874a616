import { Composer, InlineKeyboard } from "grammy";
import { Unavailable } from "../../../contract/errors.js";
import type { Connections, ConnectOutcome } from "../../../ports/connections.js";
import { NOT_CONNECTED } from "../../../ports/gateway.js";
import type { Drafts } from "../../card/draft/draft-store.js";
import { goOnKeyboard } from "../../card/go-on-keyboard.js";
import { type BotContext, textOf } from "../../context.js";
import { ask, isAsked, leaveQuestion, type Question, questionDialog } from "../../dialogs/ask.js";
import type { Feature } from "../../feature.js";
import { taps } from "../../middleware/taps.js";
import type { Person } from "../../people/people.js";
import { readConnect } from "../../telegram/connect-command.js";
import { editOrIgnore } from "../../telegram/edit-or-ignore.js";
import { isCommand } from "../../telegram/message-content.js";
import { isPrivate } from "../../telegram/place.js";
import type { Removals } from "../../telegram/removals/removals.js";
import { answerTap } from "../../telegram/tap-answers.js";
import { connectData } from "./connect-data.js";
import { connectedText, disconnectedText } from "./connect-text.js";
import type { OfferedKeys } from "./offered-keys.js";
import { findKey, readKey } from "./read-key.js";

/** Asks for the API key. */
const KEY: Question<null> = { name: "connect" };

interface ConnectDeps {
  connections: Connections;
  drafts: Drafts;
  removals: Removals;
  offered: OfferedKeys;
}

/** Handles `/connect KEY`, `/connect` followed by the key, and `/disconnect`, in private chats only. */
export function connectFeature(deps: ConnectDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.on(["message", "edited_message"], async (ctx, next) => {
    const command = readConnect(ctx.msg, ctx.me.username);
    await (command ? answerCommand(ctx, command.key, deps) : next());
  });
  composer.command("disconnect", async (ctx) => {
    if (!isPrivate(ctx)) return void (await ctx.reply(ctx.language.t("connect-private-only")));
    await ctx.reply(disconnectedText(await deps.connections.disconnect(ctx.person), ctx.language));
  });
  composer.use(
    taps(connectData, (ctx, data) =>
      data.action === "leave" ? leave(ctx, deps) : takeOffered(ctx, data.message, deps),
    ),
  );
  return {
    name: "connect",
    commands: ["connect", "disconnect"],
    callbackPrefixes: [connectData.prefix],
    composer,
  };
}

/** Asks for the key. Comes before all features that take texts: no other one may store a key. */
export function connectDialogFeature(deps: ConnectDeps): Feature {
  const composer = new Composer<BotContext>();
  // Else it would stand in the clear in the draft of a card.
  composer.on(["message", "edited_message"], async (ctx, next) => {
    const words = ctx.msg.text ?? ctx.msg.caption ?? "";
    const isAnswer = isAsked(ctx, KEY) && ctx.message?.text !== undefined && !isCommand(ctx.message);
    if (isAnswer || readConnect(ctx.msg, ctx.me.username)) return next();
    const like = deps.connections.findKey(ctx.person, words);
    const isAny = ctx.gateway === NOT_CONNECTED && findKey(words) !== undefined;
    if (!isPrivate(ctx)) {
      // Such as the answer to a refused `/connect`.
      const isBareReply = ctx.msg.reply_to_message?.from?.id === ctx.me.id && !/\s/.test(words.trim());
      return like !== undefined || (isAny && isBareReply) ? refuseInGroup(ctx, deps) : next();
    }
    if (ctx.gateway === NOT_CONNECTED) return isAny || like ? takeAnswer(ctx, deps) : next();
    return like === undefined ? next() : offer(ctx, like, deps);
  });
  // A tap elsewhere leaves the question: what is written next belongs there.
  composer.on("callback_query:data", async (ctx, next) => {
    if (isAsked(ctx, KEY)) await leaveQuestion(ctx, KEY);
    await next();
  });
  const key = questionDialog(KEY, {
    endsOnCommand: true,
    async take(one) {
      if (one.message?.text === undefined) return { kind: "passed" };
      return { kind: (await takeAnswer(one, deps)) ? "over" : "refused" };
    },
  });
  return { name: "connect-dialog", questions: [key], composer };
}

async function answerCommand(ctx: BotContext, key: string, deps: ConnectDeps): Promise<void> {
  const { t } = ctx.language;
  // The message itself is deleted by `removeKeyMessages`.
  if (!isPrivate(ctx)) return void (await ctx.reply(t(key ? "connect-in-group" : "connect-private-only")));
  if (key) return void (await takeKey(ctx, key, deps));
  const keyboard = new InlineKeyboard()
    .text(t("button-cancel"), connectData.encode({ action: "leave" }))
    .danger();
  await ctx.reply(t("connect-ask"), { reply_markup: keyboard });
  await ask(ctx, KEY, null);
}

async function refuseInGroup(ctx: BotContext, deps: ConnectDeps): Promise<void> {
  await removeMessage(ctx, deps);
  await ctx.reply(ctx.language.t("connect-in-group"));
}

/** Offers to connect a key. A person with an account may have meant it for another place. */
async function offer(ctx: BotContext, key: string, deps: ConnectDeps): Promise<void> {
  const { t } = ctx.language;
  const message = ctx.msgId ?? 0;
  await removeMessage(ctx, deps);
  deps.offered.offer(ctx.person.id, key, message);
  const keyboard = new InlineKeyboard()
    .text(t("button-connect-key"), connectData.encode({ action: "take", message }))
    .row()
    .text(t("button-cancel"), connectData.encode({ action: "leave" }));
  await ctx.reply(t("connect-offer"), { reply_markup: keyboard });
}

async function takeOffered(ctx: BotContext, message: number, deps: ConnectDeps): Promise<void> {
  const key = deps.offered.take(ctx.person.id, message);
  const { t } = ctx.language;
  await answerTap(ctx);
  const words = t(key === undefined ? "connect-offer-over" : "connect-offer-taken");
  await editOrIgnore(ctx.editMessageText(words));
  if (key !== undefined) await takeKey(ctx, key, deps);
}

async function removeMessage({ chatId, msgId }: BotContext, { removals }: ConnectDeps): Promise<void> {
  if (chatId !== undefined && msgId !== undefined) await removals.schedule(chatId, msgId, 0);
}

/** Takes the answer to the question for the key. Resolves to true when the question is answered. */
async function takeAnswer(ctx: BotContext, deps: ConnectDeps): Promise<boolean> {
  await removeMessage(ctx, deps);
  return takeKey(ctx, textOf(ctx) ?? ctx.msg?.caption ?? "", deps);
}

/** Resolves to true when the key was connected. */
async function takeKey(ctx: BotContext, words: string, deps: ConnectDeps): Promise<boolean> {
  const { language, person } = ctx;
  const key = readKey(words);
  const outcome = key === undefined ? "no-key" : await tryKey(person, key, deps.connections);
  if (typeof outcome === "string") {
    await ctx.reply(language.t(`connect-${outcome}`));
    return false;
  }
  const isConnected = outcome.outcome === "connected";
  const keyboard = isConnected ? goOnKeyboard(deps.drafts, person, language) : undefined;
  await ctx.reply(connectedText(outcome, language), {
    parse_mode: "HTML",
    ...(keyboard && { reply_markup: keyboard }),
  });
  return isConnected;
}

async function tryKey(
  person: Person,
  key: string,
  connections: Connections,
): Promise<ConnectOutcome | "unavailable"> {
  try {
    return await connections.connect(person, key);
  } catch (error) {
    if (error instanceof Unavailable) return "unavailable";
    throw error;
  }
}

async function leave(ctx: BotContext, { offered }: ConnectDeps): Promise<void> {
  const { t } = ctx.language;
  offered.forget(ctx.person.id);
  const edit = editOrIgnore(ctx.editMessageText(t("connect-left")));
  await Promise.all([leaveQuestion(ctx, KEY), answerTap(ctx), edit]);
}
