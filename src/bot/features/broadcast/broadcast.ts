import { Composer, InlineKeyboard } from "grammy";
import type { InlineKeyboardButton } from "grammy/types";
import { recordAct } from "../../../accounts/audit-log.js";
import type { Transaction } from "../../../database/database.js";
import { leftMs, sleep } from "../../../platform/clock.js";
import { type Integer, integer } from "../../../platform/integer.js";
import { Recurring } from "../../../platform/retry.js";
import { HOUR_MS } from "../../../platform/units.js";
import { actorOf, type BotContext } from "../../context.js";
import { ask, type Question, questionDialog, refused } from "../../dialogs.js";
import type { Feature } from "../../feature.js";
import { forAdminsAlone, ownWordsOnly, taps } from "../../middleware.js";
import type { BotModules, ManagedBot } from "../../modules.js";
import { setNoNews, wantsNoNews } from "../../people/people.js";
import { turnTo } from "../../screens.js";
import { actionData, buttonData, type DataOf, marked, natural, oneOf } from "../../telegram/button-data.js";
import { isNothingToCopy, telegramFailure, unreachable } from "../../telegram/failure.js";
import { SeenAlbums } from "../../telegram/message-content.js";
import { isPrivate } from "../../telegram/place.js";
import { alertTap, answerTap, editOrIgnore } from "../../telegram/tap-answers.js";
import type { Language } from "../../texts/texts.js";
import {
  AUDIENCE_FIELDS,
  type AudienceField,
  type Broadcast,
  type BroadcastAudience,
  recipients,
  withNext,
} from "./broadcast-store.js";

/** `bc:<letter>:<broadcast>[:<revision>[:<field>]]` */
const broadcastTap = actionData("bc", {
  next: [
    "n",
    natural("id"),
    natural("revision"),
    marked("field", { kind: "0", days: "1", locale: "2", balance: "3" }),
  ],
  send: ["s", natural("id"), natural("revision")],
  cancel: ["c", natural("id"), natural("revision")],
  stop: ["p", natural("id")],
  resume: ["r", natural("id")],
});

/** The buttons that switch news: `nw:off` below a message, `nw:turn` in the settings. */
const newsTap = buttonData("nw", [oneOf("action", ["off", "turn"])]);

/** Draws the button below news. Important messages have none. */
function newsKeyboard({ kind }: BroadcastAudience, { t }: Language): InlineKeyboard | undefined {
  return kind === "news"
    ? new InlineKeyboard().text(t("button-news-off"), newsTap.encode({ action: "off" }))
    : undefined;
}

/** Lets people say that they want no news, below each and in the settings. */
export function newsFeature({ database }: BotModules): Feature {
  const composer = new Composer<BotContext>();
  composer.filter(isPrivate).use(
    taps(newsTap, async (ctx, { action }) => {
      const isOut = action === "off" || !wantsNoNews(database, ctx.person.id);
      await setNoNews(database, ctx.person.id, isOut);
      const told = alertTap(ctx, ctx.language.t(isOut ? "news-off" : "news-on"));
      await Promise.all([told, redraw(ctx)]);
    }),
  );
  const label = ({ language: { t }, person }: BotContext) =>
    t(wantsNoNews(database, person.id) ? "settings-news-off" : "settings-news-on");
  const settings = { label, data: newsTap.encode({ action: "turn" }) };
  /** Shows on the button of the settings what is set now. */
  const redraw = async (ctx: BotContext) => {
    const rows = ctx.callbackQuery?.message?.reply_markup?.inline_keyboard ?? [];
    const isTurn = (button: InlineKeyboardButton) =>
      "callback_data" in button && button.callback_data === settings.data;
    if (!rows.flat().some(isTurn)) return;
    const drawn = rows.map((row) =>
      row.map((button) => (isTurn(button) ? { ...button, text: label(ctx) } : button)),
    );
    await editOrIgnore(ctx.editMessageReplyMarkup({ reply_markup: new InlineKeyboard(drawn) }));
  };
  return { settings, composer };
}

