import type { GenerationType } from "../../../contract/model.js";
import { type Kopecks, kopecksOf } from "../../../contract/money.js";
import { MEGABYTE } from "../../../platform/units.js";
import type { GatewayJob, Refund } from "../../../ports/gateway.js";
import type { Parameters } from "../../card/form/fields.js";
import { heldPictures } from "../../card/form/picture-fields.js";
import { escapeHtml } from "../../texts/html.js";
import type { Language } from "../../texts/texts.js";
import type { ResultRef } from "../store/delivery.js";
import type { Order } from "../store/order.js";
import { resultRefs, type UndeliverableFile, uploadBytesMax } from "./outgoing-file.js";

export interface SummaryFacts {
  order: Order;
  jobs: readonly GatewayJob[];
  sent: number;
  undeliverable: readonly UndeliverableFile[];
  /** The refund for jobs whose files were deleted before delivery. */
  lostRefundKopecks: Kopecks;
  /** The balance after a refund. Undefined in a group, and where it cannot be read. */
  balanceKopecks: Kopecks | undefined;
  language: Language;
  supportContact: string | undefined;
  requestBytesMax: number;
}

/** Sums a delivery up, as HTML. Undefined when a single file with its caption is the whole result. */
export function summaryText(facts: SummaryFacts): string | undefined {
  const { order, jobs, sent, undeliverable, lostRefundKopecks, balanceKopecks, language } = facts;
  const { t, money } = language;
  const isPaidBack = lostRefundKopecks > 0;
  // A person who got a refund needs no support contact.
  const ofGone = isPaidBack ? { ...facts, supportContact: undefined } : facts;
  const lines = [
    ...failureLines(order, jobs, language),
    ...undeliverable.map((file) => undeliverableText(file, file.reason === "gone" ? ofGone : facts)),
    ...(isPaidBack ? [t("lost-refund", { refund: money(lostRefundKopecks) })] : []),
    ...(balanceKopecks === undefined ? [] : [t("failed-balance", { balance: money(balanceKopecks) })]),
  ];
  const files = resultRefs(jobs).length;
  if (lines.length === 0 && files === 1 && jobs.length === 1) return undefined;
  const count = files + jobs.filter(({ status }) => status === "error").length;
  const { type } = order.request;
  const ready = t(sent === count ? "summary-ready" : "summary-some", { type, ready: sent, count });
  if (sent > 0) return [ready, ...lines].join("\n");
  // A file that is only too large was made successfully.
  const isLost = undeliverable.every(({ reason }) => reason === "gone");
  return (isLost ? [t("summary-failed"), ...lines] : lines).join("\n");
}

function failureLines(order: Order, jobs: readonly GatewayJob[], { t, money }: Language): string[] {
  const { type } = order.request;
  const photos = heldPictures(order.request as Parameters);
  const failed = jobs
    .map((job, index) => ({ job, number: index + 1 }))
    .filter(({ job }) => job.status === "error");
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

export function deliveryFailedText({ t }: Language, supportContact: string | undefined): string {
  const ask = supportContact
    ? t("delivery-failed-ask", { contact: supportContact })
    : t("delivery-failed-ask-nobody");
  return `${t("delivery-failed")} ${ask}`;
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
    ? tooLargeText(undeliverable.size, { type, number, max: megabytesMax(requestBytesMax) }, language)
    : t("result-not-taken", { type, number });
  if (undeliverable.link !== undefined)
    return `${why} ${t("result-link", { link: escapeHtml(undeliverable.link) })}`;
  const ask = supportContact
    ? t("result-ask", { contact: escapeHtml(supportContact) })
    : t("result-ask-nobody");
  return isTooLarge ? `${why} ${ask} ${t("result-smaller", { type })}` : `${why} ${ask}`;
}

type TooLarge = {
  type: GenerationType;
  number: number;
  max: number;
};

/** Returns the size in whole MB that any file may have. */
function megabytesMax(requestBytesMax: number): number {
  return Math.floor(uploadBytesMax({ mime: "video/mp4" }, requestBytesMax) / MEGABYTE);
}

function tooLargeText(size: number, file: TooLarge, { t }: Language): string {
  return size === 0
    ? t("result-over-limit", file)
    : t("result-too-large", { ...file, size: Math.ceil(size / MEGABYTE) });
}

function numberOf({ request }: Order, { index, track }: ResultRef): number {
  return (request.type === "music" ? track : index) + 1;
}
