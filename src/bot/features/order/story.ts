import type { OrderAttempt, OrderJob, OrderRecord } from "../../../ports/order-records.js";
import type { DeliveryRecord } from "../../orders/store/numbered-orders.js";
import type { Order } from "../../orders/store/order.js";
import { cutText, escapeHtml } from "../../texts/html.js";
import { localTimeHtml } from "../../texts/moment.js";
import type { Language } from "../../texts/texts.js";

const LINES_MAX = 30;
const REF_SHOWN = 80;
const WORDS_SHOWN = 80;

/** What is known of an order, from its row, the core and its delivery. */
export interface StoryFacts {
  order: Order;
  record: OrderRecord;
  delivery: DeliveryRecord | undefined;
  /** Names who acted, as HTML. */
  actorOf: (actor: string) => string;
}

interface StoryEvent {
  /** Milliseconds since the epoch. */
  at: number;
  html: string;
}

/** Tells what happened to an order, the first thing first, as lines of HTML. */
export function storyLines(facts: StoryFacts, language: Language): string[] {
  const events = eventsOf(facts, language).toSorted((a, b) => a.at - b.at);
  const lines = events.map(({ at, html }) => `${localTimeHtml(at, language)} · ${html}`);
  const left = lines.length - LINES_MAX;
  return left > 0 ? [...lines.slice(0, LINES_MAX), language.t("story-more", { count: left })] : lines;
}

function eventsOf({ order, record, delivery, actorOf }: StoryFacts, language: Language): StoryEvent[] {
  const { t, money } = language;
  const isAlone = record.jobs.length === 1;
  return [
    { at: order.createdAt, html: t("story-confirmed", { sum: money(order.quotedKopecks) }) },
    ...record.money.map(({ at, kopecks, actor }) => ({
      at,
      html: t(kopecks < 0 ? "story-charged" : "story-refunded", {
        sum: money(Math.abs(kopecks)),
        actor: actorOf(actor),
      }),
    })),
    ...record.jobs.flatMap((job) => jobEvents(job, isAlone ? "" : `${job.id}: `, language)),
    ...deliveryEvents(delivery, language),
  ];
}

function jobEvents(job: OrderJob, prefix: string, { t }: Language): StoryEvent[] {
  const events = job.attempts.flatMap((attempt, index) => attemptEvents(attempt, index + 1, { t }));
  if (job.attempts.length === 0 && job.startedAt !== null)
    events.push({ at: job.startedAt, html: t("story-begun", { provider: escapeHtml(job.provider) }) });
  if (job.finishedAt !== null) {
    const reason = escapeHtml(job.failure ?? "");
    events.push({
      at: job.finishedAt,
      html: job.status === "done" ? t("story-made") : t("story-failed", { reason }),
    });
  }
  return events.map(({ at, html }) => ({ at, html: `${escapeHtml(prefix)}${html}` }));
}

function attemptEvents(attempt: OrderAttempt, number: number, { t }: Pick<Language, "t">): StoryEvent[] {
  const { submittedAt, acceptedAt, ref, detail, state } = attempt;
  const provider = escapeHtml(attempt.provider);
  const why = detail === null ? "" : ` · ${escapeHtml(cutText(detail, WORDS_SHOWN))}`;
  const place = { provider, number, state };
  return [
    ...(submittedAt === null ? [] : [{ at: submittedAt, html: `${t("story-sent", place)}${why}` }]),
    ...(acceptedAt === null
      ? []
      : [
          {
            at: acceptedAt,
            html: t("story-accepted", { provider, ref: escapeHtml(cutText(ref ?? "", REF_SHOWN)) }),
          },
        ]),
  ];
}

function deliveryEvents(delivery: DeliveryRecord | undefined, { t }: Language): StoryEvent[] {
  if (!delivery || delivery.endedAt === null) return [];
  const outcome = escapeHtml(cutText(delivery.outcome ?? "", WORDS_SHOWN));
  const isSent = delivery.state === "sent";
  const words = isSent
    ? t("story-delivered", { count: delivery.files.length })
    : t("story-lost", { outcome });
  return [{ at: delivery.endedAt, html: words }];
}
