import type { UncertainOrder } from "../store/uncertain-order.js";
import { adminScreen } from "./admin-screen.js";
import type { UncertainParts } from "./uncertain-parts.js";

/** Tells an admin of a new uncertain order. Never throws: the next start tells whoever was not reached. */
export async function tellAdmin(
  record: UncertainOrder,
  adminId: number,
  { api, orders, accounts, languageOf, logger }: UncertainParts,
): Promise<void> {
  const { order } = record;
  const language = languageOf(adminId);
  const { text, keyboard } = adminScreen(record, language, accounts);
  try {
    await api.sendMessage(adminId, `${language.t("order-news")}\n\n${text}`, {
      parse_mode: "HTML",
      reply_markup: keyboard,
    });
    await orders.uncertain.adminTold(order.id, adminId);
  } catch (error) {
    logger.warn(
      { order_id: order.id, admin_id: adminId, err: error },
      "admin not told of an uncertain order",
    );
  }
}
