import type { Job } from "../../contract/job.js";
import { type Kopecks, kopecksOf } from "../../platform/money.js";
import { escapeHtml } from "../html.js";
import type { Language } from "../texts.js";
import type { Order } from "./order.js";
import { type Part, partsOf, type Unsent } from "./outgoing.js";

const MEGABYTE = 1024 * 1024;

export interface SummaryFacts {
  order: Order;
  jobs: readonly Job[];
  /** How many files are in the chat. */
  sent: number;
  unsent: readonly Unsent[];
  language: Language;
  supportContact: string | undefined;
}

/**
 * What is said beneath the files of an order, as HTML: how many there are, what failed and was paid back, what
 * could not be sent. Undefined where one file with its caption says it all.
 */
export function summaryText(facts: SummaryFacts): string | undefined {
  const { order, jobs, sent, unsent, language } = facts;
  const lines = [
    ...failureLines(order, jobs, language).map(escapeHtml),
    ...unsent.map((part) => unsentLine(part, facts)),
  ];
  const parts = partsOf(jobs).length;
  if (lines.length === 0 && parts === 1 && jobs.length === 1) return undefined;
  const count = parts + jobs.filter(({ status }) => status === "error").length;
  const { t } = language;
  const ready = t("summary-ready", { type: order.request.type, ready: sent, count });
  if (sent > 0) return [ready, ...lines].join("\n");
  // What is only too large did work out.
  const isLost = unsent.every(({ reason }) => reason === "gone");
  return (isLost ? [t("summary-failed"), ...lines] : lines).join("\n");
}

/** Names each piece that failed, why, and what was given back. */
function failureLines(order: Order, jobs: readonly Job[], { t, money }: Language): string[] {
  const { type } = order.request;
  const failed = jobs
    .map((job, index) => ({ job, number: index + 1 }))
    .filter(({ job }) => job.status === "error");
  const lines = failed.map(({ job, number }) => {
    const reason = t(`failure-${job.failure ?? "provider"}`, { type });
    return jobs.length === 1 ? reason : t("failed-one", { type, number, reason });
  });
  const refund = costOf(failed.filter(({ job }) => job.refunded !== false));
  if (refund > 0) lines.push(t("failed-refund", { refund: money(refund) }));
  const kept = costOf(failed.filter(({ job }) => job.refunded === false));
  if (kept > 0) lines.push(t("failed-kept", { sum: money(kept) }));
  return lines;
}

function costOf(pieces: readonly { job: Job }[]): Kopecks {
  return pieces.reduce((total, { job }) => total + kopecksOf(job.cost_rub), 0);
}

/** What is said where Telegram takes none of the files, without HTML. */
export function deliveryFailedText({ t }: Language, supportContact: string | undefined): string {
  const ask = supportContact
    ? t("delivery-failed-ask", { contact: supportContact })
    : t("delivery-failed-ask-nobody");
  return `${t("delivery-failed")} ${ask}`;
}

/** Why a finished file is not in the chat and how to get it, as HTML. */
export function unsentLine(
  unsent: Unsent,
  { order, language, supportContact }: Pick<SummaryFacts, "order" | "language" | "supportContact">,
): string {
  const { t } = language;
  const { type } = order.request;
  const number = numberOf(order, unsent);
  if (unsent.reason === "gone") {
    const gone = t("result-gone", { type, number });
    return supportContact
      ? `${gone} ${t("money-ask-uncertain", { contact: escapeHtml(supportContact) })}`
      : gone;
  }
  const tooLarge = t("result-too-large", { type, number, size: Math.ceil(unsent.size / MEGABYTE) });
  if (unsent.link !== undefined) return `${tooLarge} ${t("result-link", { link: escapeHtml(unsent.link) })}`;
  const ask = supportContact
    ? t("result-ask", { contact: escapeHtml(supportContact) })
    : t("result-ask-nobody");
  return `${tooLarge} ${ask} ${t("result-smaller", { type })}`;
}

/** The number of a piece as people count: tracks of a song, else the pieces of the order. */
function numberOf({ request }: Order, { index, track }: Part): number {
  return (request.type === "music" ? track : index) + 1;
}
