import { marginIn, type PeopleCount, type Period } from "../../../ports/figures.js";
import type { Summary } from "../../../ports/summary.js";
import { cutText } from "../../texts/html.js";
import { utcText } from "../../texts/moment.js";
import { shownTitle } from "../../texts/shown-title.js";
import type { Language } from "../../texts/texts.js";
import { tillName } from "../../texts/till-name.js";
import type { StatsSpan } from "./stats-data.js";

/** Bounds the lists, so that all fits under a picture: Telegram takes 1024 characters there. */
const FAILURES_TOLD = 4;
const TILLS_TOLD = 3;
const NAME_LENGTH_MAX = 28;

export interface ToldStats {
  span: StatsSpan;
  period: Period;
  people: PeopleCount;
  summary: Summary;
  /** What the bot has at Telegram; undefined where nobody knows. */
  stars: number | undefined;
}

/** Writes the figures of a period as plain text. */
export function statsText({ span, period, people, summary, stars }: ToldStats, language: Language): string {
  const { t, money } = language;
  const { whole, parts, tills, queue } = summary;
  const margin = marginIn(whole);
  const highest = Math.max(0, ...parts.map(({ income }) => income));
  const unknown = t("stats-unknown");
  const told = tills.slice(0, TILLS_TOLD).map(({ till, paid, returned }) =>
    t("stats-till", {
      till: tillName(cutText(till, NAME_LENGTH_MAX), language),
      paid: money(paid),
      returned: money(returned),
      hasReturned: returned === 0 ? 0 : 1,
    }),
  );
  const failed = whole.failures.slice(0, FAILURES_TOLD).map(({ title, failure, jobs }) =>
    t("stats-failure", {
      model: cutText(shownTitle(title, language), NAME_LENGTH_MAX),
      reason: t("stats-reason", { reason: failure }),
      jobs,
    }),
  );
  const waitingSince = queue.oldestAt === null ? [] : [utcText(queue.oldestAt, language)];
  return [
    t("stats-title", { span, since: utcText(period.from, language) }),
    "",
    t("stats-people", { fresh: people.fresh, returning: people.returning }),
    t("stats-orders", { orders: whole.orders, buyers: whole.buyers }),
    ...(told.length === 0 ? [t("stats-no-top-ups")] : told),
    ...(stars === undefined ? [] : [t("stats-stars", { stars })]),
    t("stats-income", { income: money(whole.income), refunds: money(whole.refunds) }),
    t("stats-margin", {
      cost: whole.cost === null ? unknown : money(whole.cost),
      margin: margin === null ? unknown : money(margin),
    }),
    t("stats-queue", { waiting: queue.waiting, generating: queue.generating }),
    ...waitingSince.map((since) => t("stats-oldest", { since })),
    ...(failed.length === 0 ? [] : ["", t("stats-failures"), ...failed]),
    ...(highest === 0 ? [] : ["", t("stats-chart", { span, highest: money(highest) })]),
  ].join("\n");
}
