import { setMaxListeners } from "node:events";
import { createConcurrentSink, createRunner, createSource, sequentialize } from "@grammyjs/runner";
import { Api, type ApiClientOptions, Bot, BotError, GrammyError } from "grammy";
import type { Update, UserFromGetMe } from "grammy/types";
import { Unavailable } from "../contract/errors.js";
import type { Ground } from "../database/ground.js";
import { TrustedClock } from "../database/trusted-clock.js";
import { type Clock, within } from "../platform/clock.js";
import { StartError } from "../platform/errors.js";
import type { Integer } from "../platform/integer.js";
import type { Logger } from "../platform/logger.js";
import { Recurring, retry } from "../platform/retry.js";
import { DAY_MS, HOUR_MS } from "../platform/units.js";
import type { BotOptions, TelegramLine } from "./bot-ground.js";
import { TooManyDraftsError } from "./card/draft-store.js";
import { PictureRefusedError } from "./card/pictures.js";
import type { BotContext } from "./context.js";
import { isPickOfAdmin } from "./features/account.js";
import { becomeAdmin } from "./features/become-admin.js";
import { broadcastSender } from "./features/broadcast/broadcast.js";
import { tellRefusedKeys } from "./features/connect.js";
import { inviteTeller } from "./features/invite.js";
import { erasures } from "./features/my-data.js";
import { relayAnswers, topicOwner } from "./features/support/support-desk.js";
import { PauseAlerts } from "./features/upstreams.js";
import { createFeatures, openToAll } from "./features.js";
import { answerGivenUp, isCorrection, tellFloods } from "./inbox/given-up.js";
import { Inbox, InboxSource } from "./inbox/inbox.js";
import { UpdateProcessor } from "./inbox/update-processor.js";
import {
  allowedOnly,
  contentOnly,
  forBotOnly,
  joinLongTexts,
  keepOrderAtStop,
  loadGateway,
  loadUser,
  onPrivateContact,
  peopleOnly,
  removeKeyMessages,
} from "./middleware.js";
import { type BotModules, isConnected, isManaged, openModules } from "./modules.js";
import { deliverNotices } from "./notices/notices.js";
import { removeOldTakes } from "./orders/order-store.js";
import { ToldLimits } from "./orders/pay.js";
import { takePayments } from "./payments/bot-payments.js";
import { isPaymentMessage, readPaymentMessage } from "./payments/reconciliation.js";
import { accountNeededText, needsAccount } from "./people/balance-words.js";
import { pauseBeforeRetry, retryCalls, telegramFailure } from "./telegram/failure.js";
import { OutageLog, openConnections } from "./telegram/files.js";
import { dropOwnMention, isPrivate, queuesOf } from "./telegram/place.js";
import { alertOrReply, alertTap, answerCallbackQueries, answerTap } from "./telegram/tap-answers.js";
import { prepareMoments } from "./texts/moment.js";
import type { Language, Texts } from "./texts/texts.js";

const BACK_OFF = { firstMs: 300, maxMs: 15_000 };
/** Longer than handlers and deliveries are waited for. */
const STOP_PATIENCE_MS = 5500;
const ENDING_MS = 500;

class TokenRefusedError extends StartError {
  override readonly name = "TokenRefusedError";
}

/** Asks Telegram for the bot's identity. Retries all faults but TokenRefusedError until `signal` aborts. */
export async function whoAmI(
  api: Api,
  clock: Clock,
  logger: Logger,
  signal: AbortSignal,
): Promise<UserFromGetMe> {
  const outage = new OutageLog(clock, logger);
  const options = {
    clock,
    backOff: BACK_OFF,
    signal,
    until: isTokenRefused,
    onFailure: (error: unknown) => outage.failed(error),
    pauseFor: (error: unknown, attempt: number) =>
      pauseBeforeRetry(telegramFailure(error), attempt, BACK_OFF),
  };
  const me = await retry(options, () => api.getMe()).catch((error: unknown) => {
    throw isTokenRefused(error) ? new TokenRefusedError("Telegram refuses BOT_TOKEN") : error;
  });
  outage.answered();
  return me;
}

function isTokenRefused(error: unknown): boolean {
  return error instanceof GrammyError && (error.error_code === 401 || error.error_code === 404);
}

/**
 * Sets what Telegram shows of the bot in an empty chat, its profile and shared links, in each language and for all
 * others. What is right already is not set, because Telegram takes few such changes a day.
 */
export async function setProfile(api: Api, texts: Texts): Promise<void> {
  await describe(api, texts.in(undefined), {});
  for (const language of texts.languages)
    await describe(api, language, { language_code: language.code as "en" });
}

