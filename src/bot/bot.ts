import { sequentialize } from "@grammyjs/runner";
import { type Api, Bot } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import type { Migration } from "../database/migrations.js";
import type { BotContext } from "./context.js";
import { DIALOGS_MIGRATION } from "./dialogs.js";
import { CHOSEN_SETTINGS_MIGRATION, DRAFT_TYPES_MIGRATION, DRAFTS_MIGRATION } from "./draft/draft-table.js";
import { errorHandler } from "./error-handler.js";
import { refuseClashingPrefixes } from "./feature.js";
import { createFeatures } from "./features.js";
import { INBOX_MIGRATION } from "./inbox/inbox.js";
import type { Access } from "./middleware/access.js";
import { allowedOnly } from "./middleware/access.js";
import { contentOnly } from "./middleware/content-only.js";
import { loadGateway } from "./middleware/load-gateway.js";
import { loadUser } from "./middleware/load-user.js";
import { joinLongTexts } from "./middleware/long-text.js";
import { keepOrderAtStop } from "./middleware/order-at-stop.js";
import { peopleOnly } from "./middleware/people-only.js";
import { onPrivateContact } from "./middleware/private-contact.js";
import { answerCallbackQueries } from "./middleware/tap-answers.js";
import { DELIVERED_MESSAGES_MIGRATION } from "./orders/store/delivered-message-table.js";
import { DELIVERY_OFFERS_MIGRATION } from "./orders/store/delivery-offer-table.js";
import { DELIVERIES_MIGRATION, UPLOAD_FAILURES_MIGRATION } from "./orders/store/delivery-table.js";
import { FINAL_STATUS_MIGRATION, LAST_WORDS_MIGRATION } from "./orders/store/final-status-table.js";
import { ORDERS_MIGRATION, UNCERTAIN_ORDERS_MIGRATION } from "./orders/store/order-table.js";
import type { BotParts } from "./parts.js";
import { PEOPLE_MIGRATION } from "./people/people.js";
import { REMOVALS_MIGRATION } from "./removals/removal-rows.js";
import { queuesOf } from "./update-queues.js";

/** The migrations of the bot's tables, oldest first. */
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
  UPLOAD_FAILURES_MIGRATION,
  DELIVERY_OFFERS_MIGRATION,
  FINAL_STATUS_MIGRATION,
  CHOSEN_SETTINGS_MIGRATION,
  DELIVERED_MESSAGES_MIGRATION,
];

export interface BotDeps extends BotParts {
  api: Api;
  botInfo: UserFromGetMe;
  access: Access;
  stopping: AbortSignal;
}

/**
 * Creates the bot: middleware, then features, in order. Pass updates to `handleUpdate`.
 * @throws Error when two features share a callback data prefix
 */
export function createBot(deps: BotDeps): Bot<BotContext> {
  const { api, clock, logger, texts, stopping } = deps;
  const client = api.options && { client: api.options };
  const bot = new Bot<BotContext>(api.token, { botInfo: deps.botInfo, ...client });
  bot.api.config.use(...api.config.installedTransformers());
  bot.use(
    answerCallbackQueries(clock, logger),
    sequentialize(queuesOf),
    keepOrderAtStop(stopping),
    peopleOnly(texts),
    loadUser(deps.people, texts),
    allowedOnly(deps.access),
    loadGateway(deps.gateways),
    onPrivateContact(deps.commandMenu, deps.orders),
    contentOnly(),
    joinLongTexts(),
    deps.dialogs.middleware(),
  );
  const features = createFeatures(deps);
  refuseClashingPrefixes(features);
  for (const feature of features) {
    deps.commandMenu.add(feature);
    bot.use(feature.composer);
  }
  bot.catch(errorHandler(logger, stopping));
  return bot;
}
