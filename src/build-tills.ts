import { createHmac, timingSafeEqual } from "node:crypto";
import type { Config, Secrets } from "./config.js";
import type { Database } from "./database/database.js";
import type { Clock } from "./platform/clock.js";
import { exchange } from "./platform/http-exchange.js";
import type { Ids } from "./platform/ids.js";
import type { Logger } from "./platform/logger.js";
import { openAgent } from "./platform/outgoing-agent.js";
import type { OperatorNotices } from "./ports/operator-notices.js";
import type { Collector } from "./ports/service.js";
import type { Payments, TillHooks, WatchingTill } from "./ports/till.js";
import { openYookassa } from "./tills/yookassa/open-yookassa.js";
import { YOOKASSA } from "./tills/yookassa/outside-refunds.js";
import { countOpenPayments } from "./tills/yookassa/payment-rows.js";
import type { YookassaTill } from "./tills/yookassa/yookassa-till.js";

interface TillBuildParts {
  config: Config;
  secrets: Secrets;
  /** Makes the address that a service calls hard to guess. */
  linkSecret: string;
  database: Database;
  payments: Payments;
  notices: OperatorNotices;
  clock: Clock;
  ids: Ids;
  logger: Logger;
}

/** The tills beside Stars, with what they share. */
export interface BuiltTills {
  tills: readonly WatchingTill[];
  hooks: TillHooks;
  collector: Collector;
  close(): Promise<void>;
}

/**
 * Builds the tills beside Stars. One whose keys are still there is built also while `TILL` does not name it: it sells
 * nothing, and settles what was paid before.
 */
export function buildTills(parts: TillBuildParts): BuiltTills {
  const { config, secrets, database, logger, linkSecret } = parts;
  const open = countOpenPayments(database);
  const { shopId } = config.yookassa;
  const { yookassaKey: secretKey, httpsProxy } = secrets;
  const collector = openPaymentsCollector(database);
  if (shopId === undefined || secretKey === undefined) {
    if (open > 0)
      logger.warn(
        { till: YOOKASSA, open },
        "payments are open, and nobody can ask about them: set the till's keys",
      );
    return { tills: [], hooks: { take: () => {} }, collector, close: async () => {} };
  }
  const { isOn, packs, limits } = config.till;
  if (open > 0) logger.info({ till: YOOKASSA, open, is_on: isOn }, "payments are open");
  const dispatcher = openAgent({ proxy: { httpsProxy, noProxy: config.noProxy } });
  const { apiRoot, vatCode, taxSystem, paymentMode } = config.yookassa;
  const till = openYookassa({
    ...parts,
    root: apiRoot === undefined ? undefined : new URL(apiRoot),
    shopId,
    secretKey,
    dispatcher,
    exchange,
    settings: {
      isOn,
      packs: packs.map((kopecks) => ({ price: kopecks, kopecks })),
      limits,
      receipt: vatCode === undefined ? undefined : { vatCode, taxSystem, paymentMode },
    },
  });
  const token = hookToken(linkSecret, YOOKASSA);
  if (config.publicUrl.startsWith("https://"))
    logger.info(
      { url: `${config.publicUrl}/hooks/tills/${YOOKASSA}/${token}` },
      "notifications of the payment service may be sent to this address",
    );
  return { tills: [till], hooks: hooksOf(till, token), collector, close: () => dispatcher.destroy() };
}

function hooksOf(till: YookassaTill, token: string): TillHooks {
  return {
    take(name, given, body) {
      if (name === till.name && isSame(given, token)) till.takeHint(body);
    },
  };
}

/** The address of a till stays the same over restarts, and nobody can guess it. */
function hookToken(linkSecret: string, till: string): string {
  return createHmac("sha256", linkSecret).update(`till:${till}`).digest("base64url");
}

function isSame(given: string, token: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(token)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function openPaymentsCollector(database: Database): Collector {
  return async () => [
    {
      name: "atelier_till_open_payments",
      help: "Payments of a till that have begun, and whose end is not known yet",
      kind: "gauge",
      samples: [{ labels: { till: YOOKASSA }, value: countOpenPayments(database) }],
    },
  ];
}
