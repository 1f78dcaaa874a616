import type { People } from "../people/people.js";
import { cutText } from "../texts/html.js";
import type { Language } from "../texts/texts.js";
import { type EventNotice, operatorNoticeText } from "./notice-text.js";

const TEXT_LENGTH_MAX = 4000;
const LINE_LENGTH_MAX = 300;
/** Notices of one kind that are written out. The rest is a number. */
const WRITTEN_OF_KIND = 5;

/** Sums up notices as one plain text: people and sales by their number, of other kinds the latest ones. */
export function eventSummaryText(
  notices: readonly EventNotice[],
  language: Language,
  people: Pick<People, "find">,
): string {
  const { t } = language;
  const byKind = Map.groupBy(notices, ({ kind }) => kind);
  const lines = [...byKind].flatMap(([kind, of]) => {
    const count = of.length;
    if (kind === "new_person") return [t("summary-new_person", { count })];
    if (kind === "sale") return [t("summary-sale", { count, sum: language.money(salesOf(of)) })];
    const written = of
      .slice(-WRITTEN_OF_KIND)
      .map((notice) => cutText(operatorNoticeText(notice, language, people), LINE_LENGTH_MAX));
    const more = count - written.length;
    return more > 0 ? [...written, t("summary-more", { count: more })] : written;
  });
  return cutText([t("summary-title", { count: notices.length }), ...lines].join("\n"), TEXT_LENGTH_MAX);
}

function salesOf(notices: readonly EventNotice[]): number {
  return notices.reduce((sum, notice) => sum + (notice.kind === "sale" ? notice.kopecks : 0), 0);
}
