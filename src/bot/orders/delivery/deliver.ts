import { GrammyError } from "grammy";
import { Unavailable } from "../../../contract/errors.js";
import { type Failure, isFinished, type Job } from "../../../contract/job.js";
import type { GenerationType, ParameterValue } from "../../../contract/model.js";
import { type Kopecks, kopecksOf, NO_KOPECKS, sumOf } from "../../../contract/price.js";
import { MEGABYTE } from "../../../platform/units.js";
import {
  type AccountBalance,
  type Gateway,
  type GatewayJob,
  NOT_CONNECTED,
  type Refund,
} from "../../../ports/gateway.js";
import type { BotGround } from "../../bot-ground.js";
import type { Parameters } from "../../card/form/fields.js";
import { heldPictures } from "../../card/form/picture-fields.js";
import { debtLines } from "../../people/balance-words.js";
import { inTopicOrGroup, isInGroup } from "../../telegram/place.js";
import { blockquote, cutText, escapeHtml, isLong } from "../../texts/html.js";
import type { Language } from "../../texts/texts.js";
import { type Order, userOf } from "../order.js";
import {
  type Delivery,
  isSameResult,
  type ResultRef,
  type SentFile,
  type UploadFailures,
} from "../order-store.js";
import { FileSender, openFiles } from "./file-sender.js";
import {
  afterFailures,
  albumsOf,
  isGivenUp,
  isUndeliverable,
  keptFilesOf,
  leastTimesFailed,
  lostJobsOf,
  type NewFile,
  plannedResult,
  resultRefs,
  type UndeliverableFile,
  UploadError,
  undeliverable,
  uploadBytesMax,
  uploadFaultOf,
  withFault,
} from "./outgoing-file.js";
import {
  type FilesOffer,
  failureActions,
  type ResultActions,
  resultActions,
  resultKeyboard,
} from "./result-keyboard.js";

/** Failures after which another model may make it. */
const MODEL_FAILURES: ReadonlySet<Failure> = new Set(["refused", "provider", "timeout", "memory"]);

type OfferedActions = (isAnySent: boolean) => ResultActions;

/** Finds the actions of an order. They are fewer while the list of models is unavailable. */
async function actionsOf(
  order: Order,
  jobs: readonly GatewayJob[],
  gateway: Gateway,
): Promise<OfferedActions> {
  const models = await unlessUnavailable(gateway.models());
  // A video that is only too large was made.
  const hasFailed = jobs.every(({ status }) => status === "error");
  const isOfModel = jobs.some(({ failure }) => failure !== undefined && MODEL_FAILURES.has(failure));
  return (isAnySent) => {
    if (isAnySent) return models ? resultActions(order, models) : {};
    return { ...(models && failureActions(order, models, isOfModel)), hasFailed };
  };
}

/** Reads the balance after a refund. Undefined without one. */
async function balanceAfter(
  gateway: Gateway,
  jobs: readonly GatewayJob[],
  lostRefundKopecks: Kopecks,
): Promise<AccountBalance | undefined> {
  if (lostRefundKopecks === 0 && !jobs.some(({ refund }) => refund === "made")) return undefined;
  return unlessUnavailable(gateway.balance());
}

async function unlessUnavailable<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return undefined;
  }
}

/** Telegram's limit for a caption, counted after the HTML is parsed. */
const CAPTION_LIMIT = 1024;
/** The room for a title, longer than titles are. It leaves room for the sums, and these for the words. */
const TITLE_LIMIT = 200;
const LINE_LIMIT = 512;
const LYRICS_LINES = 4;

/** Composes a caption as HTML. `balanceKopecks`: undefined when the balance could not be read. */
export function captionOf(
  order: Order,
  done: readonly Job[],
  balanceKopecks: Kopecks | undefined,
  { t, money }: Language,
): string {
  const cost = sumOf(done.map(({ cost_rub }) => kopecksOf(cost_rub)));
  // A group contains the results of several people.
  const owner = isInGroup(order) ? [order.userName] : [];
  const facts = [...owner, cutText(order.modelTitle, TITLE_LIMIT), t("caption-cost", { cost: money(cost) })];
  if (balanceKopecks !== undefined) facts.push(t("caption-left", { balance: money(balanceKopecks) }));
  const line = cutText(facts.join(" · "), LINE_LIMIT);
  const words = cutText(wordsOf(order), CAPTION_LIMIT - line.length - 2);
  const told = `<i>${escapeHtml(line)}</i>`;
  if (words === "") return told;
  // Long ones are folded, so that the buttons stay near the picture.
  return isLong(words) ? `${blockquote(words)}\n${told}` : `${escapeHtml(words)}\n\n${told}`;
}

