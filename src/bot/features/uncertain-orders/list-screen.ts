import { InlineKeyboard } from "grammy";
import type { UncertainOrder } from "../../orders/store/uncertain-order.js";
import type { UncertainStore } from "../../orders/store/uncertain-store.js";
import type { AdminScreen } from "../../orders/uncertain/admin-screen.js";
import { uncertainData } from "../../orders/uncertain/uncertain-data.js";
import type { Language } from "../../texts/texts.js";

const PAGE_SIZE = 8;

/** Shows a page of the open orders, newest first. A page that no longer exists shows the last one. */
export function listScreen(
  uncertain: Pick<UncertainStore, "open" | "countOpen">,
  wanted: number,
  language: Language,
): AdminScreen {
  const { t } = language;
  const count = uncertain.countOpen();
  const keyboard = new InlineKeyboard();
  if (count === 0) return { text: t("orders-none"), keyboard };
  const pages = Math.ceil(count / PAGE_SIZE);
  const page = Math.min(wanted, pages - 1);
  for (const record of uncertain.open(page * PAGE_SIZE, PAGE_SIZE)) {
    const show = uncertainData.encode({ action: "show", number: record.number });
    keyboard.text(label(record, language), show).row();
  }
  if (page > 0) keyboard.text("‹", uncertainData.encode({ action: "list", number: page - 1 }));
  if (page < pages - 1) keyboard.text("›", uncertainData.encode({ action: "list", number: page + 1 }));
  return { text: t("orders-open", { count }), keyboard };
}

function label({ number, order }: UncertainOrder, { money }: Language): string {
  return `${number} · ${money(order.quotedKopecks)} · ${order.modelTitle} · ${order.userName}`;
}
