import type { OperatorNotice } from "../../ports/operator-notices.js";
import { paymentName } from "../../ports/till.js";
import { priceText } from "../payments/price-text.js";
import type { People } from "../people/people.js";
import { shownTitle } from "../texts/shown-title.js";
import type { Language } from "../texts/texts.js";
import { tillName } from "../texts/till-name.js";
import { type DailyReport, reportText } from "./report-text.js";

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
  const written = Object.entries<NoticeField>(fields).map(([name, value]) => {
    if (value === null) return [name, ""];
    if (typeof value === "object")
      return [name, value.map((item) => language.t(`notice-${kind}-${name}`, { ...item })).join("\n")];
    return [name, name === "model" ? shownTitle(String(value), language) : value];
  });
  const reason = notice.kind === "provider_away" && { reason: reasonText(notice.reason, language) };
  const till = "till" in notice && { till: tillName(notice.till, language) };
  const user = "user" in notice && { user: personWords(notice.user, people) };
  const payment = "price" in notice && {
    price: priceText(notice, language),
    number: paymentName(notice.number),
  };
  return language.t(`notice-${kind}`, {
    ...Object.fromEntries(written),
    ...reason,
    ...till,
    ...user,
    ...payment,
  });
}

type NoticeField = string | number | null | readonly object[];

type AwayReason = Extract<OperatorNotice, { kind: "provider_away" }>["reason"];

function reasonText(reason: AwayReason, { t }: Language): string {
  return t(reason === "throttled" || reason === "unreachable" ? `away-${reason}` : `pause-${reason}`);
}

/** Names a person as plain text by what `/account` takes. Somebody who was forgotten is an id. */
function personWords(user: string, people: Pick<People, "find">): string {
  const person = people.find(Number(user));
  if (!person) return user;
  const { name, username, id } = person;
  return `${name} (${username === null ? "" : `@${username}, `}id ${id})`;
}
