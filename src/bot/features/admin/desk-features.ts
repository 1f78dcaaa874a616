import type { ManagedAccounts } from "../../../ports/accounts.js";
import { GoOnNotices } from "../../card/go-on-notices.js";
import type { Feature } from "../../feature.js";
import { NumberedOrders } from "../../orders/store/numbered-orders.js";
import type { BotParts } from "../../parts.js";
import { accountFeature } from "../account/account.js";
import { pickPersonFeature } from "../account/pick-person.js";
import { auditFeature } from "../audit/audit.js";
import { bansFeature } from "../bans/bans.js";
import { broadcastFeature } from "../broadcast/broadcast.js";
import { Broadcasts } from "../broadcast/broadcast-store.js";
import { Recipients } from "../broadcast/recipients.js";
import { AskedCorrections } from "../corrections/asked-corrections.js";
import { correctionsFeature } from "../corrections/corrections.js";
import { modelsFeature } from "../models/models.js";
import { orderFeature } from "../order/order.js";
import { statsFeature } from "../stats/stats.js";

/** Lists what admins do where accounts are managed here. `guards` come before every question. */
export function deskFeatures(
  parts: BotParts,
  { admin, audit, bans, consents, models, orders, payments, records, summaries }: ManagedAccounts,
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
      statsFeature({ ...parts, summaries }),
      auditFeature({ ...desk, accountIdOf }),
    ],
  };
}