async function describe(
  api: Api,
  { t }: Language,
  where: Partial<Parameters<Api["getMyDescription"]>[0]>,
): Promise<void> {
  const description = t("profile-description");
  const short = t("profile-short");
  const [now, nowShort] = await Promise.all([api.getMyDescription(where), api.getMyShortDescription(where)]);
  if (now.description !== description) await api.setMyDescription(description, where);
  if (nowShort.short_description !== short) await api.setMyShortDescription(short, where);
}

const CLEANUP_EVERY_MS = HOUR_MS;
/** The longest step of the clock that is believed. Sweeps are an hour apart, so this allows two days without power. */
const CLOCK_LEAP_MS = 2 * DAY_MS;

/** Removes hourly what the chat has no more use for, by a clock that has not leapt ahead. */
export function chatCleanup(
  { database, clock, logger }: Pick<Ground, "database" | "clock" | "logger">,
  stores: readonly { sweep(now: Integer): Promise<void> }[],
): Recurring {
  const trusted = new TrustedClock(database, clock, logger, "chat", CLOCK_LEAP_MS);
  return new Recurring({
    clock,
    everyMs: CLEANUP_EVERY_MS,
    async work() {
      await trusted.check();
      await Promise.all(stores.map((store) => store.sweep(trusted.now())));
    },
    onFailure: (error) => logger.warn({ err: error }, "sweep failed"),
  });
}

/** Time limit of a Bot API call, in seconds. An upload of 50 MB fits in. */
const CALL_TIMEOUT_SEC = 120;
/** The same where files have up to 2000 MB, which the server passes on before it answers. */
const LOCAL_CALL_TIMEOUT_SEC = 3600;
/**
 * Updates are fetched only while fewer than these have begun or wait to begin, which bounds memory. Most only wait: the
 * next ones may have a payment among them, for whose answer Telegram waits ten seconds.
 */
const FETCHED_AT_ONCE = 2000;
/** Logged once at the start, since a bot that gets no group messages seems broken. */
const PRIVACY_MODE =
  "privacy mode is on: in groups only commands that name the bot and replies to it are sure to arrive; for " +
  "mentions too, send /setprivacy to @BotFather, add the bot to its groups again and restart it";

export type RunningBot = Awaited<ReturnType<typeof startBotOn>>;

/** Resolves when Telegram has accepted the token and polling has begun. Throws TokenRefusedError. */
export function startBot(options: BotOptions, signal: AbortSignal): Promise<RunningBot> {
  const timeoutSeconds = options.isLocal ? LOCAL_CALL_TIMEOUT_SEC : CALL_TIMEOUT_SEC;
  return startBotOn(openLine(options, timeoutSeconds), options, signal);
}

/** Opens the way to Telegram, which its owner closes. Nothing is called yet, and no call is repeated. */
export function openLine(
  { token, apiRoot, proxy, failPoint, clock }: Pick<BotOptions, "token" | "apiRoot"> & Partial<BotOptions>,
  timeoutSeconds: number,
): TelegramLine {
  const connections = openConnections(failPoint, proxy, clock);
  const fetch = connections.fetch as unknown as NonNullable<ApiClientOptions["fetch"]>;
  const openApi = () => new Api(token, { apiRoot, timeoutSeconds, fetch });
  return { api: openApi(), plainApi: openApi(), connections };
}

