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

interface PersonFlavor extends Customer {
  /** True for the first update of a person. */
  isNewcomer: boolean;
  language: Language;
}

/** A text that its client split into several messages. */
export interface JoinedText {
  text: string;
  messageId: number;
  before: readonly number[];
}

interface LongTextFlavor {
  /** Set on the later parts and on an edit of any part. */
  longText?: JoinedText;
}

interface FaultFlavor {
  /** The text to send when handling fails, in place of "try again". */
  faultText?: string;
}

export type BotContext = ConversationFlavor<
  Context & PersonFlavor & TapFlavor & LongTextFlavor & FaultFlavor
>;

export function textOf(ctx: BotContext): string | undefined {
  return ctx.longText?.text ?? ctx.msg?.text;
}

/** Names the person in records of what was done. */
export function actorOf({ person }: BotContext): string {
  return `telegram:${person.id}`;
}
