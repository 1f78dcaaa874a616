import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Drafts } from "../../src/bot/card/draft-store.js";
import type { Claim, Order } from "../../src/bot/orders/order.js";
import { OrderStore } from "../../src/bot/orders/order-store.js";
import { placeOrder, ToldLimits } from "../../src/bot/orders/pay.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import type { Database } from "../../src/database/database.js";
import { systemClock } from "../../src/platform/clock.js";
import { systemIds } from "../../src/platform/ids.js";
import { NOT_CONNECTED } from "../../src/ports/gateway.js";
import { NEW_DRAFT } from "./bot-world.js";
import { quote, testCoreOn } from "./core.js";
import { modelNamed } from "./drafts.js";
import { silentLogger } from "./log.js";

/** Who orders what, and where. */
export interface DirectOrder {
  userId: number;
  request: GenerationRequest;
  /** A message of the bot that becomes the status message. */
  statusMessageId?: number;
  /** The private chat by default. */
  chatId?: number;
  threadId?: number;
}

/** The rows of orders in the database of a service. */
export function openOrderStore(database: Database): OrderStore {
  return openStores(database).orders;
}

/** Writes what a paying tap leaves before anything is submitted to a service elsewhere. */
export async function claimOrder(database: Database, direct: DirectOrder): Promise<Order> {
  const order = await openOrderStore(database).claim(await claimOf(database, direct));
  if (!order) throw new Error("the order was not claimed");
  return order;
}

/**
 * Writes what a paying tap leaves: an order that is charged. A service that starts on this database makes and delivers it.
 */
export async function payOrder(database: Database, direct: DirectOrder): Promise<Order> {
  const { drafts, orders } = openStores(database);
  const claim = await claimOf(database, direct);
  // Nothing of it runs: it only takes the order.
  const directory = mkdtempSync(join(tmpdir(), "atelier-order-"));
  const core = testCoreOn({ database, clock: systemClock, directory });
  const gateway = await core.gateways.of({ id: direct.userId, name: claim.userName });
  if (gateway === NOT_CONNECTED) throw new Error("an embedded core connects everyone");
  const toldLimits = new ToldLimits(systemClock);
  const payment = await placeOrder(claim, gateway, {
    orders,
    drafts,
    toldLimits,
    logger: silentLogger(),
  });
  if (payment.kind !== "accepted") throw new Error(`the order was ${payment.kind}`);
  return payment.order;
}

function openStores(database: Database) {
  const drafts = new Drafts(database, systemClock);
  return { drafts, orders: new OrderStore(database, drafts, systemClock) };
}

async function claimOf(database: Database, direct: DirectOrder): Promise<Claim> {
  const { userId, request, statusMessageId, chatId = userId, threadId = null } = direct;
  const { type, model_key: modelKey, ...settings } = request;
  const { drafts } = openStores(database);
  const parameters = JSON.parse(JSON.stringify(settings));
  const { draft } = await drafts.open({ ...NEW_DRAFT, type, userId, chatId, threadId, modelKey, parameters });
  if (statusMessageId !== undefined) await drafts.setMessage(draft, statusMessageId);
  return {
    orderId: systemIds.order(),
    draft: { ...draft, messageId: statusMessageId ?? null },
    userName: `person ${userId}`,
    modelTitle: modelNamed(modelKey).title,
    request,
    quotedKopecks: quote(request).totalKopecks,
  };
}
