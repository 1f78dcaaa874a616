import type { Kopecks } from "../../contract/money.js";
import { shownTitle } from "../texts/shown-title.js";
import type { Language } from "../texts/texts.js";

/** What was sold in a day. Sums in kopecks; those that are not known here are null. */
export interface DayFigures {
  newPeople: number;
  buyers: number;
  orders: number;
  income: Kopecks;
  refunds: Kopecks | null;
  cost: Kopecks | null;
  margin: Kopecks | null;
}

export interface DailyReport {
  /** The day on which it is sent, as `2026-11-24`. */
  day: string;
  /** The 24 hours before its time, and those of a week before. */
  now: DayFigures;
  before: DayFigures;
  models: readonly { title: string; orders: number; income: Kopecks }[];
  /** True where orders are made by a service elsewhere: sums are what it charged. */
  isElsewhere: boolean;
}

/** Writes the report as plain text: a line a figure, with the same day of the week before. */
export function reportText(report: DailyReport, language: Language): string {
  const { t, money } = language;
  const { now, before, models, isElsewhere } = report;
  const line = (
    key: string,
    of: (figures: DayFigures) => number | null,
    write: (value: number) => string,
  ) => {
    const value = of(now);
    if (value === null) return [];
    const earlier = of(before);
    return [t(key, { value: write(value), before: earlier === null ? "—" : write(earlier) })];
  };
  const count = (value: number) => value.toLocaleString(language.code);
  const lines = [
    ...line("report-people", ({ newPeople }) => newPeople, count),
    ...line("report-buyers", ({ buyers }) => buyers, count),
    ...line("report-orders", ({ orders }) => orders, count),
    ...line(isElsewhere ? "report-spent" : "report-income", ({ income }) => income, money),
    ...line("report-refunds", ({ refunds }) => refunds, money),
    ...line("report-cost", ({ cost }) => cost, money),
    ...line("report-margin", ({ margin }) => margin, money),
    ...(!isElsewhere && now.cost === null ? [t("report-cost-unknown")] : []),
  ];
  const best = models.map(({ title, orders, income }, index) =>
    t("report-model", { place: index + 1, title: shownTitle(title, language), orders, sum: money(income) }),
  );
  const date = new Intl.DateTimeFormat(language.code, { day: "numeric", month: "long", timeZone: "UTC" });
  return [
    t("report-title", { day: date.format(Date.parse(report.day)) }),
    "",
    ...lines,
    ...(best.length > 0 ? ["", t("report-models"), ...best] : []),
  ].join("\n");
}