const MESSAGE: Question<null> = { name: "broadcast" };

/** Handles `/broadcast` of admins: a message that is copied to people, after a look at it and at whom it is for. */
export function broadcastFeature(bot: ManagedBot): Feature {
  const composer = new Composer<BotContext>();
  const admins = composer.filter(forAdminsAlone(bot.adminIds));
  admins.command("broadcast", ownWordsOnly, async (ctx) => {
    await ctx.reply(ctx.language.t("broadcast-ask"));
    await ask(ctx, MESSAGE, null);
  });
  admins.use(taps(broadcastTap, (ctx, tap) => act(ctx, tap, bot)));
  const albums = new SeenAlbums();
  const message = questionDialog(MESSAGE, {
    async take(ctx) {
      if (!bot.adminIds.has(ctx.person.id)) return { kind: "gone" };
      const { message } = ctx;
      if (!message || !albums.isFirst(message)) return { kind: "ignored" };
      if (message.media_group_id !== undefined) return refused(ctx, ctx.language.t("broadcast-no-album"));
      const broadcast = await bot.broadcasts.compose(ctx.person.id, message.message_id);
      return { kind: "over", reply: () => preview(ctx, broadcast, bot) };
    },
  });
  return {
    adminCommands: ["broadcast"],
    // To whom messages were sent.
    ownData: { eraseIn: (tx, user_id) => void recipients.delete(tx, { user_id }) },
    questions: [message],
    composer,
  };
}

/** Copies the message to the admin as people will see it, then asks for whom it is. */
async function preview(ctx: BotContext, broadcast: Broadcast, bot: ManagedBot): Promise<void> {
  const keyboard = newsKeyboard(broadcast.audience, ctx.language);
  await ctx.copyMessage(broadcast.admin_id, keyboard && { reply_markup: keyboard });
  const { text, keyboard: buttons } = await screenOf(ctx, broadcast, bot);
  const { message_id } = await ctx.reply(text, { reply_markup: buttons });
  await bot.broadcasts.setScreen(broadcast.id, message_id);
}

async function act(ctx: BotContext, tap: DataOf<typeof broadcastTap>, bot: ManagedBot): Promise<void> {
  const { broadcasts } = bot;
  const broadcast = broadcasts.find(tap.id);
  const isCurrent = broadcast && (!("revision" in tap) || broadcast.revision === tap.revision);
  if (!broadcast || !isCurrent) return answerTap(ctx, ctx.language.t("tap-unknown"));
  const { id } = broadcast;
  const recordAs = (act: string, total = broadcast.total) => {
    const of = { actor: actorOf(ctx), accountId: null, subject: `broadcast:${id}` };
    const after = { ...broadcast.audience, total };
    return (tx: Transaction, at: Integer) => recordAct(tx, { ...of, act, after, at });
  };
  if (tap.action === "next") {
    const locales = bot.texts.languages.map(({ code }) => code);
    await broadcasts.setAudience(broadcast, withNext(broadcast.audience, tap.field, locales));
  }
  if (tap.action === "send") {
    const total = await broadcasts.count(broadcast.audience);
    if (await broadcasts.start(broadcast, total, recordAs("broadcast", total)))
      bot.logger.info({ broadcast: id, total, user_id: ctx.person.id }, "broadcast started");
  }
  if (tap.action === "cancel") await broadcasts.move(id, "composing", "cancelled");
  if (tap.action === "stop") await broadcasts.move(id, "running", "stopped", recordAs("broadcast_stop"));
  if (tap.action === "resume") await broadcasts.move(id, "stopped", "running", recordAs("broadcast_resume"));
  const changed = broadcasts.find(id);
  if (changed) await turnTo(ctx, screenOf(ctx, changed, bot));
}

