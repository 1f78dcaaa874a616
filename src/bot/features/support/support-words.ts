import { InlineKeyboard } from "grammy";
import { personText } from "../../people/balance-words.js";
import type { Person } from "../../people/people.js";
import { cutText } from "../../texts/html.js";
import type { Language } from "../../texts/texts.js";
import { accountData } from "../account/account-data.js";
import { paymentListData } from "../refund/refund-data.js";
import { supportData } from "./support-data.js";
import type { TicketKind } from "./support-table.js";

const TOPIC_NAME_MAX = 128;

/** Names the topic of a person: admins find it by name and by id. */
export function topicName({ id, name, username }: Person): string {
  const marks = ` · ${username === null ? "" : `@${username} · `}${id}`;
  return cutText(name, TOPIC_NAME_MAX - marks.length) + marks;
}

/** Tells admins whose message follows, as HTML. */
export function ticketHeader(person: Person, kind: TicketKind, { t }: Language): string {
  return t(`support-header-${kind}`, { person: personText(person) });
}

/** Draws what an admin can do about a message of a person. */
export function ticketKeyboard(userId: number, kind: TicketKind, { t }: Language): InlineKeyboard {
  const keyboard = new InlineKeyboard()
    .text(t("button-support-answer"), supportData.encode({ action: "answer", userId }))
    .text(t("button-account"), accountData.encode({ action: "send", userId }));
  if (kind === "payment") keyboard.row().text(t("button-payments"), paymentListData.encode({ userId }));
  return keyboard;
}

/** Draws the button with which a person writes to support. */
export function askKeyboard(label: string, kind: TicketKind, { t }: Language): InlineKeyboard {
  return new InlineKeyboard().text(t(label), supportData.encode({ action: "ask", kind }));
}
