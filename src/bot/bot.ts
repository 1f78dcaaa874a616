import { sequentialize } from "@grammyjs/runner";
import { type Api, Bot } from "grammy";
import type { UserFromGetMe } from "grammy/types";
import type { BotContext } from "./context.js";
import { errorHandler } from "./error-handler.js";
import { refuseClashingPrefixes } from "./feature.js";
import { isPickOfAdmin } from "./features/account/pick-person.js";
import { becomeAdmin } from "./features/become-admin/become-admin.js";
import { isInSupportTopic, relayAnswers } from "./features/support/relay-answers.js";
import { createFeatures, openToAll } from "./features.js";
import { allowedOnly } from "./middleware/access.js";
import { contentOnly } from "./middleware/content-only.js";
import { forBotOnly } from "./middleware/for-bot-only.js";
import { removeKeyMessages } from "./middleware/key-messages.js";
import { loadGateway } from "./middleware/load-gateway.js";
import { loadUser } from "./middleware/load-user.js";
import { joinLongTexts } from "./middleware/long-text.js";
import { keepOrderAtStop } from "./middleware/order-at-stop.js";
import { peopleOnly } from "./middleware/people-only.js";
import { onPrivateContact } from "./middleware/private-contact.js";
import { takePayments } from "./middleware/take-payments.js";
import type { BotParts } from "./parts.js";
import { dropOwnMention } from "./telegram/mention.js";
import { answerCallbackQueries } from "./telegram/tap-answers.js";
import { queuesOf } from "./telegram/update-queues.js";

export interface BotDeps extends BotParts {
  api: Api;
  botInfo: UserFromGetMe;
  stopping: AbortSignal;
}

/** Builds the bot: middleware, then features, in order. Pass updates to `handleUpdate`. */
export function createBot(deps: BotDeps): Bot<BotContext> {
  const { api, clock, logger, texts, stopping, support } = deps;
  const client = api.options && { client: api.options };
  const bot = new Bot<BotContext>(api.token, { botInfo: deps.botInfo, ...client });
  bot.api.config.use(...api.config.installedTransformers());
  bot.use(
    ...(deps.botPayments ? [takePayments(deps.botPayments.intake, stopping)] : []),
    answerCallbackQueries(clock, logger),
    ...(deps.accounts.kind === "connected" ? [removeKeyMessages(deps.removals, logger)] : []),
    forBotOnly(deps.drafts, (message) => support !== undefined && isInSupportTopic(message, support)),
    sequentialize(queuesOf),
    keepOrderAtStop(stopping),
    ...(support ? [relayAnswers({ ...deps, ...support })] : []),
    peopleOnly(texts),
    loadUser(deps.people, texts),
    becomeAdmin(deps),
    allowedOnly(deps.access, openToAll(deps)),
    loadGateway(deps.gateways),
    onPrivateContact(deps.commandMenu, deps.orderService),
    contentOnly((ctx) => isPickOfAdmin(ctx, deps.adminIds)),
    dropOwnMention(),
    joinLongTexts(),
    deps.dialogs.middleware(),
  );
  const features = createFeatures(deps);
  refuseClashingPrefixes(features);
  for (const feature of features) {
    deps.commandMenu.add(feature);
    deps.ownData.add(feature);
    bot.use(feature.composer);
  }
  bot.catch(errorHandler(logger, stopping, clock));
  return bot;
}
