import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Drafts } from "../../src/bot/card/draft-store.js";
import type { Claim, Order } from "../../src/bot/orders/order.js";
import { OrderStore } from "../../src/bot/orders/order-store.js";
import { placeOrder, ToldLimits } from "../../src/bot/orders/pay.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import { createEmbeddedService } from "../../src/core/embedded-service.js";
import type { Database } from "../../src/database/database.js";
import { nodeMediaDisk } from "../../src/media/disk.js";
import { openLocalMedia } from "../../src/media/reference-store.js";
import { systemClock } from "../../src/platform/clock.js";
import { noFailPoint } from "../../src/platform/fail-point.js";
import { systemIds } from "../../src/platform/ids.js";
import { NOT_CONNECTED } from "../../src/ports/gateway.js";
import { NoticeQueue } from "../../src/ports/operator-notices.js";
import { catalogue, quote } from "./core.js";
import { ALONE, SETTINGS } from "./core-settings.js";
import { silentLogger } from "./log.js";
import { createStubProvider } from "./stub-provider.js";

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
  const logger = silentLogger();
  // Nothing of it runs: it only takes the order.
  const media = {
    disk: nodeMediaDisk,
    directory: mkdtempSync(join(tmpdir(), "atelier-order-")),
    ids: systemIds,
  };
  const core = createEmbeddedService({
    database,
    offers: { current: () => catalogue },
    providers: [createStubProvider()],
    media: openLocalMedia(media.disk, media.directory, media.ids, noFailPoint),
    identityKind: "telegram",
    clock: systemClock,
    ids: systemIds,
    logger,
    settings: SETTINGS,
    linkSecret: "x".repeat(32),
    failPoint: noFailPoint,
    ...ALONE,
    notices: new NoticeQueue(),
  });
  const gateway = await core.gateways.of({ id: direct.userId, name: claim.userName });
  if (gateway === NOT_CONNECTED) throw new Error("an embedded core connects everyone");
  const toldLimits = new ToldLimits(systemClock);
  const payment = await placeOrder(claim, gateway, { orders, drafts, toldLimits, logger });
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
  const composed = {
    type,
    userId,
    chatId,
    threadId,
    view: { kind: "card" } as const,
    modelKey,
    parameters: JSON.parse(JSON.stringify(settings)),
    promptMessageId: null,
    takenMessageId: null,
  };
  const { draft } = await drafts.open(composed);
  if (statusMessageId !== undefined) await drafts.setMessage(draft, statusMessageId);
  return {
    orderId: systemIds.order(),
    draft: { ...draft, messageId: statusMessageId ?? null },
    userName: `person ${userId}`,
    modelTitle: titleOf(modelKey),
    request,
    quotedKopecks: quote(request).totalKopecks,
  };
}

function titleOf(modelKey: string): string {
  const entry = catalogue.models.find(({ model_key }) => model_key === modelKey);
  if (!entry) throw new Error(`no model ${modelKey}`);
  return entry.title;
}
