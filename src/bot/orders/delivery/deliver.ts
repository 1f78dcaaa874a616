import { type Api, GrammyError } from "grammy";
import type { Job } from "../../../contract/job.js";
import { type Kopecks, kopecksOf, NO_KOPECKS } from "../../../contract/money.js";
import { mapAtOnce } from "../../../platform/at-once.js";
import type { Logger } from "../../../platform/logger.js";
import { type Gateway, type GatewayJob, type Gateways, NOT_CONNECTED } from "../../../ports/gateway.js";
import { isInGroup } from "../../context.js";
import { inTopicOrGroup } from "../../telegram/topic.js";
import type { Language } from "../../texts.js";
import type { Delivery, SentFile } from "../store/delivery.js";
import { isSameResult, type ResultRef } from "../store/delivery.js";
import { type Order, userOf } from "../store/order.js";
import type { OrderStore } from "../store/order-store.js";
import { captionOf } from "./caption.js";
import { describeResult, isUndeliverable } from "./describe-result.js";
import { FileSender } from "./file-sender.js";
import { lostJobsOf } from "./lost-jobs.js";
import { actionsOf, balanceAfter, type OfferedActions } from "./offered-actions.js";
import {
  albumsOf,
  notTaken,
  type OutgoingFile,
  resultRefs,
  type UndeliverableFile,
} from "./outgoing-file.js";
import { withResultsReadOnce } from "./read-once.js";
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

/** Files of an order that are looked at together. */
const OPENED_AT_ONCE = 4;

interface DeliverParts {
  /** Without retries: the scheduler times them. */
  api: Api;
  orders: OrderStore;
  gateways: Gateways;
  languageOf: (userId: number) => Language;
  supportContact: string | undefined;
  logger: Logger;
}

interface DeliveryContext {
  /** `chatId` is the delivery's. */
  order: Order;
  delivery: Delivery;
  gateway: Gateway;
  jobs: readonly GatewayJob[];
  actions: OfferedActions;
  language: Language;
}

