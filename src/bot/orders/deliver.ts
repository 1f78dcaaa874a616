import { type Api, InlineKeyboard, InputFile, InputMediaBuilder } from "grammy";
import type { InputMediaDocument, InputMediaPhoto, Message } from "grammy/types";
import { ContractError } from "../../contract/errors.js";
import { type Gateway, type Gateways, NOT_CONNECTED, type ResultStream } from "../../contract/gateway.js";
import type { Job } from "../../contract/job.js";
import { kopecksOf } from "../../platform/money.js";
import { escapeHtml } from "../html.js";
import { isTopicGone, telegramFailure } from "../telegram/failure.js";
import type { Language } from "../texts.js";
import { captionOf, failureLines } from "./caption.js";
import type { Deliveries, Delivery, SentFile } from "./deliveries.js";
import type { Order } from "./order.js";
import { writeOrderData } from "./order-data.js";
import type { Orders } from "./orders.js";
import type { StatusBoard } from "./status-board.js";

/** What Telegram takes as a photo; anything larger goes as a document. */
const PHOTO_BYTES_MAX = 10 * 1024 * 1024;
const PHOTO_SIDES_MAX = 10_000;

interface DeliverParts {
  /** Without retries: the delivery desk times them. */
  api: Api;
  orders: Orders;
  deliveries: Deliveries;
  gateways: Gateways;
  statusBoard: StatusBoard;
  languageOf: (userId: number) => Language;
}

interface Batch {
  order: Order;
  delivery: Delivery;
  gateway: Gateway;
  jobs: readonly Job[];
  language: Language;
}

/** A finished file on its way, with its place in the order. */
interface Outgoing {
  index: number;
  as: "photo" | "document";
}

/** Sends the results of one order. What was achieved is written after each message, so a retry goes on there. */
export class Deliver {
  readonly #parts: DeliverParts;

  constructor(parts: DeliverParts) {
    this.#parts = parts;
  }

  /** @throws what grammY throws, for the delivery desk to judge */
  async send(delivery: Delivery): Promise<void> {
    const batch = await this.#batch(delivery);
    const { order, jobs, language } = batch;
    const { sent, gone } = await this.#sendFiles(batch);
    await this.#sendSummary(batch, sent, gone);
    // The status message is no part of the delivery: it must keep neither this one nor the next waiting.
    void this.#parts.statusBoard.finish(order, lastStatus(order, jobs, language));
  }

  /** Tells the person that the files cannot be delivered, as far as that is possible. */
  async apologise(delivery: Delivery): Promise<void> {
    const order = this.#parts.orders.find(delivery.orderId);
    if (!order) return;
    const { t } = this.#parts.languageOf(order.userId);
    await this.#parts.api.sendMessage(delivery.chatId, t("delivery-failed"));
  }

