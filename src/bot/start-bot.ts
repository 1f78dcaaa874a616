import { setMaxListeners } from "node:events";
import { createConcurrentSink, createRunner, createSource } from "@grammyjs/runner";
import { Api, type ApiClientOptions, type Bot, BotError } from "grammy";
import type { Update } from "grammy/types";
import type { Integer } from "../platform/integer.js";
import type { Metric } from "../ports/service.js";
import { createBot } from "./bot.js";
import { ChatCleanup } from "./chat-cleanup.js";
import type { BotContext } from "./context.js";
import { BroadcastSender } from "./features/broadcast/broadcast-sender.js";
import { Broadcasts } from "./features/broadcast/broadcast-store.js";
import { Recipients } from "./features/broadcast/recipients.js";
import { tellRefusedKeys } from "./features/connect/tell-refused-key.js";
import { InviteTeller } from "./features/invite/invite-teller.js";
import { Erasures } from "./features/my-data/erasures.js";
import { PauseAlerts } from "./features/upstreams/pause-alerts.js";
import { FloodNotices } from "./inbox/flood-notices.js";
import { answerGivenUp, isCorrection } from "./inbox/given-up.js";
import { Inbox } from "./inbox/inbox.js";
import { InboxSource } from "./inbox/source.js";
import { UpdateProcessor } from "./inbox/update-processor.js";
import { startNotices } from "./notices/notices.js";
import { removeOldTakes } from "./orders/store/take-table.js";
import { type BotOptions, type BotParts, createParts, type TelegramLine } from "./parts.js";
import type { BotPayments } from "./payments/bot-payments.js";
import { reconciliationMetrics } from "./payments/difference-metric.js";
import { isPaymentMessage, readPaymentMessage } from "./payments/star-reports.js";
import { openConnections } from "./telegram/fetch.js";
import { whoAmI } from "./telegram/identity.js";
import { setProfile } from "./telegram/profile.js";
import { retryCalls } from "./telegram/retry.js";
import { prepareMoments } from "./texts/moment.js";

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

export interface RunningBot {
  isPolling(): boolean;
  metrics(): readonly Metric[];
  /** Stops polling, waits for running handlers and deliveries, and closes the connections. */
  stop(): Promise<void>;
}

/** Resolves when Telegram has accepted the token and polling has begun. Throws TokenRefusedError. */
export function startBot(options: BotOptions, signal: AbortSignal): Promise<RunningBot> {
  const connections = openConnections(options.failPoint, options.proxy, options.clock);
  const client: ApiClientOptions = {
    apiRoot: options.apiRoot,
    timeoutSeconds: options.isLocal ? LOCAL_CALL_TIMEOUT_SEC : CALL_TIMEOUT_SEC,
    fetch: connections.fetch as unknown as NonNullable<ApiClientOptions["fetch"]>,
  };
  const openApi = () => new Api(options.token, client);
  return startBotOn({ api: openApi(), plainApi: openApi(), connections }, options, signal);
}

