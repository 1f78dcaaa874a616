import { InlineKeyboard } from "grammy";
import type { Draft } from "../../card/draft/draft.js";
import { isNothingToEdit, telegramFailure } from "../../telegram/failure.js";
import { isInGroup } from "../../telegram/place.js";
import { orderData } from "../order-data.js";
import type { Order } from "../store/order.js";
import type { PersonNews, UncertainOrder } from "../store/uncertain-order.js";
import { settledText, uncertainText } from "./person-text.js";
import type { UncertainParts } from "./uncertain-parts.js";

/** Tells the person what has become of the order. Never throws: the next start tells who was not reached. */
export async function tellPerson(record: UncertainOrder, parts: UncertainParts): Promise<void> {
  const { order, personNews: news } = record;
  if (news === null) return;
  const { orders, logger } = parts;
  const ids = { order_id: order.id, user_id: order.userId };
  try {
    if (news === "uncertain") await closeCard(record, parts);
    await send(record, news, parts);
  } catch (error) {
    logger.warn({ ...ids, err: error }, "person not told of their order");
    if (mayPass(error)) return;
  }
  await orders.uncertain
    .personTold(order.id, news)
    .catch((error: unknown) => logger.warn({ ...ids, err: error }, "person may be told twice"));
}

/** Tells whether a fault may pass: then the next start tries again. */
function mayPass(error: unknown): boolean {
  const { kind } = telegramFailure(error);
  return kind === "again" || kind === "wait";
}

/** Removes the paying button. A card that cannot be edited answers its taps in words. */
async function closeCard(
  { order, repeatedUntil }: UncertainOrder,
  { api, languageOf, logger }: UncertainParts,
): Promise<void> {
  if (order.statusMessageId === null) return;
  const words = languageOf(order.userId).t(repeatedUntil === null ? "pay-uncertain" : "pay-repeated");
  try {
    await api.editMessageText(order.chatId, order.statusMessageId, words);
  } catch (error) {
    if (!isNothingToEdit(error)) logger.info({ order_id: order.id, err: error }, "card not closed");
  }
}

async function send(record: UncertainOrder, news: PersonNews, parts: UncertainParts): Promise<void> {
  const { outbox, cards, accounts, gateways, languageOf, personOf, supportContact, logger } = parts;
  const { order } = record;
  const language = languageOf(order.userId);
  const audience = { language, isGroup: isInGroup(order), isShared: accounts.kind === "shared" };
  const text =
    news === "uncertain"
      ? uncertainText(record, audience, supportContact)
      : settledText(record, news, language);
  const draft = news === "not_charged" ? openDraft(order, parts) : undefined;
  const person = personOf(order.userId);
  const isRepeated = news === "uncertain" && record.repeatedUntil !== null;
  const hasButton = news !== "charged" && !isRepeated && !(draft && person);
  const again = orderData.encode({ orderId: order.id, action: "again" });
  const keyboard = hasButton ? new InlineKeyboard().text(language.t("button-try-again"), again) : undefined;
  await outbox.say(order, { text, keyboard });
  if (!draft || !person) return;
  // The news has arrived, and must not be sent again for the card's sake.
  await gateways
    .of(person)
    .then((gateway) => cards.repost(draft, { person, gateway }))
    .catch((error: unknown) => logger.warn({ order_id: order.id, err: error }, "card not shown again"));
}

/** Finds the card of a refused order, unless its person has begun another one. */
function openDraft(order: Order, { drafts }: UncertainParts): Draft | undefined {
  const draft = drafts.find(order.draftId);
  return draft?.state === "composing" ? draft : undefined;
}
