import type { Job } from "../../contract/job.js";
import { type Kopecks, kopecksOf } from "../../platform/money.js";
import { cutText, escapeHtml } from "../html.js";
import type { Language } from "../texts.js";
import type { Order } from "./order.js";

/** Telegram's limit for a caption, counted after its HTML is parsed. */
const CAPTION_LIMIT = 1024;

/**
 * The caption of a result: the prompt, then model, cost and what is left.
 * @param balanceKopecks undefined where the balance could not be read
 */
export function captionOf(
  order: Order,
  done: readonly Job[],
  balanceKopecks: Kopecks | undefined,
  { t, money }: Language,
): string {
  const cost = done.reduce((sum, job) => sum + kopecksOf(job.cost_rub), 0);
  const facts = [order.modelTitle, t("caption-cost", { cost: money(cost) })];
  if (balanceKopecks !== undefined) facts.push(t("caption-left", { balance: money(balanceKopecks) }));
  const line = facts.join(" · ");
  const prompt = cutText(order.request.prompt ?? "", CAPTION_LIMIT - line.length - 2);
  return `${escapeHtml(prompt)}\n\n<i>${escapeHtml(line)}</i>`;
}

/** Names each picture that failed, why, and what was given back. */
export function failureLines(jobs: readonly Job[], { t, money }: Language): string[] {
  const failed = jobs
    .map((job, index) => ({ job, number: index + 1 }))
    .filter(({ job }) => job.status === "error");
  const lines = failed.map(({ job, number }) => {
    const reason = t(`failure-${job.failure ?? "provider"}`);
    return jobs.length === 1 ? reason : t("failed-picture", { number, reason });
  });
  const refunded = failed.filter(({ job }) => job.refunded !== false);
  const sum = refunded.reduce((total, { job }) => total + kopecksOf(job.cost_rub), 0);
  if (sum > 0) lines.push(t("failed-refund", { refund: money(sum) }));
  return lines;
}
