import { Composer } from "grammy";
import type { BotContext } from "./context.js";
import type { Feature } from "./feature.js";
import { accountFeature, showPicked } from "./features/account.js";
import { auditFeature } from "./features/audit.js";
import { balanceFeature } from "./features/balance.js";
import { bansFeature } from "./features/bans.js";
import { broadcastFeature, newsFeature } from "./features/broadcast/broadcast.js";
import { BACK, cancelFeature } from "./features/cancel.js";
import { cardFeature } from "./features/compose/card.js";
import { composeFeature } from "./features/compose/compose.js";
import { editsFeature } from "./features/compose/edits.js";
import { picturesFeature } from "./features/compose/photos.js";
import { repliesFeature } from "./features/compose/replies.js";
import { textFeature } from "./features/compose/text.js";
import { connectFeature } from "./features/connect.js";
import { correctionsFeature } from "./features/corrections.js";
import { helpFeature } from "./features/help.js";
import { idFeature } from "./features/id.js";
import { inviteFeature } from "./features/invite.js";
import { keysFeature } from "./features/keys.js";
import { languageFeature, settingsFeature } from "./features/language.js";
import { legalFeature } from "./features/legal.js";
import { limitFeature } from "./features/limit.js";
import { modelsFeature } from "./features/models.js";
import { myDataFeature } from "./features/my-data.js";
import { orderStoryFeature } from "./features/order-story.js";
import { promoFeature } from "./features/promo.js";
import { refundFeature } from "./features/refund.js";
import { resultsFeature } from "./features/results.js";
import { startFeature } from "./features/start.js";
import { statsFeature } from "./features/stats.js";
import { elsewhereFeature, supportFeature } from "./features/support/support.js";
import { talkFeature } from "./features/talk.js";
import { receiptFeature, topUpFeature } from "./features/topup.js";
import { ordersFeature } from "./features/uncertain-orders.js";
import { unhandledFeature } from "./features/unhandled.js";
import { upstreamsFeature } from "./features/upstreams.js";
import { welcomeFeature } from "./features/welcome.js";
import { type BotModules, isConnected, isManaged, type ManagedBot } from "./modules.js";
import { asCommand, isPrivate } from "./telegram/place.js";
import { cleanText } from "./texts/html.js";

/** Lists every feature, in the order of update handling: open questions first, catch-all features last. */
export function createFeatures(bot: BotModules): readonly Feature[] {
  const managed = (...makers: ((bot: ManagedBot) => Feature)[]) =>
    isManaged(bot) ? makers.map((make) => make(bot)) : [];
  const features: readonly Feature[] = [
    // No question of another may take a message with a key.
    ...(isConnected(bot) ? [connectFeature(bot)] : []),
    // Its words may be a command of any other.
    talkFeature(bot),
    ...(bot.topUps.isOn ? managed(topUpFeature) : []),
    ...managed(receiptFeature, supportFeature, legalFeature, refundFeature, welcomeFeature),
    cardFeature(bot),
    resultsFeature(bot),
    ...managed(promoFeature),
    ...(isManaged(bot) && bot.accounts.invites ? [inviteFeature(bot, bot.accounts.invites)] : []),
    startFeature(bot),
    composeFeature(bot),
    balanceFeature(bot),
    ...managed(keysFeature),
    languageFeature(bot),
    settingsFeature(bot, () => features),
    ...managed(newsFeature, myDataFeature),
    helpFeature(bot),
    idFeature(),
    cancelFeature(bot),
    ...managed(correctionsFeature, accountFeature, bansFeature, broadcastFeature),
    ...managed(orderStoryFeature, modelsFeature, statsFeature, auditFeature),
    ...(isManaged(bot) ? [] : [elsewhereFeature(bot)]),
    limitFeature(bot),
    ordersFeature(bot),
    upstreamsFeature(bot),
    picturesFeature(bot),
    repliesFeature(bot),
    textFeature(bot),
    editsFeature(bot),
  ];
  const questions = new Composer<BotContext>();
  // Whom an admin chose from a list answers no question.
  if (isManaged(bot)) questions.on("message:users_shared", (ctx) => showPicked(ctx, bot));
  // In a private chat the word "cancel" is the command, and "back" leaves no more than a page.
  questions.on("message:text", async (ctx, next) => {
    const isWord = isPrivate(ctx) && !ctx.longText;
    const intent = isWord ? await bot.readIntent(cleanText(ctx.message.text)) : undefined;
    const name = intent?.kind === "command" ? intent.name : undefined;
    if (name === "cancel" || name === "back") asCommand(ctx, "cancel", name === "back" ? BACK : "");
    await next();
  });
  questions.use(...features.flatMap((feature) => feature.questions ?? []));
  return [{ composer: questions }, ...features, unhandledFeature(bot, features)];
}

/** Returns what is answered to everybody, also to people who are not let in. */
export function openToAll(bot: BotModules): Composer<BotContext> {
  if (!isManaged(bot)) return idFeature().composer;
  const help = supportFeature(bot);
  const features = [help, idFeature(), legalFeature(bot)];
  return new Composer<BotContext>(
    bot.dialogs.middleware(),
    ...(help.questions ?? []),
    ...features.map(({ composer }) => composer),
  );
}