/** Does the same with a given way to Telegram, which it closes. Its `api` does not retry yet. */
export async function startBotOn(
  { api, plainApi, connections }: TelegramLine,
  options: BotOptions,
  signal: AbortSignal,
): Promise<RunningBot> {
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

  const parts = createParts(options, { api, plainApi, connections }, me);
  const { access, botPayments, support } = parts;
  const isNeverDropped = ({ message }: Update) => botPayments !== undefined && isPaymentMessage(message);
  const inbox = new Inbox(database, clock, { ...options, isNeverDropped });
  await parts.dialogs.reseal();
  const bot = createBot({ ...parts, api, botInfo: me, stopping: stopping.signal });

  parts.orderService.start();
  parts.removals.start();
  parts.outbox.start();
  support?.desk.start();
  const alerts = new PauseAlerts({
    ...parts,
    api: plainApi,
    database,
    languageOf: (id) => parts.texts.in(parts.people.find(id)?.locale),
  });
  alerts.start();
  const languageOf = (id: number) => parts.texts.in(parts.people.find(id)?.locale);
  const stopNotices = startNotices({ ...options, ...parts, plainApi });
  const { accounts } = parts;
  if (accounts.kind === "connected")
    tellRefusedKeys({ ...parts, connections: accounts.connections, languageOf });
  const erasures =
    accounts.kind === "managed" &&
    new Erasures({ ...parts, api, database, personalData: accounts.personalData });
  if (erasures) erasures.start();
  const invites = accounts.kind === "managed" ? accounts.invites : undefined;
  const inviteTeller = invites && new InviteTeller({ ...parts, api, invites });
  inviteTeller?.start();
  const broadcasts =
    accounts.kind === "managed" &&
    new BroadcastSender({
      api: plainApi,
      broadcasts: new Broadcasts(database, clock),
      recipients: new Recipients({ database, clock, admin: accounts.admin }),
      isDelivering: () => parts.orderService.isDelivering,
      languageOf,
      clock,
      logger,
    });
  if (broadcasts) broadcasts.start();
  let isPolling = false;
  const source = new InboxSource({
    api: plainApi,
    inbox,
    clock,
    logger,
    onGivenUp: (updates) => void answerGivenUp({ ...parts, access }, updates),
    takeHeld: (update) => takeHeld(update, botPayments, stopping.signal),
    onPreCheckout: (query) => void botPayments?.preCheckout.answer(query),
    onPolling: (works) => {
      isPolling = works;
    },
  });
  const notices = new FloodNotices(
    clock,
    (updates) => void answerGivenUp({ ...parts, access }, updates, "flood"),
  );
  const handling = new UpdateProcessor({
    pass: (update) => handleUpdate(bot, update),
    isKept: (update) => isPaymentMessage(update.message) || isCorrection(update, parts.adminIds),
    onDropped: (update) => notices.add(update),
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
  // While the first answer of Telegram is awaited, nobody waits for this.
  prepareMoments(options.texts.languages);
  logger.info({ bot: me.username }, "bot started");
  offerAdminCode(parts, me.username, options);
  if (me.can_join_groups && !me.can_read_all_group_messages) logger.info({ bot: me.username }, PRIVACY_MODE);

  void parts.commandMenu
    .setAll((id) => parts.people.find(id))
    .catch((error: unknown) => {
      if (!stopping.signal.aborted) logger.warn({ err: error }, "command menu not set");
    });
  void setProfile(api, parts.texts).catch((error: unknown) => {
    if (!stopping.signal.aborted) logger.warn({ err: error }, "description of the bot not set");
  });
  const sweeps = [
    (now: Integer) => inbox.sweep(now),
    (now: Integer) => parts.drafts.sweep(now),
    (now: Integer) => parts.dialogs.sweep(now),
    (now: Integer) => removeOldTakes(database, now),
  ];
  if (accounts.kind === "managed") sweeps.push((now: Integer) => accounts.payments.sweep(now));
  if (support) sweeps.push((now: Integer) => support.store.sweep(now));
  botPayments?.reconciliation.start();
  botPayments?.desk.start();
  const cleanup = new ChatCleanup({ database, clock, logger, sweeps });
  cleanup.start();
  return {
    isPolling: () => isPolling,
    metrics: () => (botPayments ? reconciliationMetrics(botPayments.reconciliation) : []),
    async stop() {
      botPayments?.preCheckout.drain();
      cleanup.stop();
      parts.removals.stop();
      parts.outbox.stop();
      // `stop` ends the polling, but does not wait for handlers.
      await runner.stop()?.catch(() => {});
      await Promise.all([
        handling.drain(),
        botPayments?.reconciliation.stop(),
        botPayments?.desk.stop(),
        parts.orderService.stop(),
        alerts.stop(),
        support?.desk.stop(),
        erasures ? erasures.stop() : undefined,
        inviteTeller?.stop(),
        stopNotices(),
        broadcasts ? broadcasts.stop() : undefined,
      ]);
      parts.cards.stop();
      stopping.abort();
      await connections.close();
    },
  };
}

/** Prints a code that makes an admin, where nobody is one. */
function offerAdminCode(
  { adminIds, adminCode }: Pick<BotParts, "adminIds" | "adminCode">,
  bot: string,
  { ids, logger }: Pick<BotOptions, "ids" | "logger">,
): void {
  if ([...adminIds].length > 0) return;
  const code = ids.adminCode();
  adminCode.open(code);
  logger.warn(
    { bot, link: `https://t.me/${bot}?start=${code}` },
    `the bot has no admin: the first who sends it "/start ${code}" in a private chat becomes one, within an hour`,
  );
}

/** Takes a payment whose handling ended the process too often, without the rest of the bot. */
async function takeHeld(
  { message }: Update,
  botPayments: BotPayments | undefined,
  stopping: AbortSignal,
): Promise<void> {
  if (isPaymentMessage(message)) await botPayments?.intake.take(readPaymentMessage(message), stopping);
}

/** Handles an update as `bot.start` does: errors of handlers go to `bot.catch`. */
async function handleUpdate(bot: Bot<BotContext>, update: Update): Promise<void> {
  try {
    await bot.handleUpdate(update);
  } catch (error) {
    if (!(error instanceof BotError)) throw error;
    await bot.errorHandler(error);
  }
}
