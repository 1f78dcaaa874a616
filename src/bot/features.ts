import type { Feature } from "./feature.js";
import { deskFeatures } from "./features/admin/desk-features.js";
import { balanceFeature } from "./features/balance/balance.js";
import { NEWS_ENTRY, newsFeature } from "./features/broadcast/news.js";
import { cancelFeature } from "./features/cancel/cancel.js";
import { cardFeature } from "./features/compose/card.js";
import { composeFeature } from "./features/compose/compose.js";
import { picturesFeature } from "./features/compose/photos.js";
import { repliesFeature } from "./features/compose/replies.js";
import { textFeature } from "./features/compose/text.js";
import { connectDialogFeature, connectFeature } from "./features/connect/connect.js";
import { OfferedKeys } from "./features/connect/offered-keys.js";
import { correctionsElsewhereFeature } from "./features/corrections/corrections-elsewhere.js";
import { helpFeature } from "./features/help/help.js";
import { idFeature } from "./features/id/id.js";
import { keysFeature } from "./features/keys/keys.js";
import { languageFeature } from "./features/language/language.js";
import { limitFeature } from "./features/limit/limit.js";
import { MY_DATA_ENTRY, myDataFeature } from "./features/my-data/my-data.js";
import { promoFeature } from "./features/promo/promo.js";
import { questionsFeature } from "./features/questions/questions.js";
import { resultsFeature } from "./features/results/results.js";
import { settingsFeature } from "./features/settings/settings.js";
import { startFeature } from "./features/start/start.js";
import { talkFeature } from "./features/talk/talk.js";
import { ordersFeature } from "./features/uncertain-orders/orders.js";
import { unhandledFeature } from "./features/unhandled/unhandled.js";
import { upstreamsFeature } from "./features/upstreams/upstreams.js";
import type { BotParts } from "./parts.js";
import { NewsOptOuts } from "./people/opt-out-table.js";

/** Lists every feature, in the order of update handling and of the command menu. Catch-all features are last. */
export function createFeatures(parts: BotParts): readonly Feature[] {
  const { accounts } = parts;
  const connecting = accounts.kind === "connected" && {
    ...parts,
    connections: accounts.connections,
    offered: new OfferedKeys(parts.clock),
  };
  const managed = accounts.kind === "managed" && { ...parts, ...accounts };
  const desk = accounts.kind === "managed" ? deskFeatures(parts, accounts) : undefined;
  const guards = connecting ? [connectDialogFeature(connecting)] : (desk?.guards ?? []);
  const features = [
    talkFeature(parts),
    cardFeature(parts),
    resultsFeature(parts),
    ...(accounts.kind === "managed" ? [promoFeature({ ...parts, promo: accounts.promo })] : []),
    startFeature(parts),
    composeFeature(parts),
    balanceFeature(parts),
    ...(connecting ? [connectFeature(connecting)] : []),
    ...(accounts.kind === "managed" ? [keysFeature({ ...parts, keys: accounts.keys })] : []),
    languageFeature(parts),
    settingsFeature(parts, managed ? [NEWS_ENTRY, MY_DATA_ENTRY] : []),
    ...(managed ? [newsFeature(new NewsOptOuts(parts.database)), myDataFeature(managed)] : []),
    helpFeature(parts),
    idFeature(),
    cancelFeature(parts),
    ...(desk?.features ?? [correctionsElsewhereFeature(parts)]),
    limitFeature(parts),
    ordersFeature(parts),
    upstreamsFeature(parts),
    picturesFeature(parts),
    repliesFeature(parts),
    textFeature(parts),
  ];
  const questions = questionsFeature([...guards, ...features], parts.words);
  return [...guards, questions, ...features, unhandledFeature(parts, features)];
}
