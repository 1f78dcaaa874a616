import { paymentName } from "../../../ports/till.js";
import type { OrderStore } from "../../orders/store/order-store.js";
import type { People } from "../../people/people.js";
import { cutText, escapeHtml } from "../../texts/html.js";
import type { Language } from "../../texts/texts.js";

const NAME_SHOWN = 100;

export interface SubjectNames {
  people: Pick<People, "find">;
  orders: Pick<OrderStore, "find">;
}

/** Says what an act concerned beside an account, as HTML. What has no words is shown as it is. */
export function subjectHtml(subject: string, names: SubjectNames, { t, has }: Language): string {
  const [, kind = subject, id = ""] = /^([a-z]+):(.*)$/s.exec(subject) ?? [];
  const key = `subject-${kind}`;
  if (!has(key)) return escapeHtml(cutText(subject, NAME_SHOWN));
  return t(key, { name: escapeHtml(cutText(nameOf(kind, id, names), NAME_SHOWN)) });
}

function nameOf(kind: string, id: string, { people, orders }: SubjectNames): string {
  if (kind === "payment") return /^\d+$/.test(id) ? paymentName(Number(id)) : id;
  if (kind === "order") return String(orders.find(id)?.number ?? id);
  return kind === "admin" ? (people.find(Number(id))?.name ?? id) : id;
}
