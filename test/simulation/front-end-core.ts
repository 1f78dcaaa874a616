import { join } from "node:path";
import { OpenOrderCounts } from "../../src/bot/orders/order-figures.js";
import type { OwnKeys } from "../../src/client/connected-accounts.js";
import { createTextCipher, noCipher, type TextCipher } from "../../src/platform/text-cipher.js";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
import { groundOf } from "../support/ground.js";
import type { Planted } from "./planted.js";
// The first file of a service loads it, from the real disk.
import "mediabunny";
import { createRemoteService } from "../../src/client/remote-service.js";
import { openLocalMedia, PublishedReferences } from "../../src/media/reference-store.js";
import { plantInAgent } from "./planted.js";
import { SimAgent } from "./sim-agent.js";
import { API_URL } from "./sim-api.js";
import type { CoreParts, SimCore } from "./sim-core.js";

const CIPHER = createTextCipher([Buffer.alloc(32, 7)]);

/** Encrypts what a front-end keeps of people's keys. */
export function cipherOf({ isKeyBare, onTaken }: Planted): TextCipher {
  if (!isKeyBare) return CIPHER;
  onTaken?.();
  return noCipher;
}

/** `CORE=api`: the front-end of a Generation API elsewhere, with one account for everybody, or one for each. */
export function openFrontEnd({ around, isDead, ...parts }: CoreParts): SimCore {
  const { directory, disk, api, planted, rules } = around;
  const { ids, failPoint, clock } = parts;
  const random = around.random.fork();
  const media = openLocalMedia(disk, join(directory, "references"), ids, failPoint);
  const openOrders = new OpenOrderCounts(parts.database);
  const ownKeys: OwnKeys = {
    cipher: cipherOf(planted),
    lastJobOf: (accountId) => openOrders.lastJobOf(accountId),
    countOpenOrders(account) {
      const count = openOrders.ofAccount(account);
      if (!planted.areOrdersUncounted) return count;
      if (count > 0) planted.onTaken?.();
      return 0;
    },
  };
  const service = createRemoteService({
    notices: new NoticeQueue(),
    ...parts,
    baseUrl: API_URL,
    ...(rules.accounts ? { ownKeys } : { apiKey: "the-key-of-the-simulation" }),
    references: new PublishedReferences(
      groundOf(parts),
      media,
      "https://front.example",
      "0123456789abcdef0123456789abcdef",
    ),
    pollIntervalMs: 2000,
    open: () => plantInAgent(new SimAgent({ host: api, clock, random, failPoint, isDead }), planted),
  });
  return { service, start: () => service.start(), stop: () => service.stop() };
}
