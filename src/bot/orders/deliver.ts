import type { Api } from "grammy";
import { type Gateway, type Gateways, NOT_CONNECTED } from "../../contract/gateway.js";
import type { Job } from "../../contract/job.js";
import { kopecksOf } from "../../platform/money.js";
import { isInGroup } from "../context.js";
import { inTopicOrGroup } from "../telegram/topic.js";
import type { Language } from "../texts.js";
import { captionOf } from "./caption.js";
import type { Deliveries, Delivery, SentFile } from "./deliveries.js";
import { FileSender } from "./file-sender.js";
import { isUnsent, lookAtPart } from "./look-at-part.js";
import type { Order } from "./order.js";
import type { Orders } from "./orders.js";
import { albumsOf, isSamePart, type Outgoing, partsOf, type Unsent } from "./outgoing.js";
import { type FilesOffer, resultKeyboard } from "./result-keyboard.js";
import { deliveryFailedText, summaryText } from "./summary.js";

interface DeliverParts {
  /** Without retries: the delivery desk times them. */
  api: Api;
  orders: Orders;
  deliveries: Deliveries;
  gateways: Gateways;
  languageOf: (userId: number) => Language;
  supportContact: string | undefined;
}

interface Batch {
  /** With the chat that its files go to. */
  order: Order;
  delivery: Delivery;
  gateway: Gateway;
  jobs: readonly Job[];
  language: Language;
}

/** Repeats a write until the database has taken it. */
export type WriteUntilDone = <T>(write: () => Promise<T>) => Promise<T>;

/** Sends the results of one order. What was achieved is written after each message, so a retry goes on there. */
export class Deliver {
  readonly #parts: DeliverParts;
  readonly #sender: FileSender;

  constructor(parts: DeliverParts) {
    this.#parts = parts;
    this.#sender = new FileSender(parts.api);
  }

  /**
   * @param write writes what was achieved before anything else is sent
   * @returns true when something was made
   * @throws what grammY throws, for the delivery desk to judge
   */
  async send(delivery: Delivery, write: WriteUntilDone): Promise<boolean> {
    const batch = await this.#batch(delivery);
    const { sent, unsent } = await this.#sendFiles(batch, write);
    await this.#sendSummary(batch, sent, unsent);
    return batch.jobs.some(({ status }) => status === "done");
  }

  /** Tells the person that the files cannot be delivered, as far as that is possible. */
  async apologise(delivery: Delivery): Promise<void> {
    const order = this.#parts.orders.find(delivery.orderId);
    if (!order) return;
    const { api, languageOf, supportContact } = this.#parts;
    const language = languageOf(order.userId);
    const { chatId, threadId } = goingTo(order, delivery);
    const text = deliveryFailedText(language, supportContact);
    await inTopicOrGroup(threadId, (place) => api.sendMessage(chatId, text, place));
  }

  async #batch(delivery: Delivery): Promise<Batch> {
    const { orders, gateways, languageOf } = this.#parts;
    const order = orders.find(delivery.orderId);
    if (!order) throw new Error("a delivery without its order");
    const gateway = await gateways.of({ id: order.userId, name: order.userName });
    if (gateway === NOT_CONNECTED) throw new Error("the account of an order is not connected any more");
    const jobs = await Promise.all(order.jobIds.map((id) => gateway.job(id)));
    return {
      order: goingTo(order, delivery),
      delivery,
      gateway,
      jobs,
      language: languageOf(order.userId),
    };
  }

  /**
   * Sends the files that are not in the chat yet: photos together, then videos, tracks and documents. A file
   * that cannot be sent holds up none of the others.
   */
  async #sendFiles(
    batch: Batch,
    write: WriteUntilDone,
  ): Promise<{ sent: readonly SentFile[]; unsent: readonly Unsent[] }> {
    const { order, delivery, gateway, jobs } = batch;
    let sent = delivery.files;
    const missing = partsOf(jobs).filter((part) => !sent.some((file) => isSamePart(file, part)));
    const pieces = await Promise.all(missing.map((part) => lookAtPart(gateway, order, jobs, part)));
    const outgoing = pieces.filter((piece): piece is Outgoing => !isUnsent(piece));
    for (const files of albumsOf(outgoing)) {
      const known = [...sent, ...(await this.#sendAlbum(batch, files, sent.length === 0))];
      await write(() => this.#parts.deliveries.saveFiles(order.id, known));
      sent = known;
    }
    return { sent, unsent: pieces.filter(isUnsent) };
  }

  async #sendAlbum(batch: Batch, files: readonly Outgoing[], isFirst: boolean): Promise<SentFile[]> {
    const { order, gateway, jobs, language } = batch;
    const isWhole = jobs.length === 1 && partsOf(jobs).length === 1;
    const caption = isFirst ? await this.#caption(batch) : undefined;
    const keyboard = isWhole ? resultKeyboard(order, { kind: "originals", count: 1 }, language) : undefined;
    return this.#sender.send({ order, gateway, files, caption, keyboard });
  }

  async #caption({ order, jobs, gateway, language }: Batch): Promise<string> {
    // In a group what is left is nobody else's business.
    const balance = isInGroup(order) ? undefined : kopecksOf((await gateway.balance()).amount);
    const done = jobs.filter(({ status }) => status === "done");
    return captionOf(order, done, balance, language);
  }

  /** Albums cannot carry buttons, and failures need words: both come as a message of their own. */
  async #sendSummary(
    { order, jobs, language }: Batch,
    sent: readonly SentFile[],
    unsent: readonly Unsent[],
  ): Promise<void> {
    const { api, supportContact } = this.#parts;
    const facts = { order, jobs, sent: sent.length, unsent, language, supportContact };
    const text = summaryText(facts);
    if (text === undefined) return;
    const reply_markup = resultKeyboard(order, offerOf(sent, unsent), language);
    await inTopicOrGroup(order.threadId, (place) =>
      api.sendMessage(order.chatId, text, {
        ...place,
        parse_mode: "HTML",
        reply_markup,
        // A preview would fetch the file behind a link.
        link_preview_options: { is_disabled: true },
      }),
    );
  }
}

function offerOf(sent: readonly SentFile[], unsent: readonly Unsent[]): FilesOffer {
  if (sent.length > 0) return { kind: "originals", count: sent.length };
  return { kind: unsent.some(({ link }) => link !== undefined) ? "link" : "nothing" };
}

/** The order in the chat that its delivery goes to; a topic belongs to the chat that it was made in. */
function goingTo(order: Order, { chatId }: Delivery): Order {
  return chatId === order.chatId ? order : { ...order, chatId, threadId: null };
}