/**
 * `made`: a job succeeded; `nothing_made`: all jobs failed; `lost`: the files of all successful jobs were
 * deleted before they were sent. The person has been told in each case.
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
    this.#sender = new FileSender(parts.api);
  }

  /** @throws the error of the failed call, or UploadError when files must be retried */
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

  /** False while Telegram does not answer, returns a 5xx or refuses the token. */
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
    const account = await gateways.ofOrder(order.id, userOf(order));
    if (account === NOT_CONNECTED) throw new Error("the account of this order is no longer connected");
    const gateway = withResultsReadOnce(account);
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
  async #sendFiles(
    context: DeliveryContext,
    write: WriteUntilDone,
  ): Promise<{ sent: readonly SentFile[]; undeliverable: readonly UndeliverableFile[] }> {
    const { order, delivery, gateway, jobs } = context;
    const missing = resultRefs(jobs).filter((ref) => !delivery.files.some((file) => isSameResult(file, ref)));
    const described = await mapAtOnce(OPENED_AT_ONCE, missing, (ref) =>
      describeResult(gateway, order, jobs, ref, delivery.uploadFailures),
    );
    const found = described.filter((result): result is OutgoingFile => !isUndeliverable(result));
    const { sent, failures } = await this.#upload(context, found, write);
    const refused = found.filter((file) => isGivenUp(failures, file));
    return {
      sent,
      undeliverable: [...described.filter(isUndeliverable), ...refused.map((file) => notTaken(file, jobs))],
    };
  }

  /** @throws UploadError when some files must be retried, after all others were sent */
  async #upload(context: DeliveryContext, found: readonly OutgoingFile[], write: WriteUntilDone) {
    const { orders } = this.#parts;
    const { order, delivery } = context;
    const files = found
      .filter((file) => !isGivenUp(delivery.uploadFailures, file))
      .map((file) => afterFailures(delivery.uploadFailures, file));
    let { files: sent, uploadFailures: failures } = delivery;
    let last: { error: unknown; files: OutgoingFile[] } = { error: undefined, files: [] };
    for (const album of albumsOf(files)) {
      try {
        const known = [...sent, ...(await this.#sendAlbum(context, album, sent.length === 0))];
        await write(() => orders.saveFiles(order.id, known, order.chatId));
        sent = known;
      } catch (error) {
        const fault = await this.#uploadFaultOf(error, album);
        if (fault === undefined) throw error;
        const counted = withFault(failures, album, fault);
        await write(() => orders.saveUploadFailures(order.id, counted));
        failures = counted;
        // Nothing may be sent before the pause that the error asks for.
        if (fault === "in_part") throw error;
        last = { error, files: [...last.files, ...album] };
      }
    }
    const toRepeat = last.files.filter((file) => !isGivenUp(failures, file));
    for (const file of last.files) if (!toRepeat.includes(file)) this.#logGivenUp(order, file);
    if (toRepeat.length > 0) throw new UploadError(leastTimesFailed(failures, toRepeat), last.error);
    return { sent, failures };
  }

  /** Undefined when the files are not the cause, for example during an outage of Telegram. */
  async #uploadFaultOf(error: unknown, files: readonly ResultRef[]): Promise<UploadFault | undefined> {
    const fault = uploadFaultOf(error, files);
    return fault === "cut_off" && !(await this.isTelegramReached()) ? undefined : fault;
  }

  #logGivenUp({ id, userId, jobIds }: Order, { index, track, size }: OutgoingFile): void {
    const facts = { order_id: id, user_id: userId, job_id: jobIds[index], track, bytes: size };
    this.#parts.logger.error(facts, "file rejected by Telegram: an admin should check it");
  }

  async #sendAlbum(
    context: DeliveryContext,
    files: readonly OutgoingFile[],
    isFirst: boolean,
  ): Promise<SentFile[]> {
    const { order, gateway, jobs, actions, language } = context;
    const isWhole = jobs.length === 1 && resultRefs(jobs).length === 1;
    const caption = isFirst ? await this.#caption(context) : undefined;
    const originals = { kind: "originals", count: 1 } as const;
    const keyboard = isWhole ? resultKeyboard(order, originals, actions.made, language) : undefined;
    return this.#sender.send({ order, gateway, files, caption, keyboard });
  }

  async #caption({ order, jobs, gateway, language }: DeliveryContext): Promise<string> {
    const balance = isInGroup(order) ? undefined : kopecksOf((await gateway.balance()).amount);
    const done = jobs.filter(({ status }) => status === "done");
    return captionOf(order, done, balance, language);
  }

  /** Idempotent: the refund names the order. An order that has expired is not refunded. */
  async #payBack({ order, gateway }: DeliveryContext, lost: readonly Job[]): Promise<Kopecks> {
    if (lost.length === 0 || this.#parts.orders.hasExpired(order.id)) return NO_KOPECKS;
    return gateway.refundLost(
      order.id,
      lost.map(({ job_id }) => job_id),
    );
  }

  /** A separate message, because albums cannot carry buttons. */
  async #sendSummary(
    { order, jobs, gateway, actions, language }: DeliveryContext,
    sent: readonly SentFile[],
    undeliverable: readonly UndeliverableFile[],
    lostRefundKopecks: Kopecks,
  ): Promise<void> {
    const { api, supportContact } = this.#parts;
    const facts = {
      order,
      jobs,
      sent: sent.length,
      undeliverable,
      lostRefundKopecks,
      balanceKopecks: isInGroup(order) ? undefined : await balanceAfter(gateway, jobs, lostRefundKopecks),
      language,
      supportContact,
    };
    const text = summaryText(facts);
    if (text === undefined) return;
    const offer = offerOf(sent, undeliverable);
    const reply_markup = resultKeyboard(order, offer, actions[sent.length > 0 ? "made" : "failed"], language);
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
