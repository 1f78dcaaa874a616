import type { ConversationFlavor } from "@grammyjs/conversations";
import type { Context } from "grammy";
import type { Gateway, NotConnected } from "../ports/gateway.js";
import type { Person } from "./people/people.js";
import type { TapFlavor } from "./telegram/tap-answers.js";
import type { Language } from "./texts/texts.js";

/** A person with the account that they spend. */
export interface Customer {
  person: Person;
  /** The account, or `NOT_CONNECTED`. */
  gateway: Gateway | NotConnected;
}

/** What the middleware finds out about an update. */
interface UpdateFlavor extends Customer, TapFlavor {
  /** True for the first update of a person. */
  isNewcomer: boolean;
  language: Language;
  /** A text that its client split into several messages: set on its later parts, and on an edit of any part. */
  longText?: { text: string; messageId: number; before: readonly number[] };
  /** The text to send when handling fails, in place of "try again". */
  faultText?: string;
}

export type BotContext = ConversationFlavor<Context & UpdateFlavor>;

export function textOf(ctx: BotContext): string | undefined {
  return ctx.longText?.text ?? ctx.msg?.text;
}

/** Names the person in records of what was done. */
export function actorOf({ person }: BotContext): string {
  return `telegram:${person.id}`;
}
