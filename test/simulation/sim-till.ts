import { lostSince } from "../../src/backup/swap.js";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
import type { Service } from "../../src/service/service.js";
import type { WatchingTill } from "../../src/tills/till.js";
import { openYookassa } from "../../src/tills/yookassa/yookassa-till.js";
import { SETTINGS } from "../support/yookassa.js";
import { plantInShop } from "./planted.js";
import type { CoreParts } from "./sim-core.js";
import { CREDENTIALS } from "./sim-yookassa.js";

/** The till of the world's shop, where it has one. A dead process hears of nothing. */
export function openSimTill(
  { around, whileAlive, failPoint, isDead, ...parts }: CoreParts,
  { accounts }: Service,
): WatchingTill[] {
  const { shop } = around.rules;
  if (!shop || accounts.kind !== "managed") return [];
  const exchange = plantInShop((options) => shop.exchange(options, failPoint), around.planted);
  const till = openYookassa({
    ...parts,
    ...CREDENTIALS,
    payments: accounts.payments,
    notices: new NoticeQueue(),
    lostSince: lostSince(parts.database),
    settings: SETTINGS,
    dispatcher: undefined as never,
    exchange: (options) => whileAlive(() => exchange(options)),
  });
  shop.deliver = (body) => {
    if (!isDead()) till.takeHint(body);
  };
  return [till];
}