/** Shows whom a message is for and how many they are, with the button that sends it. */
async function screenOf({ language }: BotContext, broadcast: Broadcast, { broadcasts, texts }: ManagedBot) {
  if (broadcast.state !== "composing") return progressScreen(broadcast, language);
  const { id, revision, audience } = broadcast;
  const { t } = language;
  const count = await broadcasts.count(audience);
  const { kind, days, locale, balance } = audience;
  const words: Record<AudienceField, string> = {
    kind: t(`broadcast-kind-${kind}`),
    days: days === null ? t("broadcast-days-all") : t("broadcast-days", { days }),
    locale: locale === null ? t("broadcast-locale-all") : texts.in(locale).ownName,
    balance: t(`broadcast-balance-${balance}`),
  };
  const keyboard = new InlineKeyboard();
  for (const field of AUDIENCE_FIELDS)
    keyboard.text(words[field], broadcastTap.encode({ action: "next", id, revision, field })).row();
  if (count > 0)
    keyboard
      .text(t("button-broadcast-send", { count }), broadcastTap.encode({ action: "send", id, revision }))
      .success()
      .row();
  keyboard.text(t("button-cancel"), broadcastTap.encode({ action: "cancel", id, revision })).danger();
  return { text: t("broadcast-audience", { count }), keyboard };
}

function progressScreen(broadcast: Broadcast, { t }: Language) {
  const { id, state, total, sent, blocked, failed } = broadcast;
  const keyboard = new InlineKeyboard();
  if (state === "running")
    keyboard.text(t("button-broadcast-stop"), broadcastTap.encode({ action: "stop", id })).danger();
  if (state === "stopped")
    keyboard.text(t("button-broadcast-resume"), broadcastTap.encode({ action: "resume", id })).success();
  const left = Math.max(0, total - sent - blocked - failed);
  return { text: t(`broadcast-${state}`, { total, sent, blocked, failed, left }), keyboard };
}

/** Milliseconds between messages: at most 20 a second, of the 30 that Telegram takes from a bot. */
const PACE_MS = 50;
const LOOK_INTERVAL_MS = 2000;
/** Milliseconds after a message that the network lost. */
const LOST_PAUSE_MS = 1000;
const PROGRESS_EVERY_MS = 5000;
/** The longest pause that Telegram is believed. */
const PAUSE_MAX_MS = 24 * HOUR_MS;
/** Milliseconds for which a message waits for deliveries, so that a busy bot sends broadcasts too. */
const YIELD_MS = 1000;

/**
 * Sends running broadcasts, one person after another, by single tries: a message that may have arrived is not sent
 * again. Files of orders go first. Goes on after a restart with the next person.
 */
export function broadcastSender(bot: ManagedBot): Recurring {
  const { broadcasts, clock, database, logger } = bot;
  return new Recurring({
    clock,
    everyMs: LOOK_INTERVAL_MS,
    wokenBy: (wake) => database.watch(["broadcast"], wake),
    async work(signal) {
      const running = broadcasts.running();
      if (running) await sendAll(running.id, bot, signal);
    },
    isIdle: () => broadcasts.running() === undefined,
    onFailure: (error) => logger.error({ err: error }, "broadcast interrupted, trying again"),
  });
}

/** Sends until the broadcast is done, stopped, or put off. */
async function sendAll(id: number, bot: ManagedBot, signal: AbortSignal): Promise<void> {
  const { broadcasts, clock, logger } = bot;
  let shownAt = clock.monotonic();
  while (!signal.aborted) {
    const broadcast = broadcasts.find(id);
    if (broadcast?.state !== "running") return;
    if (leftMs(broadcast.waits_until, clock.now(), PAUSE_MAX_MS) > 0) return;
    const range = { afterId: broadcast.last_user_id, startedAt: broadcast.started_at ?? 0 };
    const userId = await broadcasts.nextOf(broadcast.audience, range);
    if (userId === undefined) {
      await broadcasts.move(id, "running", "done");
      await showProgress(id, bot);
      const { sent, blocked, failed } = broadcasts.find(id) ?? broadcast;
      return logger.info({ broadcast: id, sent, blocked, failed }, "broadcast done");
    }
    const until = clock.monotonic() + YIELD_MS;
    while (bot.orderService.isDelivering && clock.monotonic() < until && !signal.aborted)
      await sleep(clock, PACE_MS, signal);
    await Promise.all([sendTo(userId, broadcast, bot, signal), sleep(clock, PACE_MS, signal)]);
    if (clock.monotonic() - shownAt < PROGRESS_EVERY_MS) continue;
    shownAt = clock.monotonic();
    await showProgress(id, bot);
  }
}

