import { type Api, GrammyError } from "grammy";
import type { Job } from "../../../contract/job.js";
import { type Kopecks, kopecksOf, NO_KOPECKS } from "../../../contract/money.js";
import type { Logger } from "../../../platform/logger.js";
import { type Gateway, type GatewayJob, type Gateways, NOT_CONNECTED } from "../../../ports/gateway.js";
import { isInGroup } from "../../telegram/place.js";
import { inTopicOrGroup } from "../../telegram/topic.js";
import type { Language } from "../../texts/texts.js";
import type { Delivery, SentFile, UploadFailures } from "../store/delivery.js";
import { isSameResult, type ResultRef } from "../store/delivery.js";
import { type Order, userOf } from "../store/order.js";
import type { OrderStore } from "../store/order-store.js";
import { captionOf } from "./caption.js";
import { FileSender } from "./file-sender.js";
import { actionsOf, balanceAfter, type OfferedActions } from "./offered-actions.js";
import { openFiles } from "./open-files.js";
import {
  albumsOf,
  type NewFile,
  resultRefs,
  type UndeliverableFile,
  undeliverable,
} from "./outgoing-file.js";
import { isUndeliverable, keptFilesOf, lostJobsOf, plannedResult } from "./planned-file.js";
import { type FilesOffer, resultKeyboard } from "./result-keyboard.js";
import { deliveryFailedText, summaryText } from "./summary.js";
import {
  afterFailures,
  isGivenUp,
  leastTimesFailed,
  UploadError,
  type UploadFault,
  uploadFaultOf,
  withFault,
} from "./upload-failures.js";

interface DeliverParts {
  /** Makes single tries: the scheduler times the next ones. */
  api: Api;
  orders: OrderStore;
  gateways: Gateways;
  languageOf: (userId: number) => Language;
  supportContact: string | undefined;
  /** Comes from `requestBytesMaxOf`. */
  requestBytesMax: number;
  logger: Logger;
}

interface DeliveryContext {
  /** The order, in the delivery's chat. */
  order: Order;
  delivery: Delivery;
  gateway: Gateway;
  jobs: readonly GatewayJob[];
  actions: OfferedActions;
  language: Language;
}

interface Progress {
  sent: readonly SentFile[];
  failures: readonly UploadFailures[];
  undeliverable: UndeliverableFile[];
  toRepeat: NewFile[];
  error: unknown;
}

/**
 * `made`: a job succeeded; `nothing_made`: all jobs failed; `lost`: the files of all successful jobs were deleted
 * before they were sent. The person has been told in each case.
 */
export type SendOutcome = "made" | "nothing_made" | "lost";

/** Repeats a write until it is committed. */
export type WriteUntilDone = <T>(write: () => Promise<T>) => Promise<T>;

/** Sends the results of one order. Progress is committed after each message; a retry continues from there. */
export class Deliver {
  readonly #parts: DeliverParts;
  readonly #sender: FileSender;

  constructor(parts: DeliverParts) {
    this.#parts = parts;
    this.#sender = new FileSender(parts.api, parts.requestBytesMax);
  }

  /** Sends what is missing. Throws the error of the failed call, or UploadError when files must be retried. */
  async send(delivery: Delivery, write: WriteUntilDone): Promise<SendOutcome> {
    const context = await this.#contextOf(delivery);
    const { sent, undeliverable } = await this.#sendFiles(context, write);
    const lost = lostJobsOf(context.jobs, sent, undeliverable);
    const lostRefundKopecks = await this.#payBack(context, lost);
    await this.#sendSummary(context, sent, undeliverable, lostRefundKopecks);
    const done = context.jobs.filter(({ status }) => status === "done");
    if (done.length === 0) return "nothing_made";
    return lost.length === done.length ? "lost" : "made";
  }

  async apologise(delivery: Delivery): Promise<void> {
    const order = this.#parts.orders.find(delivery.orderId);
    if (!order) return;
    const { api, languageOf, supportContact } = this.#parts;
    const language = languageOf(order.userId);
    const { chatId, threadId } = goingTo(order, delivery);
    const text = deliveryFailedText(language, supportContact);
    await inTopicOrGroup(threadId, (place) => api.sendMessage(chatId, text, place));
  }