/** Returns the prompt; a track gives its title, else its description, else the first lyrics. */
function wordsOf({ request }: Order): string {
  const { type, prompt, title, description, lyrics } = request;
  if (type !== "music") return prompt ?? "";
  return textOf(title) || textOf(description) || beginningOf(textOf(lyrics)) || textOf(prompt);
}

function beginningOf(lyrics: string): string {
  const lines = lyrics.split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(0, LYRICS_LINES).join("\n");
  return lines.length > LYRICS_LINES ? `${shown.replace(/[\s.,;:…]+$/u, "")}…` : shown;
}

function textOf(value: ParameterValue | undefined): string {
  return typeof value === "string" ? value.trim() : "";
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

export type WriteUntilDone = <T>(write: () => Promise<T>) => Promise<T>;

/**
 * Sends the results of one order, by single tries: the scheduler times the next ones. Progress is committed after each
 * message, that of a single file with the end of its order; a retry continues from there.
 */
export class Deliver {
  readonly #sender: FileSender;

  constructor(private readonly bot: BotGround) {
    this.#sender = new FileSender(bot.plainApi, bot.requestBytesMax);
  }

  /**
   * Sends what is missing, and closes the order. Throws the error of the failed call, or UploadError when files must be
   * retried.
   */
  async send(delivery: Delivery, write: WriteUntilDone): Promise<SendOutcome> {
    const context = await this.#contextOf(delivery);
    const { order, gateway } = context;
    const { orders } = this.bot;
    const { sent, undeliverable } = await this.#sendFiles(context, write);
    const lost = lostJobsOf(context.jobs, sent, undeliverable);
    // An order that has expired is not refunded. The refund names the order: it is made once.
    const lostRefundKopecks =
      lost.length === 0 || orders.hasExpired(order.id)
        ? NO_KOPECKS
        : await gateway.refundLost(
            order.id,
            lost.map(({ job_id }) => job_id),
          );
    await this.#sendSummary(context, sent, undeliverable, lostRefundKopecks);
    const done = context.jobs.filter(({ status }) => status === "done");
    const outcome = done.length === 0 ? "nothing_made" : lost.length === done.length ? "lost" : "made";
    const [state, why] =
      outcome === "lost" ? (["failed", "the files are gone"] as const) : (["sent", "sent"] as const);
    const kept = { files: sent, chatId: order.chatId };
    await write(() => orders.endDelivery(order.id, state, why, outcome === "made", kept));
    return outcome;
  }

  async apologise(delivery: Delivery): Promise<void> {
    const order = this.bot.orders.find(delivery.order_id);
    if (!order) return;
    const { plainApi, languageOf, supportContact } = this.bot;
    const { t } = languageOf(order.userId);
    const { chatId, threadId } = goingTo(order, delivery);
    const ask = supportContact
      ? t("delivery-failed-ask", { contact: supportContact })
      : t("delivery-failed-ask-nobody");
    const text = `${t("delivery-failed")} ${ask}`;
    await inTopicOrGroup(threadId, (place) => plainApi.sendMessage(chatId, text, place));
  }

  /** Asks in the group that the person start the bot in private. The result waits for that. */
  async askForPrivateChat(delivery: Delivery): Promise<void> {
    const order = this.bot.orders.find(delivery.order_id);
    if (!order || !isInGroup(order)) return;
    const { plainApi, languageOf } = this.bot;
    const text = languageOf(order.userId).t("delivery-waits-in-private", { name: order.userName });
    await inTopicOrGroup(order.threadId, (place) => plainApi.sendMessage(order.chatId, text, place));
  }

  /** Resolves to false while Telegram does not answer, returns a 5xx or refuses the token. */
  async isTelegramReached(): Promise<boolean> {
    try {
      await this.bot.plainApi.getMe();
      return true;
    } catch (error) {
      return error instanceof GrammyError && error.error_code !== 401 && error.error_code < 500;
    }
  }

  async #contextOf(delivery: Delivery): Promise<DeliveryContext> {
    const { orders, gateways, languageOf } = this.bot;
    const order = orders.find(delivery.order_id);
    if (!order) throw new Error("a delivery without its order");
    const gateway = await gateways.ofOrder(order.id, userOf(order));
    if (gateway === NOT_CONNECTED) throw new Error("the account of this order is no longer connected");
    const jobs = await Promise.all(order.jobIds.map((id) => gateway.job(id)));
    // A copy of a service elsewhere may not have heard of their end, and a later one has.
    if (!jobs.every(isFinished)) throw new Unavailable("unreachable");
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
    const { requestBytesMax } = this.bot;
    const { files: sent, upload_failures: failures } = delivery;
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
    const { orders, logger } = this.bot;
    const { order, jobs } = context;
    try {
      const sent = [...progress.sent, ...(await this.#sendAlbum(context, album, progress.sent.length === 0))];
      // The commit that closes the order has a file that is the whole result.
      if (!isOneFile(jobs)) await write(() => orders.saveFiles(order.id, sent, order.chatId));
      progress.sent = sent;
    } catch (error) {
      const fault = uploadFaultOf(error, album);
      // A group may refuse what its person's own chat takes.
      if (fault === "refused" && (isInGroup(order) || isOneFile(jobs))) throw error;
      // In an outage of Telegram the files are not the cause.
      if (fault === undefined || (fault === "cut_off" && !(await this.isTelegramReached()))) throw error;
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
          const ids = { order_id: order.id, user_id: order.userId, job_id: order.jobIds[file.index] };
          const facts = { ...ids, track: file.track, bytes: file.size };
          logger.error(facts, "file rejected by Telegram: an admin should check it");
        }
      }
    }
  }

  async #sendAlbum(
    context: DeliveryContext,
    files: readonly NewFile[],
    isFirst: boolean,
  ): Promise<SentFile[]> {
    const { order, jobs, actions, language } = context;
    const caption = isFirst ? await this.#caption(context) : undefined;
    const originals = { kind: "originals", count: 1 } as const;
    const keyboard = isOneFile(jobs) ? resultKeyboard(order, originals, actions(true), language) : undefined;
    return this.#sender.send({ order, files, caption, keyboard });
  }

  async #caption({ order, jobs, gateway, language }: DeliveryContext): Promise<string> {
    const balance = isInGroup(order) ? undefined : await unlessUnavailable(gateway.balance());
    const done = jobs.filter(({ status }) => status === "done");
    return captionOf(order, done, balance && kopecksOf(balance.amount), language);
  }

  /** Sends the summary as a message of its own, because albums cannot carry buttons. */
  async #sendSummary(
    context: DeliveryContext,
    sent: readonly SentFile[],
    undeliverable: readonly UndeliverableFile[],
    lostRefundKopecks: Kopecks,
  ): Promise<void> {
    const { plainApi, supportContact, requestBytesMax } = this.bot;
    const { order, jobs, gateway, actions, language } = context;
    const balance = isInGroup(order) ? undefined : await balanceAfter(gateway, jobs, lostRefundKopecks);
    const facts = { lostRefundKopecks, balance, supportContact, requestBytesMax, undeliverable };
    const text = summaryText({ ...context, ...facts, sent: sent.length });
    if (text === undefined) return;
    const offer = offerOf(sent, undeliverable);
    const reply_markup = resultKeyboard(order, offer, actions(sent.length > 0), language);
    await inTopicOrGroup(order.threadId, (place) =>
      plainApi.sendMessage(order.chatId, text, {
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
function goingTo(order: Order, { chat_id: chatId }: Delivery): Order {
  return chatId === order.chatId ? order : { ...order, chatId, threadId: null };
}

function isOneFile(jobs: readonly GatewayJob[]): boolean {
  return jobs.length === 1 && resultRefs(jobs).length === 1;
}

interface SummaryFacts extends Pick<DeliveryContext, "order" | "jobs" | "language"> {
  sent: number;
  undeliverable: readonly UndeliverableFile[];
  lostRefundKopecks: Kopecks;
  /** The balance after a refund. Undefined in a group, and where it cannot be read. */
  balance: AccountBalance | undefined;
  supportContact: string | undefined;
  requestBytesMax: number;
}

/** Sums a delivery up, as HTML. Undefined when a single file with its caption is the whole result. */
export function summaryText(facts: SummaryFacts): string | undefined {
  const { order, jobs, sent, undeliverable, lostRefundKopecks, balance, language } = facts;
  const { t, money } = language;
  const { amount, owed = 0 } = balance ?? {};
  const isPaidBack = lostRefundKopecks > 0;
  // A person who got a refund needs no support contact.
  const ofGone = isPaidBack ? { ...facts, supportContact: undefined } : facts;
  const lines = [
    ...failureLines(order, jobs, language),
    ...undeliverable.map((file) => undeliverableText(file, file.reason === "gone" ? ofGone : facts)),
    ...(isPaidBack ? [t("lost-refund", { refund: money(lostRefundKopecks) })] : []),
    ...(amount === undefined ? [] : [t("failed-balance", { balance: money(kopecksOf(amount)) })]),
    ...debtLines(kopecksOf(owed), language),
  ];
  const files = resultRefs(jobs).length;
  if (lines.length === 0 && isOneFile(jobs)) return undefined;
  const count = files + jobs.filter(({ status }) => status === "error").length;
  const { type } = order.request;
  const ready = t(sent === count ? "summary-ready" : "summary-some", { type, ready: sent, count });
  if (sent > 0) return [ready, ...lines].join("\n");
  // That it did not work out is what the status above says.
  return lines.join("\n");
}

function failureLines(order: Order, jobs: readonly GatewayJob[], { t, money }: Language): string[] {
  const { type } = order.request;
  const photos = heldPictures(order.request as Parameters);
  const failed = jobs
    .map((job, index) => ({ job, number: index + 1 }))
    .filter(({ job }) => job.status === "error");
  if (failed.length === 0) return [];
  const lines = failed.map(({ job, number }) => {
    const reason = t(`failure-${job.failure ?? "provider"}`, { type, photos });
    return escapeHtml(jobs.length === 1 ? reason : t("failed-one", { type, number, reason }));
  });
  // A lost job does not tell its cost.
  const quoted = Math.round(order.quotedKopecks / jobs.length);
  const costOf = (refund: Refund) =>
    failed
      .filter(({ job }) => (job.refund ?? "unknown") === refund)
      .reduce((total, { job }) => total + (job.failure === "lost" ? quoted : kopecksOf(job.cost_rub)), 0);
  const [made, kept, unknown] = [costOf("made"), costOf("kept"), costOf("unknown")];
  if (made > 0) lines.push(t("failed-refund", { refund: money(made) }));
  if (kept > 0) lines.push(t("failed-kept", { sum: money(kept) }));
  if (unknown > 0) lines.push(t("failed-refund-unknown", { sum: money(unknown) }));
  return lines;
}

/** Tells why a finished file was not sent and how to get it, as HTML. */
export function undeliverableText(
  undeliverable: UndeliverableFile,
  facts: Pick<SummaryFacts, "order" | "language" | "supportContact" | "requestBytesMax">,
): string {
  const { order, language, supportContact, requestBytesMax } = facts;
  const { t } = language;
  const { type } = order.request;
  const number = numberOf(order, undeliverable);
  if (undeliverable.reason === "gone") {
    const gone = t("result-gone", { type, number });
    return supportContact
      ? `${gone} ${t("money-ask-uncertain", { contact: escapeHtml(supportContact) })}`
      : gone;
  }
  const isTooLarge = undeliverable.reason === "too_large";
  const why = isTooLarge
    ? tooLargeText(undeliverable, { type, number }, requestBytesMax, language)
    : t("result-not-taken", { type, number });
  if (undeliverable.link !== undefined)
    return `${why} ${t("result-link", { link: escapeHtml(undeliverable.link) })}`;
  const ask = supportContact
    ? t("result-ask", { contact: escapeHtml(supportContact) })
    : t("result-ask-nobody");
  return isTooLarge ? `${why} ${ask} ${t("result-smaller", { type })}` : `${why} ${ask}`;
}

function tooLargeText(
  { size }: UndeliverableFile,
  file: { type: GenerationType; number: number },
  requestBytesMax: number,
  { t }: Language,
): string {
  // In whole MB that any file may have.
  const max = Math.floor(uploadBytesMax({ mime: "video/mp4" }, requestBytesMax) / MEGABYTE);
  return size === 0
    ? t("result-over-limit", { ...file, max })
    : t("result-too-large", { ...file, max, size: Math.ceil(size / MEGABYTE) });
}

function numberOf({ request }: Order, { index, track }: ResultRef): number {
  return (request.type === "music" ? track : index) + 1;
}
