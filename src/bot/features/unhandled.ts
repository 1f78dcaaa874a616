import { Composer, InlineKeyboard } from "grammy";
import type { Message } from "grammy/types";
import { GENERATION_TYPES, type GenerationType } from "../../contract/model.js";
import { slipsBetween } from "../../platform/retry.js";
import { type BotContext, textOf } from "../context.js";
import type { Feature } from "../feature.js";
import { taps } from "../middleware.js";
import type { BotModules } from "../modules.js";
import { buttonData, oneOf } from "../telegram/button-data.js";
import { SeenAlbums } from "../telegram/message-content.js";
import { isPrivate, replyTo, withoutBotName } from "../telegram/place.js";
import { alertTap, answerTap, editOrIgnore } from "../telegram/tap-answers.js";
import { cleanText } from "../texts/html.js";
import type { Texts } from "../texts/texts.js";
import { openKind } from "./compose/open-kind.js";
import { wordsOfTap } from "./compose/replies.js";
import { addedTo, takeDescription } from "./compose/text.js";

/** What words are: a description, more of what the open card describes, or nothing for the bot. */
const MEANINGS = [...GENERATION_TYPES, "add", "nothing"] as const;
type Meaning = (typeof MEANINGS)[number];

/** `i:<meaning>`. The words are in the message that the button's message replies to. */
const meantData = buttonData("i", [oneOf("meant", MEANINGS)]);

/** Draws the button that opens a card with the words that its message replies to, or takes the message away. */
export function meantButton(meant: Meaning, label: string) {
  return InlineKeyboard.text(label, meantData.encode({ meant }));
}

const COMMAND = /^\/[^\s@]*(?:@\w+)?\s*/;

/** Collects what people write in place of a command, in every language. */
function commandNames({ languages }: Texts): ReadonlyMap<string, string> {
  const lists = languages.flatMap(({ t }) => t("command-names").split(";"));
  return new Map(
    lists.flatMap((list) => {
      const [command = "", names = ""] = list.split(":").map((part) => part.trim());
      return names.split(",").map((name): [string, string] => [name.trim().toLowerCase(), command]);
    }),
  );
}

/** Opens the card that was meant with the words of the message that the suggestion replies to. */
async function openMeant(ctx: BotContext, meant: GenerationType | "add", bot: BotModules): Promise<void> {
  const said = await wordsOfTap(ctx);
  if (!said) return;
  const { messageId } = said;
  const open = bot.drafts.composing(ctx.person.id, ctx.chatId);
  const type = meant === "add" ? (open?.type ?? "image") : meant;
  // A second tap, or the update of the first one again after a crash.
  const isDone = open && [open.takenMessageId, open.promptMessageId].includes(messageId);
  if (open?.type === type && isDone) return answerTap(ctx, ctx.language.t("start-card-open"));
  const own = said.text.replace(COMMAND, "");
  const words = cleanText(withoutBotName(ctx, own));
  const text = meant === "add" ? addedTo(open, words) : words;
  // What was no command may be the description that the open card waits for.
  const isOfOpen = own === said.text && open?.type === type;
  const taken = { text, messageId, isTapped: true };
  if (isOfOpen) await Promise.all([takeDescription(ctx, open.id, taken, bot), answerTap(ctx)]);
  else await openKind(ctx, { type, messageId, text }, bot);
  await editOrIgnore(ctx.editMessageReplyMarkup());
}

/** Takes a question away that was asked for nothing. */
async function leave(ctx: BotContext): Promise<void> {
  const said = ctx.callbackQuery?.message?.reply_to_message;
  if (said?.from && said.from.id !== ctx.person.id) return alertTap(ctx, ctx.language.t("tap-not-yours"));
  await answerTap(ctx);
  // One of more than 48 hours stays, without its buttons.
  if (!(await editOrIgnore(ctx.deleteMessage()))) await editOrIgnore(ctx.editMessageReplyMarkup());
}

/** The length from which on a word may have two slips. */
const LONG = 5;

/**
 * Finds the command that a person probably meant: one of the names that people use for it, or the closest spelling.
 * @param names commands by what people say in their place, in lower case
 */
function similarCommand(
  word: string,
  commands: readonly string[],
  names: ReadonlyMap<string, string>,
): string | undefined {
  const said = word.toLowerCase();
  const named = names.get(said);
  if (named !== undefined && commands.includes(named)) return named;
  const slipsMax = said.length >= LONG ? 2 : 1;
  const judged = commands.map((command) => ({ command, slips: slipsBetween(said, command) }));
  const [best] = judged.sort((a, b) => a.slips - b.slips);
  return best && best.slips <= slipsMax && best.slips * 2 < best.command.length ? best.command : undefined;
}

/** Replies to anything that no other feature handled. Must be last. `features`: all others. */
export function unhandledFeature(bot: BotModules, features: readonly Feature[]): Feature {
  const seen = new SeenAlbums();
  const names = commandNames(bot.texts);
  const everybody = features.flatMap(({ commands = [], keyCommands = [] }) => [...commands, ...keyCommands]);
  const ofAdmins = features.flatMap(({ adminCommands = [] }) => adminCommands);
  const admins = [...everybody, ...ofAdmins];
  const composer = new Composer<BotContext>();
  composer.use(
    taps(meantData, (ctx, { meant }) => (meant === "nothing" ? leave(ctx) : openMeant(ctx, meant, bot))),
  );
  composer.on("callback_query", (ctx) => answerTap(ctx, ctx.language.t("tap-unknown")));
  composer.on("message", async (ctx) => {
    const { t } = ctx.language;
    const text = textOf(ctx);
    const isCommand = text?.startsWith("/") ?? false;
    const isToBot =
      isCommand && text?.split(/\s/)[0]?.toLowerCase().endsWith(`@${ctx.me.username.toLowerCase()}`);
    if (!(isPrivate(ctx) || isToBot) || !seen.isFirst(ctx.message)) return;
    if (!isCommand) return void (await ctx.reply(t(unreadableKey(ctx.message) ?? "unknown-message")));
    const [, word = "", name = ""] = /^\/(([^\s@_]*)[^\s@]*)/.exec(text ?? "") ?? [];
    const isOfAdmin = bot.adminIds.has(ctx.person.id);
    if (!isPrivate(ctx) && isOfAdmin && ofAdmins.includes(name.toLowerCase()))
      return void (await ctx.reply(t("admin-private-only")));
    // A group must not see the commands of admins.
    const isForAdmin = isPrivate(ctx) && isOfAdmin;
    const command = similarCommand(word, isForAdmin ? admins : everybody, names);
    if (command === undefined) return void (await ctx.reply(t("unknown-command")));
    // A kind of file gets a button that keeps the words.
    const type = GENERATION_TYPES.find((kind) => kind === command);
    const keyboard = type && new InlineKeyboard([[meantButton(type, t(`button-type-${type}`))]]);
    await ctx.reply(t("unknown-command-meant", { command: `/${command}${t("at-bot")}` }), {
      ...(keyboard && { reply_markup: keyboard }),
      ...replyTo(ctx.msgId),
    });
  });
  return { composer };
}

/** Returns the text about a message that the bot cannot read, by what was sent. Undefined for rarer kinds. */
export function unreadableKey(message: Partial<Message>): string | undefined {
  if (message.voice) return "unreadable-voice";
  if (message.video || message.video_note) return "unreadable-video";
  // Animations also have `document`.
  if (message.animation || message.document?.mime_type === "image/gif") return "unreadable-gif";
  if (message.sticker) return "unreadable-sticker";
  if (message.audio) return "unreadable-audio";
  return message.document ? "unreadable-document" : undefined;
}
