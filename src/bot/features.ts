import { Composer } from "grammy";
import type { ManagedAccounts } from "../service/accounts.js";
import { GoOnNotices } from "./card/card-messages.js";
import type { BotContext } from "./context.js";
import type { Feature } from "./feature.js";
import { accountFeature, pickPersonFeature } from "./features/account.js";
import { auditFeature } from "./features/audit.js";
import { balanceFeature } from "./features/balance.js";
import { bansFeature } from "./features/bans.js";
import { broadcastFeature, NEWS_ENTRY, newsFeature } from "./features/broadcast/broadcast.js";
import { Broadcasts, Recipients } from "./features/broadcast/broadcast-store.js";
import { cancelFeature } from "./features/cancel.js";
import { cardFeature } from "./features/compose/card.js";
import { composeFeature } from "./features/compose/compose.js";
import { editsFeature } from "./features/compose/edits.js";
import { picturesFeature } from "./features/compose/photos.js";
import { repliesFeature } from "./features/compose/replies.js";
import { textFeature } from "./features/compose/text.js";
import { connectDialogFeature, connectFeature, OfferedKeys } from "./features/connect.js";
import { AskedCorrections, correctionsElsewhereFeature, correctionsFeature } from "./features/corrections.js";
import { helpFeature } from "./features/help.js";
import { idFeature } from "./features/id.js";
import { inviteFeature } from "./features/invite.js";
import { keysFeature } from "./features/keys.js";
import { languageFeature } from "./features/language.js";
import { legalFeature } from "./features/legal.js";
import { limitFeature } from "./features/limit.js";
import { modelsFeature } from "./features/models.js";
import { MY_DATA_ENTRY, myDataFeature } from "./features/my-data.js";
import { orderFeature } from "./features/order.js";
import { promoFeature } from "./features/promo.js";
import { questionsFeature } from "./features/questions.js";
import { RECEIPT_ENTRY, ReceiptContacts, receiptFeature } from "./features/receipt.js";
import { refundFeature } from "./features/refund.js";
import { resultsFeature } from "./features/results.js";
import { settingsFeature } from "./features/settings.js";
import { startFeature } from "./features/start.js";
import { statsFeature } from "./features/stats.js";
import { supportFeature } from "./features/support/support.js";
import { talkFeature } from "./features/talk.js";
import { topUpFeature } from "./features/topup.js";
import { ordersFeature } from "./features/uncertain-orders.js";
import { unhandledFeature } from "./features/unhandled.js";
import { upstreamsFeature } from "./features/upstreams.js";
import { welcomeFeature } from "./features/welcome.js";
import { NumberedOrders } from "./orders/order-figures.js";
import type { BotParts } from "./parts.js";
import { NewsOptOuts } from "./people/people.js";

/** Lists every feature, in the order of update handling. Catch-all features are last. */
export function createFeatures(parts: BotParts): readonly Feature[] {
  const { accounts } = parts;
  const connecting = accounts.kind === "connected" && {
    ...parts,
    connections: accounts.connections,
    offered: new OfferedKeys(parts.clock),
  };
  const managed = accounts.kind === "managed" && { ...parts, ...accounts };
  const desk = accounts.kind === "managed" ? deskFeatures(parts, accounts) : undefined;
  const receipts = parts.topUps.tills.some(({ needsContact }) => needsContact) ? [RECEIPT_ENTRY] : [];
  const guards = connecting ? [connectDialogFeature(connecting)] : (desk?.guards ?? []);
  const features = [
    ...paymentFeatures(parts),
    ...(accounts.kind === "managed" ? [welcomeFeature(accounts.welcome)] : []),
    talkFeature(parts),
    cardFeature(parts),
    resultsFeature(parts),
    ...(accounts.kind === "managed" ? [promoFeature({ ...parts, promo: accounts.promo })] : []),
    ...(accounts.kind === "managed" && accounts.invites
      ? [inviteFeature({ ...parts, invites: accounts.invites })]
      : []),
    startFeature(parts),
    composeFeature(parts),
    balanceFeature(parts),
    ...(connecting ? [connectFeature(connecting)] : []),
    ...(accounts.kind === "managed" ? [keysFeature({ ...parts, keys: accounts.keys })] : []),
    languageFeature(parts),
    settingsFeature(parts, managed ? [...receipts, NEWS_ENTRY, MY_DATA_ENTRY] : []),
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
    editsFeature(parts),
  ];
  const questions = questionsFeature([...guards, ...features], parts.words);
  return [...guards, questions, ...features, unhandledFeature(parts, features)];
}

/** Lists what has to do with money that people pay, where accounts are managed here. */
function paymentFeatures(parts: BotParts): readonly Feature[] {
  const { accounts, botPayments, support, topUps } = parts;
  if (accounts.kind !== "managed" || !botPayments || !support) return [];
  const { admin, bans, payments, consents } = accounts;
  const contacts = new ReceiptContacts(parts.database, parts.clock);
  const selling = { ...parts, bans, payments, consents, contacts };
  return [
    ...(topUps.isOn ? [topUpFeature(selling)] : []),
    receiptFeature(selling),
    supportFeature({ ...parts, ...support, payments, numbered: new NumberedOrders(parts.database) }),
    legalFeature(parts),
    refundFeature({ ...parts, admin, payments, botPayments, numbered: new NumberedOrders(parts.database) }),
  ];
}

/** Returns what is answered to everybody, also to people who are not let in. */
export function openToAll(parts: BotParts): Composer<BotContext> {
  const { accounts, dialogs, support } = parts;
  if (accounts.kind !== "managed" || !support) return idFeature().composer;
  const numbered = new NumberedOrders(parts.database);
  const help = supportFeature({ ...parts, ...support, payments: accounts.payments, numbered });
  const features = [help, idFeature(), legalFeature(parts)];
  return new Composer<BotContext>(
    dialogs.middleware(),
    ...(help.questions ?? []).map(({ middleware }) => middleware),
    ...features.map(({ composer }) => composer),
  );
}

/** Lists what admins do where accounts are managed here. `guards` come before every question. */
function deskFeatures(
  parts: BotParts,
  { admin, audit, bans, consents, models, orders, payments, rates, records }: ManagedAccounts,
): { guards: readonly Feature[]; features: readonly Feature[] } {
  const corrections = {
    ...parts,
    admin,
    askedCorrections: new AskedCorrections(parts.database, parts.clock),
    goOnNotices: new GoOnNotices(parts.api),
  };
  const numbered = new NumberedOrders(parts.database);
  const desk = { ...corrections, audit, bans, consents, payments, records, numbered };
  const accountIdOf = (userId: number) => records.of(userId)?.accountId ?? null;
  return {
    guards: [pickPersonFeature(desk)],
    features: [
      correctionsFeature(corrections),
      accountFeature(desk),
      bansFeature(desk),
      broadcastFeature({
        ...desk,
        broadcasts: new Broadcasts(parts.database, parts.clock),
        recipients: new Recipients(desk),
      }),
      orderFeature({ ...desk, orderRecords: orders, accountIdOf }),
      modelsFeature({ ...parts, models }),
      statsFeature({ ...parts, rates }),
      auditFeature({ ...desk, accountIdOf }),
    ],
  };
}
