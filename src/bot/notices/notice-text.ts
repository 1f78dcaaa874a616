import type { Kopecks } from "../../contract/price.js";
import type { OperatorNotice } from "../../ports/operator-notices.js";
import { paymentName } from "../../tills/till.js";
import { priceText } from "../payments/top-ups.js";
import type { People } from "../people/people.js";
import { firstText, type Language, shownTitle, tillName } from "../texts/texts.js";

/** What the event chat is told: notices, and the report of a day. */
export type EventNotice = OperatorNotice | { kind: "report"; report: DailyReport };

/** Writes a notice as plain text. A list has a line for each of its items, in the words of `notice-<kind>-<field>`. */
export function operatorNoticeText(
  notice: EventNotice,
  language: Language,
  people: Pick<People, "find">,
): string {
  if (notice.kind === "report") return reportText(notice.report, language);
  const { kind, ...fields } = notice;
  const written = Object.entries<string | number | null | readonly object[]>(fields).map(([name, value]) => {
    if (value === null) return [name, ""];
    if (typeof value === "object")
      return [name, value.map((item) => language.t(`notice-${kind}-${name}`, { ...item })).join("\n")];
    return [name, name === "model" ? shownTitle(String(value), language) : value];
  });
  const words = notice.kind === "provider_away" && ["pause", "away"].map((why) => `${why}-${notice.reason}`);
  const reason = words && { reason: firstText(language, words) };
  const till = "till" in notice && { till: tillName(notice.till, language) };
  // A person is named by what `/account` takes, somebody who was forgotten by the id.
  const person = "user" in notice ? people.find(Number(notice.user)) : undefined;
  const at = person?.username == null ? "" : `@${person.username}, `;
  const user = person && { user: `${person.name} (${at}id ${person.id})` };
  const payment = "price" in notice && {
    price: priceText(notice, language),
    number: paymentName(notice.number),
  };
  const args = { ...Object.fromEntries(written), ...reason, ...till, ...user, ...payment };
  return language.t(`notice-${kind}`, args);
}

/** What was sold in a day. Sums in kopecks; those that are not known here are null. */
export interface DayFigures {
  /** Real money that came in, and what of it went back. */
  paid: Kopecks | null;
  returned: Kopecks | null;
  /** Gifts, rewards and corrections. */
  given: Kopecks | null;
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
function reportText(report: DailyReport, language: Language): string {
  const { t, money } = language;
  const { now, before, models, isElsewhere } = report;
  const line = (key: string, figure: keyof DayFigures, write: (value: number) => string) => {
    const { [figure]: value } = now;
    if (value === null) return [];
    const { [figure]: earlier } = before;
    return [t(key, { value: write(value), before: earlier === null ? "—" : write(earlier) })];
  };
  const count = (value: number) => value.toLocaleString(language.code);
  const hasReturned = (now.returned ?? 0) !== 0 || (before.returned ?? 0) !== 0;
  const lines = [
    ...line("report-paid", "paid", money),
    ...(hasReturned ? line("report-returned", "returned", money) : []),
    ...line("report-given", "given", money),
    ...line("report-people", "newPeople", count),
    ...line("report-buyers", "buyers", count),
    ...line("report-orders", "orders", count),
    ...line(isElsewhere ? "report-spent" : "report-income", "income", money),
    ...line("report-refunds", "refunds", money),
    ...line("report-cost", "cost", money),
    ...line("report-margin", "margin", money),
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
