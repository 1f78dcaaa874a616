import { InlineKeyboard } from "grammy";
import { moneyQuestion } from "../../dialogs/money-question.js";
import type { Order } from "../../orders/store/order.js";
import type { UncertainOrder } from "../../orders/store/uncertain-order.js";
import { uncertainData } from "../../orders/uncertain/uncertain-data.js";
import { cutText, escapeHtml } from "../../texts/html.js";
import type { Language } from "../../texts/texts.js";
import { accountData } from "../account/account-data.js";
import { type StoryFacts, storyLines } from "./story.js";
import { storyData } from "./story-data.js";

const DESCRIPTION_SHOWN = 200;

export interface OrderScreen {
  text: string;
  keyboard: InlineKeyboard;
}

export interface ScreenFacts extends StoryFacts {
  /** Set for an order that was of unknown outcome. */
  uncertain: UncertainOrder | undefined;
}

/** Shows an admin the whole story of an order. For private chats only. */
export function orderScreen(facts: ScreenFacts, language: Language): OrderScreen {
  const { t, money } = language;
  const { order, record, delivery, uncertain } = facts;
  const { number } = order;
  const words = [order.request.prompt, order.request.description, order.request.lyrics].find(
    (text): text is string => typeof text === "string" && text !== "",
  );
  const lines = [
    `<b>${t("order-title", { number: String(number) })}</b> · ${t(`order-state-${order.state}`)}`,
    `${escapeHtml(order.modelTitle)} · ${money(order.quotedKopecks)}`,
    `${escapeHtml(order.userName)} · id <code>${order.userId}</code> · <code>${order.id}</code>`,
    ...(words === undefined
      ? []
      : [`<blockquote>${escapeHtml(cutText(words, DESCRIPTION_SHOWN))}</blockquote>`]),
    "",
    ...storyLines(facts, language),
    ...(delivery && delivery.endedAt === null
      ? [t("story-delivering", { attempts: delivery.attempts, outcome: escapeHtml(delivery.outcome ?? "") })]
      : []),
  ];
  const keyboard = new InlineKeyboard();
  if (filesAtTelegram(facts).length > 0)
    keyboard.text(t("button-files"), storyData.encode({ action: "files", number }));
  const refundable = record.refundableKopecks;
  if (refundable > 0)
    keyboard
      .text(t("button-refund", { sum: money(refundable) }), storyData.encode({ action: "ask", number }))
      .danger();
  keyboard.row();
  if (uncertain && order.state === "uncertain")
    keyboard.text(t("button-settle"), uncertainData.encode({ action: "show", number: uncertain.number }));
  keyboard.text(t("button-account"), accountData.encode({ action: "show", userId: order.userId }));
  return { text: lines.join("\n"), keyboard };
}

/** Asks whether the money is really to be given back. */
export function refundScreen({ order, record }: ScreenFacts, { t, money }: Language): OrderScreen {
  const { number } = order;
  const sum = money(record.refundableKopecks);
  const whose = { sum, number: String(number), name: escapeHtml(order.userName), id: String(order.userId) };
  const yes = {
    label: t("button-refund-sure", { sum }),
    data: storyData.encode({ action: "refund", number }),
  };
  const back = { data: storyData.encode({ action: "show", number }) };
  return moneyQuestion(t("refund-ask", whose), { yes, back }, t);
}

/** Lists the files that Telegram keeps, which cost nothing to send again. */
export function filesAtTelegram({ delivery }: Pick<ScreenFacts, "delivery">) {
  return delivery?.files.filter(({ fileId }) => fileId !== "") ?? [];
}

/** Names an order in the audit. */
export function subjectOfOrder({ id }: Pick<Order, "id">): string {
  return `order:${id}`;
}
