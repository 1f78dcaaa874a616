import { Drafts } from "../../src/bot/card/draft-store.js";
import type { Order } from "../../src/bot/orders/order.js";
import { OrderStore } from "../../src/bot/orders/order-store.js";
import type { GenerationRequest } from "../../src/contract/request.js";
import type { Database } from "../../src/database/database.js";
import { systemClock } from "../../src/platform/clock.js";
import { systemIds } from "../../src/platform/ids.js";
import { catalogue, quote } from "./core.js";

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
  return new OrderStore(database, new Drafts(database, systemClock), systemClock);
}

/**
 * Writes what a paying tap leaves before anything is submitted. A service that starts on this database takes
 * the order up: it charges, makes and delivers.
 */
export async function claimOrder(database: Database, direct: DirectOrder): Promise<Order> {
  const { userId, request, statusMessageId, chatId = userId, threadId = null } = direct;
  const { type, model_key: modelKey, ...settings } = request;
  const drafts = new Drafts(database, systemClock);
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
  const order = await new OrderStore(database, drafts, systemClock).claim({
    orderId: systemIds.order(),
    draft: { ...draft, messageId: statusMessageId ?? null },
    userName: `person ${userId}`,
    modelTitle: titleOf(modelKey),
    request,
    quotedKopecks: quote(request).totalKopecks,
  });
  if (!order) throw new Error("the order was not claimed");
  return order;
}

function titleOf(modelKey: string): string {
  const entry = catalogue.models.find(({ model_key }) => model_key === modelKey);
  if (!entry) throw new Error(`no model ${modelKey}`);
  return entry.title;
}