/** Does the same with a given way to Telegram, which it closes. Its `api` does not retry yet. */
export async function startBotOn(
  { api, plainApi, connections }: TelegramLine,
  options: BotOptions,
  signal: AbortSignal,
) {
  const { clock, logger, database } = options;
  const stopping = new AbortController();
  // Every retrying call adds a listener.
  setMaxListeners(0, stopping.signal);
  signal.addEventListener("abort", () => stopping.abort(), { once: true });

  const me = await whoAmI(plainApi, clock, logger, stopping.signal).catch(async (error: unknown) => {
    await connections.close();
    throw error;
  });
  api.config.use(retryCalls(clock, stopping.signal));

  const bot = openModules(options, { api, plainApi, connections }, me);
  const { botPayments } = bot;
  const isNeverDropped = ({ message }: Update) => botPayments !== undefined && isPaymentMessage(message);
  const inbox = new Inbox(database, clock, { ...options, isNeverDropped });
  await bot.dialogs.reseal();
  const handlers = createHandlers(bot, stopping.signal);

  const stores = [
    inbox,
    bot.drafts,
    bot.dialogs,
    { sweep: (now: Integer) => removeOldTakes(database, now) },
    ...(isManaged(bot) ? [bot.accounts.payments, bot.support.store] : []),
  ];
  const running: { start(): void; stop(): unknown }[] = [
    bot.orderService,
    bot.removals,
    bot.outbox,
    new PauseAlerts(bot).looks,
    ...deliverNotices(bot),
    chatCleanup(options, stores),
  ];
  if (isManaged(bot)) {
    const { reconciliation, desk } = bot.botPayments;
    running.push(bot.support.desk, erasures(bot), broadcastSender(bot), reconciliation.runs, desk);
    if (bot.accounts.invites) running.push(inviteTeller(bot, bot.accounts.invites));
  }
  for (const part of running) part.start();
  if (isConnected(bot)) tellRefusedKeys(bot);
  let isPolling = false;
  const source = new InboxSource({
    api: plainApi,
    inbox,
    clock,
    logger,
    onGivenUp: (updates) => void answerGivenUp(bot, updates),
    takeHeld: async ({ message }) => {
      if (isPaymentMessage(message))
        await botPayments?.intake.take(readPaymentMessage(message), stopping.signal);
    },
    onSuspects: (suspects, before) => void handling.startSuspects(suspects, before),
    onPreCheckout: (query) => void botPayments?.preCheckout.answer(query),
    onPolling: (works) => {
      isPolling = works;
    },
  });
  const handling = new UpdateProcessor({
    // Errors of handlers go to `bot.catch`, as `bot.start` does.
    pass: (update) =>
      handlers.handleUpdate(update).catch(async (error: unknown) => {
        if (!(error instanceof BotError)) throw error;
        await handlers.errorHandler(error);
      }),
    isKept: (update) => isPaymentMessage(update.message) || isCorrection(update, bot.adminIds),
    onDropped: tellFloods(bot),
    inbox,
    clock,
    logger,
    stopping: stopping.signal,
  });
  const sink = createConcurrentSink<Update>(
    { consume: (update) => handling.consume(update) },
    async (error) => logger.error({ err: error }, "update not started"),
    { concurrency: FETCHED_AT_ONCE },
  );
  const runner = createRunner(createSource(source), sink);
  runner.start();
  // While the first answer of Telegram is awaited, nobody waits for these. A failure is told by the first text.
  prepareMoments(options.texts.languages);
  // Node compiles the patterns for each script anew.
  for (const { t } of options.texts.languages) void bot.readIntent(t("example-image")).catch(() => {});
  logger.info({ bot: me.username }, "bot started");
  offerAdminCode(bot);
  if (me.can_join_groups && !me.can_read_all_group_messages) logger.info({ bot: me.username }, PRIVACY_MODE);

  const warn = (words: string) => (error: unknown) => {
    if (!stopping.signal.aborted) logger.warn({ err: error }, words);
  };
  void bot.commandMenu.setAll((id) => bot.people.find(id)).catch(warn("command menu not set"));
  void setProfile(api, bot.texts).catch(warn("description of the bot not set"));
  return {
    isPolling: () => isPolling,
    metrics: () => botPayments?.reconciliation.metrics() ?? [],
    /** Stops polling, waits for running handlers and deliveries, and closes the connections. */
    async stop() {
      botPayments?.preCheckout.drain();
      // `stop` ends the polling, but does not wait for handlers.
      await runner.stop()?.catch(() => {});
      const ended = Promise.all([handling.drain(), ...running.map((part) => part.stop())]);
      await within(clock, STOP_PATIENCE_MS, ended);
      bot.cards.stop();
      stopping.abort();
      await connections.close();
      // What hung in a call ends with its connection.
      await within(clock, ENDING_MS, ended);
    },
  };
}

/** Prints a code that makes an admin, where nobody is one. */
function offerAdminCode({ adminIds, adminCode, botInfo: { username }, ids, logger }: BotModules): void {
  if ([...adminIds].length > 0) return;
  const code = ids.adminCode();
  adminCode.open(code);
  logger.warn(
    { bot: username, link: `https://t.me/${username}?start=${code}` },
    `the bot has no admin: the first who sends it /start ${code} in a private chat becomes one, within an hour`,
  );
}