  async #batch(delivery: Delivery): Promise<Batch> {
    const { orders, gateways, languageOf } = this.#parts;
    const order = orders.find(delivery.orderId);
    if (!order) throw new Error("a delivery without its order");
    const gateway = await gateways.of({ id: order.userId, name: order.userName });
    if (gateway === NOT_CONNECTED) throw new Error("the account of an order is not connected any more");
    const jobs = await Promise.all(order.jobIds.map((id) => gateway.job(id)));
    return {
      order: { ...order, chatId: delivery.chatId },
      delivery,
      gateway,
      jobs,
      language: languageOf(order.userId),
    };
  }

  /**
   * Sends the files that are not in the chat yet: photos together, then documents together. A file that is kept
   * no more holds up none of the others.
   */
  async #sendFiles(batch: Batch): Promise<{ sent: readonly SentFile[]; gone: readonly number[] }> {
    let sent = batch.delivery.files;
    const missing = batch.jobs.flatMap((job, index) =>
      job.status === "done" && !sent.some((file) => file.index === index) ? [index] : [],
    );
    const chosen = await Promise.all(missing.map((index) => this.#choose(batch, index)));
    const outgoing = chosen.filter((file) => file !== undefined);
    const gone = missing.filter((_, place) => chosen[place] === undefined);
    for (const as of ["photo", "document"] as const) {
      const group = outgoing.filter((file) => file.as === as);
      if (group.length === 0) continue;
      sent = [...sent, ...(await this.#sendGroupOrDocuments(batch, group, sent.length === 0))];
      await this.#parts.deliveries.saveFiles(batch.order.id, sent);
    }
    return { sent, gone };
  }

  /** How a file is sent; undefined when it is kept no more. */
  async #choose({ gateway, order }: Batch, index: number): Promise<Outgoing | undefined> {
    const file = await openFile(gateway, order, index).catch((error: unknown) => {
      if (error instanceof ContractError && error.code === "job_not_found") return undefined;
      throw error;
    });
    if (!file) return undefined;
    file.stream.destroy();
    const sides = (file.width ?? 0) + (file.height ?? 0);
    const isPhoto =
      file.mime.startsWith("image/") && file.size <= PHOTO_BYTES_MAX && sides <= PHOTO_SIDES_MAX;
    return { index, as: isPhoto ? "photo" : "document" };
  }

  /** A picture that Telegram refuses as a photo is sent as a document before anybody gives up. */
  async #sendGroupOrDocuments(
    batch: Batch,
    group: readonly Outgoing[],
    isFirst: boolean,
  ): Promise<SentFile[]> {
    try {
      return await this.#sendGroup(batch, group, isFirst);
    } catch (error) {
      const isPhotos = group.some(({ as }) => as === "photo");
      if (!isPhotos || isTopicGone(error) || telegramFailure(error).kind !== "refused") throw error;
      return this.#sendGroup(
        batch,
        group.map(({ index }) => ({ index, as: "document" })),
        isFirst,
      );
    }
  }

  async #sendGroup(batch: Batch, group: readonly Outgoing[], isFirst: boolean): Promise<SentFile[]> {
    const caption = isFirst ? await this.#caption(batch) : undefined;
    const messages = await this.#inTopic(batch.order, (place) =>
      group.length === 1
        ? this.#sendOne(batch, group, caption, place)
        : this.#sendAlbum(batch, group, caption, place),
    );
    return messages.map((message, place) => sentFile(message, group[place]));
  }

  async #sendOne(
    { order, gateway, jobs, language }: Batch,
    [file]: readonly Outgoing[],
    caption: string | undefined,
    place: object,
  ): Promise<Message[]> {
    if (!file) return [];
    const result = await openFile(gateway, order, file.index);
    const input = new InputFile(result.stream, result.fileName);
    const isWhole = jobs.length === 1;
    const options = {
      ...place,
      ...(caption === undefined ? {} : { caption, parse_mode: "HTML" as const }),
      ...(isWhole ? { reply_markup: resultKeyboard(order, language) } : {}),
    };
    if (file.as === "photo") return [await this.#parts.api.sendPhoto(order.chatId, input, options)];
    return [
      await this.#parts.api.sendDocument(order.chatId, input, {
        ...options,
        disable_content_type_detection: true,
      }),
    ];
  }

  async #sendAlbum(
    { order, gateway }: Batch,
    group: readonly Outgoing[],
    caption: string | undefined,
    place: object,
  ): Promise<Message[]> {
    const results = await Promise.all(group.map(({ index }) => openFile(gateway, order, index)));
    const media = results.map((result, position) => {
      const input = new InputFile(result.stream, result.fileName);
      const text = position === 0 && caption !== undefined ? { caption, parse_mode: "HTML" as const } : {};
      if (group[position]?.as === "photo") return InputMediaBuilder.photo(input, text);
      return InputMediaBuilder.document(input, { ...text, disable_content_type_detection: true });
    });
    return this.#parts.api.sendMediaGroup(
      order.chatId,
      media as (InputMediaPhoto | InputMediaDocument)[] as never,
      place,
    );
  }

  async #caption({ order, jobs, gateway, language }: Batch): Promise<string> {
    // In a group what is left is nobody else's business.
    const isGroup = order.chatId < 0;
    const balance = isGroup ? undefined : kopecksOf((await gateway.balance()).amount);
    return captionOf(
      order,
      jobs.filter(({ status }) => status === "done"),
      balance,
      language,
    );
  }

  /** Albums cannot carry buttons, and failures need words: both come as a message of their own. */
  async #sendSummary(
    { order, jobs, language }: Batch,
    files: readonly SentFile[],
    gone: readonly number[],
  ): Promise<void> {
    const { t } = language;
    const lost = gone.map((index) => t("result-gone", { number: index + 1 }));
    const failures = [...failureLines(jobs, language), ...lost];
    if (failures.length === 0 && jobs.length === 1) return;
    const head =
      files.length > 0
        ? t("summary-ready", { ready: files.length, count: jobs.length })
        : t("summary-failed");
    const text = [head, ...failures.map(escapeHtml)].join("\n");
    const reply_markup = files.length > 0 ? resultKeyboard(order, language) : againKeyboard(order, language);
    await this.#inTopic(order, (place) =>
      this.#parts.api.sendMessage(order.chatId, text, { ...place, parse_mode: "HTML", reply_markup }),
    );
  }

  /** Sends into the order's topic, or into the group itself when the topic is gone. */
  async #inTopic<T>({ threadId }: Order, send: (place: object) => Promise<T>): Promise<T> {
    if (threadId === null) return send({});
    try {
      return await send({ message_thread_id: threadId });
    } catch (error) {
      if (!isTopicGone(error)) throw error;
      return send({});
    }
  }
}

function openFile(gateway: Gateway, order: Order, index: number): Promise<ResultStream> {
  const id = order.jobIds[index];
  if (id === undefined) throw new Error(`order ${order.id} has no job ${index}`);
  return gateway.openResult(id, 0);
}

function sentFile(message: Message, file: Outgoing | undefined): SentFile {
  const fileId =
    message.photo?.at(-1)?.file_id ?? message.document?.file_id ?? message.sticker?.file_id ?? "";
  return {
    index: file?.index ?? 0,
    messageId: message.message_id,
    fileId,
    as: message.photo ? "photo" : "document",
  };
}

function resultKeyboard(order: Order, { t }: Language): InlineKeyboard {
  const many = order.jobIds.length > 1;
  return new InlineKeyboard()
    .text(
      t(many ? "button-originals" : "button-original"),
      writeOrderData({ orderId: order.id, action: "original" }),
    )
    .text(t("button-again"), writeOrderData({ orderId: order.id, action: "again" }));
}

function againKeyboard(order: Order, { t }: Language): InlineKeyboard {
  return new InlineKeyboard().text(t("button-again"), writeOrderData({ orderId: order.id, action: "again" }));
}

function lastStatus(order: Order, jobs: readonly Job[], { t, money }: Language): string {
  const title = `<b>${escapeHtml(order.modelTitle)}</b> · ${money(order.quotedKopecks)}`;
  const hasResult = jobs.some(({ status }) => status === "done");
  return `${title}\n${t(hasResult ? "status-done" : "status-failed")}`;
}
