import type { LedgerEntry } from "../../accounts/ledger-store.js";
import type { JobId } from "../../contract/job.js";
import { asKopecks, type Kopecks } from "../../contract/price.js";
import { publicJobId } from "../../jobs/job-store.js";
import type { AttemptRow, OrderJob, OrderReader } from "../../jobs/order-reader.js";
import type { Order } from "./order.js";
import type { OrderStore } from "./order-store.js";

type AttemptFacts = Pick<AttemptRow, "provider" | "ref" | "state" | "detail">;

/** One thing that happened to an order or to a job, without words. */
export type StoryEvent = { at: number } & (
  | { kind: "confirmed"; kopecks: Kopecks }
  | { kind: "charged" | "refunded"; kopecks: Kopecks; actor: string }
  | { kind: "begun"; jobId: JobId; provider: string }
  /** `number`: of the try, from 1. */
  | ({ kind: "sent"; jobId: JobId; number: number } & AttemptFacts)
  | ({ kind: "accepted"; jobId: JobId } & AttemptFacts)
  | { kind: "made"; jobId: JobId }
  | { kind: "failed"; jobId: JobId; reason: string }
  | { kind: "delivered"; files: number }
  | { kind: "lost"; outcome: string }
);

/** Gathers what is known of an order: its row, what the core has, its delivery, and what happened, the first thing first. */
export function storyOf(
  given: Order,
  { orders, records }: { orders: OrderStore; records: Pick<OrderReader, "of"> },
) {
  const order = orders.find(given.id) ?? given;
  const record = records.of(order.userId, order.id);
  const delivery = orders.findDelivery(order.id);
  // The row may be of a moment after the charge that is written with it.
  const confirmedAt = Math.min(order.createdAt, ...record.money.map(({ created_at }) => created_at));
  const events: StoryEvent[] = [
    { at: confirmedAt, kind: "confirmed", kopecks: order.quotedKopecks },
    ...moneyEvents(record.money),
    ...record.jobs.flatMap(jobEvents),
  ];
  if (delivery && delivery.ended_at !== null) {
    const { ended_at: at, state, files, outcome } = delivery;
    const isSent = state === "sent";
    events.push(
      isSent ? { at, kind: "delivered", files: files.length } : { at, kind: "lost", outcome: outcome ?? "" },
    );
  }
  return { order, record, delivery, events: inOrder(events) };
}

/** Tells what happened to a job and its money, the first thing first. */
export function jobStory(
  job: OrderJob,
  money: readonly Pick<LedgerEntry, "created_at" | "amount" | "actor">[],
): StoryEvent[] {
  return inOrder([...moneyEvents(money), ...jobEvents(job)]);
}

function inOrder(events: readonly StoryEvent[]): StoryEvent[] {
  return events.toSorted((a, b) => a.at - b.at);
}

function moneyEvents(money: readonly Pick<LedgerEntry, "created_at" | "amount" | "actor">[]): StoryEvent[] {
  return money.map(({ created_at: at, amount, actor }) => ({
    at,
    kind: amount < 0 ? "charged" : "refunded",
    kopecks: asKopecks(Math.abs(amount)),
    actor,
  }));
}

function jobEvents({ job, attempts }: OrderJob): StoryEvent[] {
  const { started_at, finished_at, status, failure } = job;
  const jobId = publicJobId(job.type, job.id);
  const events: StoryEvent[] = [];
  for (const [index, attempt] of attempts.entries()) {
    const { submitted_at, accepted_at, provider, ref, state, detail } = attempt;
    const facts = { jobId, provider, ref, state, detail };
    if (submitted_at !== null) events.push({ at: submitted_at, kind: "sent", number: index + 1, ...facts });
    if (accepted_at !== null) events.push({ at: accepted_at, kind: "accepted", ...facts });
  }
  if (attempts.length === 0 && started_at !== null)
    events.push({ at: started_at, kind: "begun", jobId, provider: job.provider });
  if (finished_at !== null)
    events.push(
      status === "done"
        ? { at: finished_at, kind: "made", jobId }
        : { at: finished_at, kind: "failed", jobId, reason: failure ?? "" },
    );
  return events;
}
