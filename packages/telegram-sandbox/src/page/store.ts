import type { TelegramUser } from "@gramio/types";
import type { PageEvent, PagePerson, PageState } from "../protocol.js";
import { Chat } from "./chat.js";

export type CallbackAnswer = Extract<PageEvent, { type: "callback_answer" }>;
export type PaymentOutcome = Extract<PageEvent, { type: "payment" }>;

/** One of the people at the page, with the chats that they see. */
export interface Person {
  user: PagePerson;
  /** Place among all people; it gives the person a colour. */
  index: number;
  privateChat: Chat;
  group: Chat | undefined;
}

/** All that the page knows: the bot, the people, and every chat once for each person who sees it. */
export class Store {
  bot: TelegramUser;
  readonly people: readonly Person[];
  readonly #answerListeners = new Set<(person: Person, answer: CallbackAnswer) => void>();
  readonly #paymentListeners = new Set<(person: Person, outcome: PaymentOutcome) => void>();

  constructor(state: PageState) {
    this.bot = state.bot;
    this.people = state.people.map((user, index) => ({
      user,
      index,
      privateChat: new Chat(
        user.id,
        state.chats.find((chat) => chat.type === "private" && chat.members.includes(user.id)) ?? {
          id: user.id,
          type: "private",
          title: state.bot.first_name,
          members: [user.id],
          messages: [],
        },
      ),
      group: groupOf(user, state),
    }));
  }

  /** Chats of a person, the private one first. */
  static chatsOf(person: Person): Chat[] {
    return person.group === undefined ? [person.privateChat] : [person.privateChat, person.group];
  }

  onAnswer(listener: (person: Person, answer: CallbackAnswer) => void): void {
    this.#answerListeners.add(listener);
  }

  onPayment(listener: (person: Person, outcome: PaymentOutcome) => void): void {
    this.#paymentListeners.add(listener);
  }

  /** Takes a whole new state: what was missed while the stream was lost comes in, what is gone goes. */
  reload(state: PageState): void {
    this.bot = state.bot;
    for (const person of this.people) {
      person.user = state.people.find(({ id }) => id === person.user.id) ?? person.user;
      for (const chat of Store.chatsOf(person)) {
        const fresh = state.chats.find(
          ({ id, members }) => id === chat.id && members.includes(person.user.id),
        );
        if (fresh !== undefined) chat.reload(fresh);
        else chat.changed();
      }
    }
  }

  apply(personId: number, event: PageEvent): void {
    const person = this.people.find(({ user }) => user.id === personId);
    if (person === undefined) return;
    if (event.type === "purse") {
      person.user = { ...person.user, stars: event.stars };
      return;
    }
    const chat = Store.chatsOf(person).find(({ id }) => id === event.chat);
    if (chat === undefined) return;
    chat.apply(event);
    if (event.type === "callback_answer") {
      for (const listener of this.#answerListeners) listener(person, event);
    }
    if (event.type === "payment") {
      for (const listener of this.#paymentListeners) listener(person, event);
    }
  }
}

function groupOf(user: PagePerson, state: PageState): Chat | undefined {
  const group = state.chats.findLast((chat) => chat.type !== "private" && chat.members.includes(user.id));
  return group === undefined ? undefined : new Chat(user.id, group);
}
