import { type Kopecks, rublesOf } from "../contract/money.js";
import { systemClock } from "../platform/clock.js";
import { DAY_MS } from "../platform/units.js";
import { marginIn } from "../ports/figures.js";
import type { CommandResult, Context } from "./context.js";
import { table } from "./text.js";
import { isoTime } from "./values.js";

/** Reads what `/stats` of the bot shows. @param days of which it tells; from the beginning by default */
export async function readSummary(context: Context, days: number | undefined): Promise<CommandResult> {
  const now = systemClock.now();
  const period = { from: days === undefined ? 0 : now - days * DAY_MS, until: now + 1 };
  const { whole, tills, queue, people } = await context.summary(period);
  const rubles = (kopecks: Kopecks | null) => (kopecks === null ? null : rublesOf(kopecks));
  const figures = {
    people_new: people.fresh,
    people_returning: people.returning,
    orders: whole.orders,
    buyers: whole.buyers,
    income: rubles(whole.income),
    refunds: rubles(whole.refunds),
    cost: rubles(whole.cost),
    margin: rubles(marginIn(whole)),
    queue_waiting: queue.waiting,
    queue_generating: queue.generating,
    queue_oldest_at: queue.oldestAt === null ? null : isoTime(queue.oldestAt),
  };
  const top_ups = tills.map(({ till, paid, returned }) => ({
    till,
    paid: rublesOf(paid),
    returned: rublesOf(returned),
  }));
  const failures = whole.failures.map(({ title, failure, jobs }) => ({
    model: title,
    reason: failure,
    jobs,
  }));
  const text = [
    table(["figure", "value"], Object.entries(figures)),
    table(["till", "paid, RUB", "returned, RUB"], top_ups.map(Object.values)),
    table(["failed model", "reason", "jobs"], failures.map(Object.values)),
  ];
  return { json: { ...figures, top_ups, failures }, text: text.join("\n\n") };
}
