import { createConversation } from "@grammyjs/conversations";
import { Composer, InlineKeyboard } from "grammy";
import { Unavailable } from "../../../contract/errors.js";
import type { Connections, ConnectOutcome } from "../../../ports/connections.js";
import { NOT_CONNECTED } from "../../../ports/gateway.js";
import { goOnKeyboard } from "../../card/go-on-keyboard.js";
import { type BotContext, isPrivate, textOf } from "../../context.js";
import type { Drafts } from "../../draft/draft-store.js";
import type { Feature } from "../../feature.js";
import { answerTap } from "../../middleware/tap-answers.js";
import type { Person } from "../../people/people.js";
import type { Removals } from "../../removals/removals.js";
import { readConnect } from "../../telegram/connect-command.js";
import { isNothingToEdit } from "../../telegram/failure.js";
import { connectData } from "./connect-data.js";
import { CONNECT_DIALOG, connectDialog } from "./connect-dialog.js";
import { connectedText, disconnectedText } from "./connect-text.js";
import { findKey, readKey } from "./read-key.js";

interface ConnectDeps {
  connections: Connections;
  drafts: Drafts;
  removals: Removals;
}

/** `/connect KEY`, or `/connect` followed by the key, and `/disconnect`: in private chats only. */
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
  composer.callbackQuery(connectData.pattern, async (ctx, next) => {
    if (!connectData.decode(ctx.callbackQuery.data)) return next();
    await leave(ctx);
  });
  return {
    name: "connect",
    commands: ["connect", "disconnect"],
    callbackPrefixes: [connectData.prefix],
    composer,
  };
}

/** The question for the key. Before all features that take texts: no other one may store a key. */
export function connectDialogFeature(deps: ConnectDeps): Feature {
  const composer = new Composer<BotContext>();
  composer.use(
    createConversation(
      connectDialog((ctx) => takeAnswer(ctx, deps)),
      CONNECT_DIALOG,
    ),
  );
  composer.on("message:text", async (ctx, next) => {
    // Else it would stand in the clear in the draft of a card.
    const isKey = ctx.gateway === NOT_CONNECTED && isPrivate(ctx) && findKey(ctx.msg.text) !== undefined;
    await (isKey ? takeAnswer(ctx, deps) : next());
  });
  // A tap elsewhere leaves the question: what is written next belongs there.
  composer.on("callback_query:data", async (ctx, next) => {
    if (ctx.conversation.active(CONNECT_DIALOG) > 0) await ctx.conversation.exitAll();
    await next();
  });
  return { name: "connect-dialog", composer };
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
  await ctx.conversation.exitAll();
  await ctx.conversation.enter(CONNECT_DIALOG);
}

/** True when the question is answered. */
async function takeAnswer(ctx: BotContext, deps: ConnectDeps): Promise<boolean> {
  const { chatId, msgId } = ctx;
  if (chatId !== undefined && msgId !== undefined) await deps.removals.schedule(chatId, msgId, 0);
  return takeKey(ctx, textOf(ctx) ?? "", deps);
}

/** True when the key was connected. */
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

async function leave(ctx: BotContext): Promise<void> {
  const { t } = ctx.language;
  const edit = ctx.editMessageText(t("connect-left")).catch((error: unknown) => {
    if (!isNothingToEdit(error)) throw error;
  });
  await Promise.all([ctx.conversation.exitAll(), answerTap(ctx), edit]);
}
