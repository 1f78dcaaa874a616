import type { TelegramMessage } from "@gramio/types";
import type { Outgoing } from "./chat.js";
import { type Words, wordsIn } from "./words/words.js";

/** What stands in the timeline as one row. */
export type Unit =
  | { kind: "day"; key: string; seconds: number }
  | { kind: "service"; key: string; message: TelegramMessage }
  | ({ kind: "bubble"; key: string; messages: readonly TelegramMessage[] } & Place)
  | ({ kind: "outgoing"; key: string; outgoing: Outgoing } & Place);

/** Place of a bubble in a run of bubbles of one author. */
export interface Place {
  isOwn: boolean;
  isFirst: boolean;
  isLast: boolean;
}

/** Bubbles of one author within this time stand close together. */
const RUN_GAP_SECONDS = 300;

/** Arranges messages into rows: albums joined, days separated, runs of one author marked. Pure. */
export function arrange(
  messages: readonly TelegramMessage[],
  outgoing: readonly Outgoing[],
  ownerId: number,
): Unit[] {
  const units: Unit[] = [];
  let day = "";
  for (const group of albums(messages)) {
    const [first] = group;
    if (first === undefined) continue;
    const nextDay = new Date(first.date * 1000).toDateString();
    if (nextDay !== day) units.push({ kind: "day", key: `day-${nextDay}`, seconds: first.date });
    day = nextDay;
    if (isService(first)) {
      units.push({ kind: "service", key: `message-${first.message_id}`, message: first });
      continue;
    }
    const isOwn = first.from?.id === ownerId;
    const key =
      first.media_group_id === undefined ? `message-${first.message_id}` : `album-${first.media_group_id}`;
    units.push({ kind: "bubble", key, messages: group, isOwn, isFirst: true, isLast: true });
  }
  for (const one of outgoing) {
    units.push({ kind: "outgoing", key: one.key, outgoing: one, isOwn: true, isFirst: true, isLast: true });
  }
  markRuns(units);
  return units;
}

/** The text of a service message, or nothing for an ordinary one. */
export function serviceText(message: TelegramMessage, words: Words): string | undefined {
  const who = message.from?.first_name ?? words.somebody;
  if (message.forum_topic_created) return words.topicOpened(who, message.forum_topic_created.name);
  if (message.forum_topic_closed) return words.topicClosed(who);
  if (message.forum_topic_reopened) return words.topicReopened(who);
  if (message.users_shared) {
    return words.shared(
      message.users_shared.users.map(({ first_name: name, user_id: id }) => name ?? String(id)).join(", "),
    );
  }
  const { successful_payment: paid, refunded_payment: refunded } = message;
  if (paid) return words.paid(paidSum(paid));
  if (refunded) return words.refunded(paidSum(refunded));
  return undefined;
}

/** A sum that was paid; Stars have no name in Telegram's apps but their sign. */
function paidSum({ total_amount: sum, currency }: { total_amount: number; currency: string }): string {
  return currency === "XTR" ? `⭐ ${sum}` : `${sum} ${currency}`;
}

function isService(message: TelegramMessage): boolean {
  return serviceText(message, wordsIn(undefined)) !== undefined;
}

function albums(messages: readonly TelegramMessage[]): TelegramMessage[][] {
  const groups: TelegramMessage[][] = [];
  for (const message of messages) {
    const last = groups.at(-1);
    const isSameAlbum =
      message.media_group_id !== undefined && last?.[0]?.media_group_id === message.media_group_id;
    if (isSameAlbum) last?.push(message);
    else groups.push([message]);
  }
  return groups;
}

function markRuns(units: readonly Unit[]): void {
  for (const [index, unit] of units.entries()) {
    const before = units[index - 1];
    if (!isPlaced(unit) || before === undefined || !isPlaced(before)) continue;
    if (authorOf(unit) !== authorOf(before) || dateOf(unit) - dateOf(before) > RUN_GAP_SECONDS) continue;
    unit.isFirst = false;
    before.isLast = false;
  }
}

function isPlaced(unit: Unit): unit is Extract<Unit, Place> {
  return unit.kind === "bubble" || unit.kind === "outgoing";
}

function authorOf(unit: Extract<Unit, Place>): string {
  if (unit.isOwn) return "own";
  return unit.kind === "bubble" ? String(unit.messages[0]?.from?.id) : "own";
}

function dateOf(unit: Extract<Unit, Place>): number {
  return unit.kind === "outgoing" ? unit.outgoing.date : (unit.messages[0]?.date ?? 0);
}
