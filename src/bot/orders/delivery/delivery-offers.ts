import { type Api, InlineKeyboard } from "grammy";
import type { Job } from "../../../contract/job.js";
import type { Logger } from "../../../platform/logger.js";
import { type Gateway, type Gateways, NOT_CONNECTED } from "../../../ports/gateway.js";
import type { Language } from "../../texts/texts.js";
import { orderData } from "../order-data.js";
import { type Order, userOf } from "../store/order.js";
import type { OrderStore } from "../store/order-store.js";

interface DeliveryOffersParts {
  api: Api;
  orders: OrderStore;
  gateways: Gateways;
  logger: Logger;
  languageOf: (userId: number) => Language;
}

export class DeliveryOffers {
  readonly #parts: DeliveryOffersParts;
  readonly #telling = new Set<number>();

  constructor(parts: DeliveryOffersParts) {
    this.#parts = parts;
  }

  /** Sends the offer to the private chat, once. Never rejects. */
  async onContact(userId: number): Promise<void> {
    const { orders, logger } = this.#parts;
    if (this.#telling.has(userId)) return;
    this.#telling.add(userId);
    try {
      const orderIds = orders.dueOffers(userId);
      if (orderIds.length === 0) return;
      await this.#offer(userId, orderIds);
      await orders.markOffered(orderIds);
      logger.info({ user_id: userId, order_ids: orderIds }, "expired deliveries offered");
    } catch (error) {
      logger.warn({ user_id: userId, err: error }, "expired deliveries not offered");
    } finally {
      this.#telling.delete(userId);
    }
  }

  async #offer(userId: number, orderIds: readonly string[]): Promise<void> {
    const { api, languageOf } = this.#parts;
    const kept = await this.#keptAmong(orderIds);
    const [first] = kept;
    if (!first) return;
    const { t } = languageOf(userId);
    const keyboard = new InlineKeyboard().text(
      t("button-deliver", { count: kept.length }),
      orderData.encode({ orderId: first.id, action: "deliver" }),
    );
    await api.sendMessage(userId, t("delivery-offer", { count: kept.length }), { reply_markup: keyboard });
  }

  async #keptAmong(orderIds: readonly string[]): Promise<Order[]> {
    const kept: Order[] = [];
    for (const id of orderIds) {
      const order = this.#parts.orders.find(id);
      if (!order) continue;
      const gateway = await this.#parts.gateways.ofOrder(id, userOf(order));
      if (gateway !== NOT_CONNECTED && (await hasFiles(gateway, order))) kept.push(order);
    }
    return kept;
  }
}

async function hasFiles(gateway: Gateway, { jobIds }: Order): Promise<boolean> {
  const jobs = await Promise.all(jobIds.map((id) => gateway.job(id)));
  return jobs.some(isLinked);
}

function isLinked({ result }: Job): boolean {
  return result?.url != null || (result?.tracks?.some(({ url }) => url !== null) ?? false);
}
