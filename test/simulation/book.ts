import type { User } from "grammy/types";

/** The price on a button that somebody tapped. */
interface PayTap {
  userId: number;
  kopecks: number;
}

/** What the page behind a link was to bring. */
interface ShownLink {
  userId: number;
  promised: number;
}

interface ShownButton {
  text: string;
  url?: string;
}

const CORRECTION = /^\/(credit|debit) (\d+) (\d+)$/;
const PAGE = /\/pay\/([\w-]+)$/;

/** What people saw and did, and what Telegram and the shop were asked for, as they would write it down. */
export class Book {
  /** Buttons with a price that were tapped. */
  readonly payTaps: PayTap[] = [];
  /** Admins who have asked for the files of somebody's order. */
  readonly filesAskedBy = new Set<number>();
  /** Payments of the shop by their names, with what their links promised. */
  readonly links = new Map<string, ShownLink>();
  /** Corrections that the admin has asked for, such as `credit 101 50`. */
  readonly corrections: string[] = [];
  /** What Telegram or the shop would complain about. */
  readonly complaints: string[] = [];
  /** The service had another time than Telegram for a while, so that it may take anybody for new. */
  isClockSet = false;

  /** Somebody taps a button of the bot. */
  tapped({ id: userId }: Pick<User, "id">, label: string): void {
    if (label.startsWith("📎")) this.filesAskedBy.add(userId);
    const kopecks = kopecksIn(label);
    if (kopecks !== undefined) this.payTaps.push({ userId, kopecks });
  }

  /** Somebody says something to the bot. */
  said(text: string): void {
    const [, act, person, rubles] = CORRECTION.exec(text) ?? [];
    if (act !== undefined) this.corrections.push(`${act} ${person} ${rubles}`);
  }

  /** The bot shows a button with a link. */
  shown(userId: number, { text, url = "" }: ShownButton): void {
    const [, payment] = PAGE.exec(url) ?? [];
    const promised = kopecksIn(text);
    if (payment !== undefined && promised !== undefined) this.links.set(payment, { userId, promised });
  }
}

/** The sum in rubles that a text names last, such as 1,234.50 ₽. */
export function kopecksIn(text: string): number | undefined {
  const sum = [...text.matchAll(/(\d[\d.,\s]*)₽/gu)].at(-1)?.[1];
  return sum === undefined ? undefined : Math.round(Number(sum.replace(/[^\d.]/gu, "")) * 100);
}
