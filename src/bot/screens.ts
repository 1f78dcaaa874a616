import { GrammyError, InlineKeyboard } from "grammy";
import type { BotContext } from "./context.js";
import { alertTap, answerTap, editOrIgnore } from "./telegram/tap-answers.js";
import { escapeHtml } from "./texts/html.js";
import type { Translate } from "./texts/texts.js";

/** A message of the bot with its buttons. */
export interface Screen {
  /** HTML. */
  text: string;
  keyboard?: InlineKeyboard | undefined;
}

/** Returns the options of Telegram for a screen. */
export function shownAs({ keyboard }: Screen) {
  return { parse_mode: "HTML", ...(keyboard && { reply_markup: keyboard }) } as const;
}

export async function sendScreen(ctx: BotContext, screen: Screen): Promise<void> {
  await ctx.reply(screen.text, shownAs(screen));
}

export async function editScreen(ctx: BotContext, screen: Screen): Promise<void> {
  await editOrIgnore(ctx.editMessageText(screen.text, shownAs(screen)));
}

/** Tells how a command is used and what is wrong with it, if anything. */
export async function replyUsage(ctx: BotContext, command: string, fault?: string): Promise<void> {
  const usage = ctx.language.t(`usage-${command}`);
  const text = fault === undefined ? usage : `${escapeHtml(fault)}\n\n${usage}`;
  await ctx.reply(text, { parse_mode: "HTML" });
}

/** Answers a tap with another screen in place of the one that was tapped, and with `words`. */
export async function turnTo(
  ctx: BotContext,
  screen: Screen | Promise<Screen>,
  words?: string,
): Promise<void> {
  const edit = async () => editScreen(ctx, await screen);
  await Promise.all([answerTap(ctx, words), edit()]);
}

/** Sends what the group of a button must not see to the private chat of who tapped, and tells so. */
export async function sendInPrivate(ctx: BotContext, screen: Screen): Promise<void> {
  const { t } = ctx.language;
  try {
    await ctx.api.sendMessage(ctx.person.id, screen.text, shownAs(screen));
    await answerTap(ctx, t("sent-to-private"));
  } catch (error) {
    if (!(error instanceof GrammyError)) throw error;
    await alertTap(ctx, t("private-not-open"));
  }
}

/**
 * Asks before what cannot be undone. Before money moves the text names whose it is, how much, and which way it goes. A first
 * button leads here, and `yes` alone does it: its data names what was asked about, so that a second tap on it does nothing.
 */
export function confirmScreen(
  text: string,
  { yes, back }: { yes: { label: string; data: string }; back: { label?: string; data: string } },
  t: Translate,
): Screen {
  const keyboard = new InlineKeyboard()
    .text(yes.label, yes.data)
    .danger()
    .row()
    .text(back.label ?? t("button-back"), back.data);
  return { text, keyboard };
}