/** Builds what handles updates: middleware, then features, in order. */
export function createHandlers(bot: BotModules, stopping: AbortSignal): Bot<BotContext> {
  const { api, clock, logger, texts, drafts, commandMenu } = bot;
  const client = api.options && { client: api.options };
  const handlers = new Bot<BotContext>(api.token, { botInfo: bot.botInfo, ...client });
  handlers.api.config.use(...api.config.installedTransformers());
  handlers.use(
    ...(bot.botPayments ? [takePayments(bot.botPayments.intake, stopping)] : []),
    answerCallbackQueries(clock, logger),
    ...(isConnected(bot) ? [removeKeyMessages(bot.removals, logger)] : []),
    forBotOnly(drafts, (message) => isManaged(bot) && topicOwner(message, bot) !== undefined),
    sequentialize(queuesOf),
    keepOrderAtStop(stopping),
    ...(isManaged(bot) ? [relayAnswers(bot, bot.support, stopping)] : []),
    peopleOnly(texts),
    loadUser(bot.people, texts),
    becomeAdmin(bot, bot.adminCode),
    allowedOnly(bot.access, openToAll(bot)),
    loadGateway(bot.gateways),
    onPrivateContact(commandMenu, bot.orderService),
    contentOnly((ctx) => isPickOfAdmin(ctx, bot.adminIds)),
    dropOwnMention,
    joinLongTexts(),
    bot.dialogs.middleware(),
  );
  const features = createFeatures(bot);
  for (const feature of features) {
    commandMenu.add(feature);
    if (feature.ownData) bot.ownData.push(feature.ownData);
    handlers.use(feature.composer);
  }
  handlers.catch(errorHandler(logger, stopping, clock));
  return handlers;
}

/**
 * Logs what middleware throws and tells the person what to do. A blocked bot is not an error.
 * @param stopping aborts when the service begins to stop
 * @throws the error itself during a stop: the update runs again after the restart
 */
function errorHandler(
  logger: Logger,
  stopping: AbortSignal,
  clock: Pick<Clock, "monotonic">,
): (error: BotError<BotContext>) => Promise<void> {
  const toldDrafts = new ToldLimits(clock);
  return async ({ ctx, error }) => {
    const ids = { update_id: ctx.update.update_id, user_id: ctx.from?.id, chat_id: ctx.chatId };
    if (stopping.aborted) {
      await answerTap(ctx).catch(() => {});
      throw error;
    }
    if (error instanceof GrammyError && error.error_code === 403) {
      logger.info({ ...ids, reason: error.description }, "person not reached");
      return answerTap(ctx);
    }
    const isRefused = error instanceof GrammyError;
    // Telegram lets the bot write less in this group for now, and another message would only add to it.
    if (isRefused && !isPrivate(ctx) && telegramFailure(error).kind === "wait") {
      logger.info({ ...ids, reason: error.description }, "group in flood wait, not answered");
      const { from, faultText } = ctx;
      if (from && faultText !== undefined)
        await ctx.api
          .sendMessage(from.id, faultText)
          .catch((fault: unknown) => logger.warn({ ...ids, err: fault }, "error message not sent"));
      const language = ctx.language as BotContext["language"] | undefined;
      return language ? alertTap(ctx, language.t("fault-group-flooded")) : answerTap(ctx);
    }
    if (error instanceof TooManyDraftsError) {
      // It is told once a minute, then taps are answered in silence.
      if (toldDrafts.note(ctx.person.id)) return answerTap(ctx);
      return alertOrReply(ctx, ctx.language.t("too-many-drafts", { max: error.max }));
    }
    if (needsAccount(error)) logger.debug({ ...ids, err: error }, "no working account is connected");
    // What is refused of pictures has been logged. A service elsewhere that is away is no fault of this one.
    else if (!(error instanceof PictureRefusedError))
      logger[isUnreachable(error) ? "warn" : "error"]({ ...ids, err: error }, "update failed");
    await tell(ctx, error).catch((fault: unknown) =>
      logger.warn({ ...ids, err: fault }, "error message not sent"),
    );
  };
}

function isUnreachable(error: unknown): boolean {
  return error instanceof Unavailable && error.reason === "unreachable";
}

/** Tells the person what to do. An update that failed before its language was known is not answered. */
async function tell(ctx: BotContext, error: unknown): Promise<void> {
  // Also in a group: the person has asked for something with the picture.
  if (error instanceof PictureRefusedError)
    return alertOrReply(ctx, ctx.language.t(`picture-${error.fault}`));
  const { faultText } = ctx;
  if (faultText !== undefined) return void (await ctx.reply(faultText));
  const language = ctx.language as BotContext["language"] | undefined;
  if (!language) return;
  const words = needsAccount(error)
    ? accountNeededText(error, ctx)
    : language.t(isUnreachable(error) ? "fault-unreachable" : "fault-try-again");
  if (ctx.callbackQuery && !ctx.tap?.isAnswered) await alertTap(ctx, words);
  else if (ctx.callbackQuery || (ctx.message && (isPrivate(ctx) || needsAccount(error))))
    await ctx.reply(words);
}
