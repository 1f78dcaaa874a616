import { Composer, GrammyError, InlineKeyboard } from "grammy";
import type { ApiKey } from "../../accounts/key-store.js";
import type { BotContext } from "../context.js";
import type { Feature } from "../feature.js";
import { privateOnly, taps } from "../middleware.js";
import type { ManagedBot } from "../modules.js";
import { type Screen, sendScreen, turnTo } from "../screens.js";
import { actionData, type DataOf, natural } from "../telegram/button-data.js";
import { isPrivate } from "../telegram/place.js";
import type { Removals } from "../telegram/removals.js";
import { alertTap, answerTap } from "../telegram/tap-answers.js";
import { escapeHtml } from "../texts/html.js";
import type { Language } from "../texts/texts.js";

/**
 * `k:<action>` or `k:<action>:<key>`. The key of `create` is the newest one of the list, which makes a double tap
 * detectable.
 */
const keyData = actionData("k", {
  create: ["n", natural("keyId")],
  ask: ["a", natural("keyId")],
  revoke: ["r", natural("keyId")],
  list: ["l"],
  remove: ["g"],
});

/** Milliseconds for which a new key is shown. */
const SHOWN_MS = 5 * 60 * 1000;

/**
 * Schedules the removal before the message shows the key, so that no retry or crash leaves a key in the chat.
 * @throws when it is unknown whether the person has seen the key; the message is then removed
 */
async function showKey(ctx: BotContext, chatId: number, key: string, removals: Removals): Promise<void> {
  const { t } = ctx.language;
  const { message_id: messageId } = await ctx.reply(t("key-coming"));
  await removals.schedule(chatId, messageId, SHOWN_MS);
  const reply_markup = new InlineKeyboard()
    .copyText(t("button-copy-key"), key)
    .row()
    .text(t("button-key-saved"), keyData.encode({ action: "remove" }));
  const text = t("key-created", { key, minutes: SHOWN_MS / 60_000 });
  try {
    await ctx.api.editMessageText(chatId, messageId, text, { parse_mode: "HTML", reply_markup });
  } catch (error) {
    // An earlier try of the same edit succeeded, but its response was lost.
    if (error instanceof GrammyError && error.description.includes("message is not modified")) return;
    await removals.now(chatId, messageId);
    throw error;
  }
}

/** Handles `/keys`, in private chats only. */
export function keysFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  composer.command("keys", privateOnly("keys-private-only"), async (ctx) =>
    sendScreen(ctx, await listScreen(ctx, bot)),
  );
  composer.filter(isPrivate).use(taps(keyData, (ctx, data) => act(ctx, data, bot)));
  return { keyCommands: ["keys"], composer };
}

async function act(ctx: BotContext, data: DataOf<typeof keyData>, bot: ManagedBot): Promise<void> {
  const { chatId, msgId } = ctx;
  if (data.action === "create") return create(ctx, data.keyId, bot);
  if (data.action === "ask") return ask(ctx, data.keyId, bot);
  if (data.action === "remove" && chatId !== undefined && msgId !== undefined)
    return void (await Promise.all([answerTap(ctx), bot.removals.now(chatId, msgId)]));
  const isRevoked = data.action === "revoke" && (await bot.accounts.keys.revoke(ctx.person, data.keyId));
  if (isRevoked) bot.commandMenu.onChanged(ctx.person, ctx.language);
  await turnTo(ctx, listScreen(ctx, bot), isRevoked ? ctx.language.t("key-revoked") : undefined);
}

/** Creates a key. `newestId`: the newest key of the tapped list; a double tap names the same one. */
async function create(ctx: BotContext, newestId: number, bot: ManagedBot): Promise<void> {
  const { t } = ctx.language;
  const chatId = ctx.chatId;
  const living = await bot.accounts.keys.living(ctx.person);
  if (chatId === undefined || newestOf(living) !== newestId) return turnTo(ctx, listScreen(ctx, bot));
  const made = await bot.accounts.keys.create(ctx.person, null);
  if (!made) return alertTap(ctx, t("keys-too-many", { count: living.length }));
  try {
    await showKey(ctx, chatId, made.key, bot.removals);
  } catch (error) {
    // The person may not have seen the key, and another person may: it is revoked.
    await bot.accounts.keys.revoke(ctx.person, made.id);
    bot.logger.warn({ key_id: made.id, err: error }, "new key not shown, and revoked");
    await ctx.reply(t("key-not-shown"));
  }
  if (living.length === 0) bot.commandMenu.onChanged(ctx.person, ctx.language);
  await turnTo(ctx, listScreen(ctx, bot));
}

async function ask(ctx: BotContext, keyId: number, bot: ManagedBot): Promise<void> {
  const { t } = ctx.language;
  const key = (await bot.accounts.keys.living(ctx.person)).find(({ id }) => id === keyId);
  if (!key) return turnTo(ctx, listScreen(ctx, bot));
  const keyboard = new InlineKeyboard()
    .text(t("button-revoke-key"), keyData.encode({ action: "revoke", keyId }))
    .danger()
    .text(t("button-back"), keyData.encode({ action: "list" }));
  const text = t("keys-revoke-ask", { key: escapeHtml(nameOf(key)) });
  await turnTo(ctx, { text, keyboard });
}

async function listScreen(ctx: BotContext, { apiUrl, clock, accounts }: ManagedBot): Promise<Screen> {
  const { t } = ctx.language;
  const living = await accounts.keys.living(ctx.person);
  const now = clock.now();
  const lines = living.map((key) => keyLine(key, now, ctx.language));
  const head = `<b>${t("keys-title")}</b>\n${t("keys-about", { address: escapeHtml(apiUrl) })}`;
  const keyboard = new InlineKeyboard();
  for (const key of living)
    keyboard
      .text(`🗑 ${nameOf(key)}`, keyData.encode({ action: "ask", keyId: key.id }))
      .danger()
      .row();
  keyboard.text(t("button-new-key"), keyData.encode({ action: "create", keyId: newestOf(living) }));
  return { text: [head, lines.length > 0 ? lines.join("\n") : t("keys-none")].join("\n\n"), keyboard };
}

function keyLine(key: ApiKey, now: number, language: Language): string {
  const used =
    key.last_used_at === null ? language.t("key-never-used") : ago(now - key.last_used_at, language);
  const name = key.name === null ? "" : ` ${escapeHtml(key.name)}`;
  return `<code>${escapeHtml(nameOf(key))}</code>${name} · ${used}`;
}

function ago(elapsedMs: number, { t }: Language): string {
  const minutes = Math.floor(elapsedMs / 60_000);
  if (minutes < 60) return t("key-used-minutes", { minutes: Math.max(1, minutes) });
  if (minutes < 48 * 60) return t("key-used-hours", { hours: Math.floor(minutes / 60) });
  return t("key-used-days", { days: Math.floor(minutes / (24 * 60)) });
}

function nameOf({ prefix }: ApiKey): string {
  return `${prefix}…`;
}

function newestOf(living: readonly ApiKey[]): number {
  return living.at(-1)?.id ?? 0;
}