async function sendTo(
  userId: number,
  broadcast: Broadcast,
  bot: ManagedBot,
  signal: AbortSignal,
): Promise<void> {
  const { plainApi, broadcasts, languageOf, clock, logger } = bot;
  const { id, admin_id, message_id } = broadcast;
  if (!(await broadcasts.claim(id, userId))) return;
  try {
    const keyboard = newsKeyboard(broadcast.audience, languageOf(userId));
    await plainApi.copyMessage(userId, admin_id, message_id, keyboard && { reply_markup: keyboard });
    await broadcasts.settle(id, userId, "sent");
  } catch (error) {
    const failure = telegramFailure(error);
    if (failure.kind === "wait") {
      const pauseMs = Math.min(failure.retryAfterMs, PAUSE_MAX_MS);
      logger.warn({ broadcast: id, pause_ms: pauseMs }, "broadcast waits, as Telegram asks");
      return broadcasts.giveBack(id, userId, { waits_until: integer(clock.now() + pauseMs) });
    }
    if (isNothingToCopy(error)) {
      logger.warn({ broadcast: id, err: error }, "broadcast stopped, as its message is gone");
      await broadcasts.giveBack(id, userId, { state: "stopped" });
      return tellMessageGone(id, bot);
    }
    const isGone = unreachable(error) !== undefined;
    if (!isGone) logger.warn({ broadcast: id, user_id: userId, err: error }, "broadcast not sent");
    await broadcasts.settle(id, userId, isGone ? "blocked" : "failed");
    // A network that is down must not use up the recipients.
    if (failure.kind === "again") await sleep(clock, LOST_PAUSE_MS, signal);
  }
}

async function tellMessageGone(id: number, bot: ManagedBot): Promise<void> {
  await showProgress(id, bot);
  const { api, broadcasts, languageOf, logger } = bot;
  const broadcast = broadcasts.find(id);
  if (!broadcast) return;
  await api
    .sendMessage(broadcast.admin_id, languageOf(broadcast.admin_id).t("broadcast-message-gone"))
    .catch((error: unknown) => logger.warn({ broadcast: id, err: error }, "stopped broadcast not told"));
}

/** Cancels what an admin has composed below another message, and not sent. Returns false where there is none. */
export async function cancelComposed(adminId: number, below: number, bot: ManagedBot): Promise<boolean> {
  const composed = bot.broadcasts.composing(adminId);
  if (!composed || (composed.screen_id ?? 0) < below) return false;
  await bot.broadcasts.move(composed.id, "composing", "cancelled");
  await showProgress(composed.id, bot);
  return true;
}

async function showProgress(
  id: number,
  { plainApi, broadcasts, languageOf, logger }: ManagedBot,
): Promise<void> {
  const broadcast = broadcasts.find(id);
  if (!broadcast?.screen_id) return;
  const { text, keyboard } = progressScreen(broadcast, languageOf(broadcast.admin_id));
  const edit = plainApi.editMessageText(broadcast.admin_id, broadcast.screen_id, text, {
    reply_markup: keyboard,
  });
  await editOrIgnore(edit).catch((error: unknown) =>
    logger.info({ broadcast: id, err: error }, "progress of a broadcast not shown"),
  );
}