  /** Asks in the group that the person start the bot in private. The result waits for that. */
  async askForPrivateChat(delivery: Delivery): Promise<void> {
    const order = this.#parts.orders.find(delivery.orderId);
    if (!order || !isInGroup(order)) return;
    const { api, languageOf } = this.#parts;
    const text = languageOf(order.userId).t("delivery-waits-in-private", { name: order.userName });
    await inTopicOrGroup(order.threadId, (place) => api.sendMessage(order.chatId, text, place));
  }

  /** Resolves to false while Telegram does not answer, returns a 5xx or refuses the token. */
  async isTelegramReached(): Promise<boolean> {
    try {
      await this.#parts.api.getMe();
      return true;
    } catch (error) {
      return error instanceof GrammyError && error.error_code !== 401 && error.error_code < 500;
    }
  }

  async #contextOf(delivery: Delivery): Promise<DeliveryContext> {
    const { orders, gateways, languageOf } = this.#parts;
    const order = orders.find(delivery.orderId);
    if (!order) throw new Error("a delivery without its order");
    const gateway = await gateways.ofOrder(order.id, userOf(order));
    if (gateway === NOT_CONNECTED) throw new Error("the account of this order is no longer connected");
    const jobs = await Promise.all(order.jobIds.map((id) => gateway.job(id)));
    return {
      order: goingTo(order, delivery),
      delivery,
      gateway,
      jobs,
      actions: await actionsOf(order, jobs, gateway),
      language: languageOf(order.userId),
    };
  }

  /** Sends the missing files, grouped by kind. A file that cannot be sent does not block the others. */
  async #sendFiles(context: DeliveryContext, write: WriteUntilDone): Promise<Progress> {
    const { delivery, jobs, gateway } = context;
    const { requestBytesMax } = this.#parts;
    const { files: sent, uploadFailures: failures } = delivery;
    const missing = resultRefs(jobs).filter((ref) => !sent.some((file) => isSameResult(file, ref)));
    const keptOf = await keptFilesOf(gateway, jobs);
    const facts = { failures, requestBytesMax };
    const planned = missing.map((ref) => plannedResult(ref, keptOf(ref), jobs[ref.index], facts));
    const undeliverable = planned.filter(isUndeliverable);
    const progress: Progress = { sent, failures, undeliverable, toRepeat: [], error: undefined };
    const files = planned.filter((file): file is NewFile => !isUndeliverable(file));
    const tried = files.map((file) => afterFailures(failures, file));
    for (const group of albumsOf(tried, requestBytesMax)) {
      const opened = await openFiles(group, requestBytesMax, (file) => isGivenUp(failures, file));
      try {
        progress.undeliverable.push(...opened.undeliverable);
        for (const album of albumsOf(opened.files, requestBytesMax))
          await this.#upload(context, album, progress, write);
      } finally {
        opened.close();
      }
    }
    const { toRepeat, error } = progress;
    if (toRepeat.length > 0) throw new UploadError(leastTimesFailed(progress.failures, toRepeat), error);
    progress.undeliverable.sort((one, other) => one.index - other.index || one.track - other.track);
    return progress;
  }

  /** Uploads files. Throws unless the others may still be sent. */
  async #upload(
    context: DeliveryContext,
    album: readonly NewFile[],
    progress: Progress,
    write: WriteUntilDone,
  ): Promise<void> {
    const { orders } = this.#parts;
    const { order } = context;
    try {
      const sent = [...progress.sent, ...(await this.#sendAlbum(context, album, progress.sent.length === 0))];
      await write(() => orders.saveFiles(order.id, sent, order.chatId));
      progress.sent = sent;
    } catch (error) {
      const fault = await this.#uploadFaultOf(error, album);
      if (fault === undefined) throw error;
      const counted = withFault(progress.failures, album, fault);
      await write(() => orders.saveUploadFailures(order.id, counted));
      progress.failures = counted;
      // Nothing may be sent before the pause that the error asks for.
      if (fault === "in_part") throw error;
      progress.error = error;
      for (const file of album) {
        if (!isGivenUp(counted, file)) progress.toRepeat.push(file);
        else if (fault === "beyond_limit") progress.undeliverable.push(undeliverable(file, "too_large"));
        else {
          progress.undeliverable.push(undeliverable(file, "not_taken"));
          this.#logGivenUp(order, file);
        }
      }
    }
  }

  /** Classifies a failed upload. Undefined when the files are not the cause, as in an outage of Telegram. */
  async #uploadFaultOf(error: unknown, files: readonly ResultRef[]): Promise<UploadFault | undefined> {
    const fault = uploadFaultOf(error, files);
    return fault === "cut_off" && !(await this.isTelegramReached()) ? undefined : fault;
  }

  #logGivenUp({ id, userId, jobIds }: Order, { index, track, size }: NewFile): void {
    const facts = { order_id: id, user_id: userId, job_id: jobIds[index], track, bytes: size };
    this.#parts.logger.error(facts, "file rejected by Telegram: an admin should check it");
  }

  async #sendAlbum(
    context: DeliveryContext,
    files: readonly NewFile[],
    isFirst: boolean,
  ): Promise<SentFile[]> {
    const { order, jobs, actions, language } = context;
    const isWhole = jobs.length === 1 && resultRefs(jobs).length === 1;
    const caption = isFirst ? await this.#caption(context) : undefined;
    const originals = { kind: "originals", count: 1 } as const;
    const keyboard = isWhole ? resultKeyboard(order, originals, actions(true), language) : undefined;
    return this.#sender.send({ order, files, caption, keyboard });
  }

  async #caption({ order, jobs, gateway, language }: DeliveryContext): Promise<string> {
    const balance = isInGroup(order) ? undefined : kopecksOf((await gateway.balance()).amount);
    const done = jobs.filter(({ status }) => status === "done");
    return captionOf(order, done, balance, language);
  }

  /** Refunds lost jobs. Idempotent: the refund names the order. An order that has expired is not refunded. */
  async #payBack({ order, gateway }: DeliveryContext, lost: readonly Job[]): Promise<Kopecks> {
    if (lost.length === 0 || this.#parts.orders.hasExpired(order.id)) return NO_KOPECKS;
    return gateway.refundLost(
      order.id,
      lost.map(({ job_id }) => job_id),
    );
  }

  /** Sends the summary as a message of its own, because albums cannot carry buttons. */
  async #sendSummary(
    { order, jobs, gateway, actions, language }: DeliveryContext,
    sent: readonly SentFile[],
    undeliverable: readonly UndeliverableFile[],
    lostRefundKopecks: Kopecks,
  ): Promise<void> {
    const { api, supportContact, requestBytesMax } = this.#parts;
    const facts = {
      order,
      jobs,
      sent: sent.length,
      undeliverable,
      lostRefundKopecks,
      balanceKopecks: isInGroup(order) ? undefined : await balanceAfter(gateway, jobs, lostRefundKopecks),
      language,
      supportContact,
      requestBytesMax,
    };
    const text = summaryText(facts);
    if (text === undefined) return;
    const offer = offerOf(sent, undeliverable);
    const reply_markup = resultKeyboard(order, offer, actions(sent.length > 0), language);
    await inTopicOrGroup(order.threadId, (place) =>
      api.sendMessage(order.chatId, text, {
        ...place,
        parse_mode: "HTML",
        reply_markup,
        // A preview would fetch the linked file.
        link_preview_options: { is_disabled: true },
      }),
    );
  }
}

function offerOf(sent: readonly SentFile[], undeliverable: readonly UndeliverableFile[]): FilesOffer {
  // One of unknown size is likely too large: Telegram would not take it as a document either.
  const refused = undeliverable.filter(({ reason, size }) => reason === "not_taken" && size > 0);
  if (sent.length === 0 && refused.length > 0) return { kind: "originals", count: refused.length };
  if (sent.length > 0) return { kind: "originals", count: sent.length };
  return { kind: undeliverable.some(({ link }) => link !== undefined) ? "link" : "nothing" };
}

/** Applies the delivery's chat. A topic exists only in the chat that it was created in. */
function goingTo(order: Order, { chatId }: Delivery): Order {
  return chatId === order.chatId ? order : { ...order, chatId, threadId: null };
}
