import { setMaxListeners } from "node:events";
import { createConcurrentSink, createRunner, createSource, sequentialize } from "@grammyjs/runner";
import { Api, type ApiClientOptions, Context, type MiddlewareFn } from "grammy";
import type { Update } from "grammy/types";
import type { Migration } from "../database/migrations.js";
import type { Clock } from "../platform/clock.js";
import type { Logger } from "../platform/logger.js";
import { assemble, type BotOptions, offeredFeatures } from "./assembly.js";
import type { BotContext } from "./context.js";
import { DRAFT_TYPES_MIGRATION, DRAFTS_MIGRATION } from "./create/draft-rows.js";
import { DIALOGS_MIGRATION } from "./dialogs.js";
import { dispatch } from "./features/dispatch.js";
import type { FeatureParts } from "./features/feature.js";
import { Handling } from "./inbox/handling.js";
import { INBOX_MIGRATION, Inbox } from "./inbox/inbox.js";
import { InboxSource } from "./inbox/source.js";
import { DELIVERIES_MIGRATION } from "./orders/deliveries.js";
import { LAST_WORDS_MIGRATION } from "./orders/last-words.js";
import { ORDERS_MIGRATION, UNCERTAIN_ORDERS_MIGRATION } from "./orders/orders.js";
import { PEOPLE_MIGRATION } from "./people/people.js";
import { reception } from "./reception.js";
import { REMOVALS_MIGRATION } from "./removals/removal-rows.js";
import { answerEveryTap } from "./tap-answers.js";
import { directCalls } from "./telegram/direct-calls.js";
import { openConnections } from "./telegram/fetch.js";
import { whoAmI } from "./telegram/identity.js";
import { retryCalls } from "./telegram/retry.js";
import { queuesOf } from "./update-queues.js";

/** The tables of the bot, in the order in which they came to be. */
export const BOT_MIGRATIONS: readonly Migration[] = [
  INBOX_MIGRATION,
  PEOPLE_MIGRATION,
  DIALOGS_MIGRATION,
  DRAFTS_MIGRATION,
  ORDERS_MIGRATION,
  DELIVERIES_MIGRATION,
  REMOVALS_MIGRATION,
  DRAFT_TYPES_MIGRATION,
  UNCERTAIN_ORDERS_MIGRATION,
  LAST_WORDS_MIGRATION,
];

/** A call that has no answer by then has failed, in seconds; uploads of 50 MB fit in. */
const CALL_TIMEOUT_SEC = 120;
/** More are fetched when fewer than these are under way: too many keep each other waiting, and the memory full. */
const CONCURRENCY = 64;
const SWEEP_INTERVAL_MS = 3600 * 1000;

export interface RunningBot {
  /** True while Telegram answers the polls. */
  isPolling(): boolean;
  /** Fetches no more updates, lets handlers and deliveries under way end, and closes the connections. */
  stop(): Promise<void>;
}

/**
 * Starts the bot: takes up what an earlier run left, then polls.
 * Resolves when Telegram has accepted the token and polling has begun.
 * @throws TokenRefused
 */
export async function startBot(options: BotOptions, signal: AbortSignal): Promise<RunningBot> {
  const { clock, logger, database } = options;
  const connections = openConnections(options.boundary);
  const client: ApiClientOptions = {
    apiRoot: options.apiRoot,
    timeoutSeconds: CALL_TIMEOUT_SEC,
    fetch: connections.fetch as unknown as NonNullable<ApiClientOptions["fetch"]>,
  };
  const direct = directCalls({
    connections,
    apiRoot: options.apiRoot,
    token: options.token,
    timeoutMs: CALL_TIMEOUT_SEC * 1000,
  });
  const plainApi = new Api(options.token, client);
  plainApi.config.use(direct);
  const stopping = new AbortController();
  // Every call that waits out a fault listens to it.
  setMaxListeners(0, stopping.signal);
  signal.addEventListener("abort", () => stopping.abort(), { once: true });

  const me = await whoAmI(plainApi, clock, logger, stopping.signal).catch(async (error: unknown) => {
    await connections.close();
    throw error;
  });
  const api = new Api(options.token, client);
  api.config.use(direct, retryCalls(clock, stopping.signal));

  const parts = assemble(options, { api, plainApi, connections });
  const inbox = new Inbox(database, clock);
  const handle = wayOfUpdates(options, parts, stopping.signal);

  parts.orders.start();
  parts.removals.start();
  let isPolling = false;
  const source = new InboxSource({
    api: plainApi,
    inbox,
    clock,
    logger,
    onPolling: (works) => {
      isPolling = works;
    },
  });
  const handling = new Handling({
    pass: (update) => handle(new Context(update, api, me) as BotContext),
    inbox,
    clock,
    logger,
    stopping: stopping.signal,
  });
  const sink = createConcurrentSink<Update>(
    { consume: (update) => handling.consume(update) },
    async (error) => logger.error({ err: error }, "update not begun"),
    { concurrency: CONCURRENCY },
  );
  const runner = createRunner(createSource(source), sink);
  runner.start();
  logger.info({ bot: me.username }, "bot started");

  void parts.commandMenu
    .setAll((id) => parts.people.find(id)?.locale)
    .catch((error: unknown) => {
      if (!stopping.signal.aborted) logger.warn({ err: error }, "command menu not set");
    });
  const cancelSweep = sweepRegularly(clock, logger, () =>
    Promise.all([inbox.sweep(), parts.drafts.sweep(), parts.dialogs.sweep()]),
  );
  return {
    isPolling: () => isPolling,
    async stop() {
      cancelSweep();
      parts.removals.stop();
      // `stop` ends the polling; it does not wait for handlers.
      await runner.stop()?.catch(() => {});
      await Promise.all([handling.drain(), parts.orders.stop()]);
      parts.cards.stop();
      stopping.abort();
      await connections.close();
    },
  };
}

type Way = (ctx: BotContext) => Promise<void>;

/** The way of an update through the bot. */
function wayOfUpdates(options: BotOptions, parts: FeatureParts, stopping: AbortSignal): Way {
  const { clock, logger, allowedUsers } = options;
  const features = offeredFeatures(options).map((feature) => feature.build(parts));
  return nested([
    answerEveryTap(clock, logger),
    sequentialize(queuesOf),
    reception({ ...parts, allowedUsers, stopping }),
    dispatch(features, parts.dialogs),
  ]);
}

/** Each layer inside the one before it. As middleware of a `Bot` they would cost every update a dozen promises more. */
function nested(layers: readonly MiddlewareFn<BotContext>[]): Way {
  return layers.reduceRight<Way>(
    (inner, layer) => (ctx) => layer(ctx, () => inner(ctx)) as Promise<void>,
    () => Promise.resolve(),
  );
}

function sweepRegularly(clock: Clock, logger: Logger, sweep: () => Promise<unknown>): () => void {
  let cancel = () => {};
  const run = () => {
    sweep().catch((error: unknown) => logger.warn({ err: error }, "sweep failed"));
    cancel = clock.after(SWEEP_INTERVAL_MS, run);
  };
  cancel = clock.after(SWEEP_INTERVAL_MS, run);
  return () => cancel();
}
